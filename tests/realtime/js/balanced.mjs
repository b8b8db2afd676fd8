// The official client on one channel, which it tracks itself on: prints each status and broadcast as a line of JSON. Run by
// tests/ha/test_realtime_balancer.py.

import { createRequire } from 'node:module'

const require = createRequire(new URL('../../../supabase-compat/package.json', import.meta.url))
const { createClient } = require('@supabase/supabase-js')

const { REALTIME_KEY, REALTIME_URL } = process.env
const say = (...said) => console.log(JSON.stringify(said))
const channel = createClient(REALTIME_URL, REALTIME_KEY, { auth: { persistSession: false } }).channel('room', {
  config: { presence: { key: 'ann' } },
})
channel
  .on('broadcast', { event: 'hi' }, ({ payload }) => say('heard', payload))
  .on('presence', { event: 'sync' }, () => {})
  .subscribe(async (status) => {
    say('status', status)
    if (status === 'SUBSCRIBED') await channel.track({})
  })
