import { expect, test } from 'vitest'
import { queryClient } from './queries'
import { tellSessionEnd } from './session-end'

test('what was read with a session is forgotten with it', () => {
  queryClient.setQueryData(['admin', 'leads'], ['a lead'])
  tellSessionEnd()
  expect(queryClient.getQueryData(['admin', 'leads'])).toBeUndefined()
})
