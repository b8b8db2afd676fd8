// `npm test` while `gateway dev` runs: two people, each with a list of their own.
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { createClient } from '@supabase/supabase-js'
import ws from 'ws' // Node.js has web sockets of its own from version 22 on

const connect = () =>
  createClient(process.env.VITE_SUPABASE_URL, process.env.VITE_SUPABASE_ANON_KEY, {
    auth: { persistSession: false, autoRefreshToken: false },
    realtime: { transport: ws },
  })

async function person() {
  const client = connect()
  const { error } = await client.auth.signUp({ email: `${randomUUID()}@example.com`, password: randomUUID() })
  assert.equal(error, null)
  return client
}

test('people see what is theirs and nothing else', async () => {
  const [ada, grace] = [await person(), await person()]
  const { error } = await ada.from('todos').insert({ title: 'write a program' })
  assert.equal(error, null)
  assert.deepEqual((await ada.from('todos').select('title')).data, [{ title: 'write a program' }])
  assert.deepEqual((await grace.from('todos').select('title')).data, [])
})

test('who has not signed in sees nothing', async () => {
  const { error } = await connect().from('todos').select('title')
  assert.equal(error?.code, '42501')
})

test('the function greets', async () => {
  const { data, error } = await connect().functions.invoke('hello', { body: { name: 'Ada' } })
  assert.equal(error, null)
  assert.deepEqual(data, { message: 'Hello Ada!' })
})
