import { expect, test } from 'vitest'
import { type Members, present, socketAddress } from './tail'

test('the socket is of the page itself, by TLS where the page is', () => {
  expect(socketAddress(new URL('http://127.0.0.1:9000/_console/realtime'))).toBe('ws://127.0.0.1:9000/_console/api/realtime/socket')
  expect(socketAddress(new URL('https://api.example/_console/'))).toBe('wss://api.example/_console/api/realtime/socket')
})

test('who came and went is told of who is there', () => {
  let members: Members = present({}, 'presence_state', { ada: { metas: [{ phx_ref: 'a' }] } })
  members = present(members, 'presence_diff', { joins: { ada: { metas: [{ phx_ref: 'b' }] }, bob: { metas: [{ phx_ref: 'c' }] } }, leaves: { ada: { metas: [{ phx_ref: 'a' }] } } })
  expect(members).toEqual({ ada: [{ phx_ref: 'b' }], bob: [{ phx_ref: 'c' }] })
  expect(present(members, 'presence_diff', { joins: {}, leaves: { bob: { metas: [{ phx_ref: 'c' }] } } })).toEqual({ ada: [{ phx_ref: 'b' }] })
  expect(present(members, 'broadcast', {})).toBe(members)
})
