// The thin client's channels against a live gateway. Run by tests/realtime/test_clients.py, which says where both are.

import assert from 'node:assert/strict'
import { after, test } from 'node:test'

const { COMPAT, REALTIME_KEY, REALTIME_TOKEN, REALTIME_URL, SECRET_KEY } = process.env
const { createClient } = await import(COMPAT)
const left = []

const client = (options) => createClient(REALTIME_URL, REALTIME_KEY, { auth: { autoRefreshToken: false, persistSession: false }, ...options })
const subscribed = (channel) =>
  new Promise((resolve, reject) => {
    left.push(channel)
    channel.subscribe((status, error) => (status === 'SUBSCRIBED' ? resolve(channel) : status === 'CLOSED' || reject(error)))
  })
const first = (listen) => new Promise(listen)
let rooms = 0
const room = () => `thin-${process.pid}-${rooms++}`

after(() => Promise.all(left.map((channel) => channel.unsubscribe())))

test('a broadcast reaches another client and, acknowledged, its sender', async () => {
  const name = room()
  const one = client().channel(name, { config: { broadcast: { self: true, ack: true } } })
  const two = client().channel(name)
  const heard = Promise.all([one, two].map((channel) => first((resolve) => channel.on('broadcast', { event: 'hi' }, resolve))))
  await Promise.all([subscribed(one), subscribed(two)])
  assert.equal(await one.send({ type: 'broadcast', event: 'hi', payload: { n: 1 } }), 'ok')
  for (const { payload } of await heard) assert.deepEqual(payload, { n: 1 })
})

test('what is sent before goes by HTTP', async () => {
  const name = room()
  const hearer = client().channel(name)
  const heard = first((resolve) => hearer.on('broadcast', { event: '*' }, resolve))
  await subscribed(hearer)
  assert.equal(await client().channel(name).send({ type: 'broadcast', event: 'e', payload: { a: 1 } }), 'ok')
  assert.deepEqual((await heard).payload, { a: 1 })
})

test('presence is synchronised', async () => {
  const name = room()
  const one = client().channel(name, { config: { presence: { key: 'ann' } } })
  const two = client().channel(name, { config: { presence: { key: 'bob' } } })
  const joined = first((resolve) => two.on('presence', { event: 'join' }, resolve))
  const gone = first((resolve) => two.on('presence', { event: 'leave' }, resolve))
  await Promise.all([subscribed(one), subscribed(two)])
  assert.equal(await one.track({ typing: true }), 'ok')
  assert.equal((await joined).newPresences[0].typing, true)
  assert.deepEqual(Object.keys(two.presenceState()), ['ann'])
  assert.equal(await client().removeChannel(one), 'ok')
  assert.equal((await gone).key, 'ann')
  assert.deepEqual(two.presenceState(), {})
})

test('changes of a table come with their rows', async () => {
  const channel = client().channel(room())
  const heard = first((resolve) => channel.on('postgres_changes', { event: 'INSERT', schema: 'public', table: 'thin' }, resolve))
  const flows = first((resolve) => channel.on('system', {}, resolve))
  await subscribed(channel)
  assert.equal((await flows).status, 'ok')
  const { error } = await createClient(REALTIME_URL, SECRET_KEY).from('thin').insert({ id: 1, title: 'a' })
  assert.equal(error, null)
  const { eventType, new: row, old, table } = await heard
  assert.deepEqual({ eventType, row, old, table }, { eventType: 'INSERT', row: { id: 1, title: 'a' }, old: {}, table: 'thin' })
})

test('the token decides on a private channel', async () => {
  await assert.rejects(subscribed(client().channel('closed', { config: { private: true } })), /Unauthorized/)
  await subscribed(client({ accessToken: async () => REALTIME_TOKEN }).channel('open', { config: { private: true } }))
})
