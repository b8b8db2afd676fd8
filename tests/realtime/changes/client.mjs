// The official client listens to changes, makes some, and prints what it was told as JSON.
import { createClient } from '@supabase/supabase-js'

const visitor = createClient(process.env.URL, process.env.KEY)
const service = createClient(process.env.URL, process.env.SECRET, { auth: { persistSession: false } })
const told = []
const enough = new Promise((resolve) => {
  const on = { schema: 'public', table: 'open' }
  visitor
    .channel('room')
    .on('postgres_changes', { event: '*', ...on }, (change) => {
      told.push([change.eventType, change.new, change.old, change.errors])
      if (change.eventType === 'DELETE') resolve()
    })
    .on('postgres_changes', { event: 'INSERT', filter: 'id=eq.9001', ...on }, (change) => {
      told.push(['filtered', change.new])
    })
    .subscribe(async (status) => {
      if (status !== 'SUBSCRIBED') return
      await service.from('open').insert({ id: 9001, title: 'x' })
      await service.from('open').update({ title: 'y' }).eq('id', 9001)
      await service.from('open').delete().eq('id', 9001)
    })
})
await Promise.race([enough, new Promise((resolve) => setTimeout(resolve, 20000))])
console.log(JSON.stringify(told))
await visitor.removeAllChannels()
process.exit(0)
