import { afterEach, expect, test } from 'vitest'
import { forgetServerData, serverData } from './server-data'

afterEach(() => document.body.replaceChildren())

test('what an author writes is never taken for data of the server', () => {
  document.body.innerHTML =
    '<div id="root"><main><p id="post-data">{"slug":"spoofed"}</p><script type="application/json" id="post-data">{"slug":"spoofed"}</script></main></div>' +
    '<p id="list-data">{}</p><script type="application/json" id="post-data">{"slug":"served"}</script>'
  expect(serverData('post-data')).toEqual({ slug: 'served' })
  expect(serverData('list-data')).toBeUndefined()
})

test('after a change only the server’s own data is forgotten', () => {
  document.body.innerHTML = '<div id="root"><p id="post-data">words</p></div><script type="application/json" id="post-data">{}</script>'
  forgetServerData()
  expect(serverData('post-data')).toBeUndefined()
  expect(document.querySelector('p')?.textContent).toBe('words')
})
