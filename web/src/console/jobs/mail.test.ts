import { expect, test } from 'vitest'
import { linksOf } from './mail'

test('links are told once, with the words that they stand behind', () => {
  const html = '<a href="https://a.example/verify?token=1&amp;type=signup">Confirm <b>it</b></a><a href="https://a.example/verify?token=1&amp;type=signup">again</a>'
  expect(linksOf({ html, text: 'See https://b.example/x.' })).toEqual([
    { name: 'Confirm it', address: 'https://a.example/verify?token=1&type=signup' },
    { name: 'In the text', address: 'https://b.example/x.' },
  ])
})

test('what is no page is no link', () => {
  expect(linksOf({ html: '<a href="javascript:alert(1)">x</a><a href=" data:text/html,x">y</a><a href="mailto:a@b.example">z</a>', text: null })).toEqual([])
})
