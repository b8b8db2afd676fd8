// The official client, unmodified: broadcasts, presence and private channels against a live gateway. Run by
// tests/realtime/test_clients.py, which says where the gateway is.

import assert from 'node:assert/strict'
import { createRequire } from 'node:module'
import { after, test } from 'node:test'

const require = createRequire(new URL('../../../supabase-compat/package.json', import.meta.url))
const { createClient } = require('@supabase/supabase-js')

const { REALTIME_URL, REALTIME_KEY, REALTIME_TOKEN } = process.env
const clients = []

function client(vsn = '2.0.0') {
  const made = createClient(REALTIME_URL, REALTIME_KEY, {
    auth: { persistSession: false },
    realtime: { params: {}, vsn, timeout: 10000 },
  })
  clients.push(made)
  return made
}

after(() => Promise.all(clients.map((each) => each.realtime.disconnect())))

const subscribed = (channel) =>
  new Promise((resolve, reject) => {
    channel.subscribe((status, error) => {
      if (status === 'SUBSCRIBED') resolve(channel)
      else if (status !== 'CLOSED') reject(error ?? new Error(status))
    })
  })

const first = (listen) => new Promise(listen)
let rooms = 0
const room = () => `js-${process.pid}-${rooms++}`

for (const vsn of ['1.0.0', '2.0.0']) {
  test(`${vsn}: a broadcast reaches another client, and its sender who asks for it`, async () => {
    const name = room()
    const one = client(vsn).channel(name, { config: { broadcast: { self: true, ack: true } } })
    const two = client(vsn).channel(name)
    const own = first((resolve) => one.on('broadcast', { event: 'hi' }, resolve))
    const other = first((resolve) => two.on('broadcast', { event: '*' }, resolve))
    await Promise.all([subscribed(one), subscribed(two)])
    assert.equal(await one.send({ type: 'broadcast', event: 'hi', payload: { n: 1 } }), 'ok')
    assert.deepEqual((await own).payload, { n: 1 })
    assert.deepEqual((await other).payload, { n: 1 })
  })

  test(`${vsn}: presence is synchronised`, async () => {
    const name = room()
    const one = client(vsn).channel(name, { config: { presence: { key: 'ann' } } })
    const two = client(vsn).channel(name, { config: { presence: { key: 'bob' } } })
    const joined = first((resolve) => two.on('presence', { event: 'join' }, resolve))
    const left = first((resolve) => two.on('presence', { event: 'leave' }, resolve))
    one.on('presence', { event: 'sync' }, () => {})
    await Promise.all([subscribed(one), subscribed(two)])
    assert.equal(await one.track({ typing: true }), 'ok')
    const join = await joined
    assert.equal(join.key, 'ann')
    assert.equal(join.newPresences[0].typing, true)
    assert.ok(join.newPresences[0].presence_ref)
    assert.deepEqual(Object.keys(two.presenceState()), ['ann'])
    assert.equal(await one.untrack(), 'ok')
    assert.equal((await left).key, 'ann')
  })

  test(`${vsn}: a private channel asks the policies`, async () => {
    const refused = client(vsn).channel('closed', { config: { private: true } })
    await assert.rejects(subscribed(refused), /Unauthorized/)
    const open = client(vsn)
    await open.realtime.setAuth(REALTIME_TOKEN)
    const channel = await subscribed(open.channel('open', { config: { private: true, broadcast: { ack: true } } }))
    assert.equal(await channel.send({ type: 'broadcast', event: 'hi', payload: {} }), 'ok')
  })

  test(`${vsn}: what is sent before a subscription goes by HTTP`, async () => {
    const name = room()
    const hearer = client(vsn).channel(name)
    const heard = first((resolve) => hearer.on('broadcast', { event: 'rest' }, resolve))
    await subscribed(hearer)
    const sender = client(vsn).channel(name)
    assert.equal(await sender.send({ type: 'broadcast', event: 'rest', payload: { a: 1 } }), 'ok')
    assert.deepEqual((await heard).payload, { a: 1 })
    const again = first((resolve) => hearer.on('broadcast', { event: 'http' }, resolve))
    assert.deepEqual(await sender.httpSend('http', { b: 2 }), { success: true })
    assert.deepEqual((await again).payload, { b: 2 })
  })
}

test('a channel that is left can be joined again', async () => {
  const name = room()
  const one = client()
  assert.equal(await one.removeChannel(await subscribed(one.channel(name))), 'ok')
  await subscribed(one.channel(name))
})

test('bytes reach another client', async () => {
  const name = room()
  const one = await subscribed(client().channel(name))
  const two = client().channel(name)
  const heard = first((resolve) => two.on('broadcast', { event: 'raw' }, resolve))
  await subscribed(two)
  await one.send({ type: 'broadcast', event: 'raw', payload: new Uint8Array([1, 2, 255]).buffer })
  assert.deepEqual([...new Uint8Array((await heard).payload)], [1, 2, 255])
})
