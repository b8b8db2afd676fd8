// What tests/e2e/test_realtime_client.py has a page do with the official client. Each function gives back what it saw.

let settings
let rooms = 0
let kept

function begin(given) {
  settings = given
}

function client(key = settings.key) {
  return supabase.createClient(settings.url, key, {
    auth: { persistSession: false, storageKey: `page-${rooms++}` },
    realtime: { vsn: settings.vsn },
  })
}

async function user(token = settings.token) {
  const made = client()
  await made.realtime.setAuth(token)
  return made
}

const room = (kind = 'page') => `${kind}-${settings.vsn}-${Date.now()}-${rooms++}`

const subscribed = (channel) =>
  new Promise((resolve, reject) => {
    channel.subscribe((status, error) => {
      if (status === 'SUBSCRIBED') resolve(channel)
      else if (status !== 'CLOSED') reject(error ?? new Error(status))
    })
  })

async function until(holds) {
  const end = Date.now() + 40_000
  while (!holds()) {
    if (Date.now() > end) throw new Error(`never: ${holds}`)
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}

const service = () => client(settings.service)

function done({ error }) {
  if (error) throw new Error(error.message)
}

async function broadcasts() {
  const name = room()
  const heard = []
  let own
  const one = client().channel(name, { config: { broadcast: { self: true, ack: true } } })
  const two = client().channel(name)
  one.on('broadcast', { event: 'hi' }, (message) => (own ??= message.payload))
  two.on('broadcast', { event: 'hi' }, (message) => heard.push(message.payload))
  await Promise.all([subscribed(one), subscribed(two)])
  const send = (channel, n) => channel.send({ type: 'broadcast', event: 'hi', payload: { n } })
  const answers = [await send(one, 1)]
  const away = client().channel(name) // not subscribed: by HTTP
  answers.push(await send(away, 2), await away.httpSend('hi', { n: 3 }))
  await until(() => own && heard.length === 3)
  return { answers, own, heard }
}

async function presences() {
  const name = room()
  const one = client().channel(name, { config: { presence: { key: 'ann' } } })
  const two = client().channel(name, { config: { presence: { key: 'bob' } } })
  let joined, left
  two.on('presence', { event: 'join' }, ({ key, newPresences }) => (joined = [key, newPresences[0].typing]))
  two.on('presence', { event: 'leave' }, ({ key }) => (left = key))
  await Promise.all([subscribed(one), subscribed(two)])
  await one.track({ typing: true })
  await until(() => joined)
  const state = Object.keys(two.presenceState())
  one.socket.disconnect()
  await until(() => left)
  return { joined, state, left }
}

async function privates() {
  const config = { config: { private: true, broadcast: { ack: true } } }
  const refused = await subscribed(client().channel(room('open'), config)).then(String, String)
  const name = room('open')
  const [one, two] = [(await user()).channel(name, config), (await user()).channel(name, config)]
  let heard
  two.on('broadcast', { event: 'hi' }, (message) => (heard = message.payload))
  await Promise.all([subscribed(one), subscribed(two)])
  const sent = await one.send({ type: 'broadcast', event: 'hi', payload: { n: 1 } })
  await until(() => heard)
  return { refused, sent, heard }
}

// A channel that notes changes of the table, once they flow.
async function noting(made, told) {
  let flows
  const channel = made.channel(room()).on('system', {}, (said) => (flows ||= said.status === 'ok'))
  channel.on('postgres_changes', { event: '*', schema: 'public', table: 'seen' }, (change) =>
    told.push([change.eventType, change.new, change.old]),
  )
  await subscribed(channel)
  await until(() => flows)
}

async function changes() {
  const ann = []
  const bob = []
  await noting(await user(), ann)
  await noting(await user(settings.other), bob)
  const rows = service().from('seen')
  done(await rows.insert({ id: 1, owner: 'ann', title: 'x' }))
  await until(() => ann.length === 1)
  done(await rows.update({ title: 'y' }).eq('id', 1))
  await until(() => ann.length === 2)
  done(await rows.delete().eq('id', 1))
  await until(() => ann.length === 3 && bob.length === 1)
  return { ann, bob }
}

async function stay() {
  kept = { statuses: [], heard: null, changed: 0, flows: 0, name: room() }
  const channel = (await user()).channel(kept.name)
  channel.on('broadcast', { event: 'hi' }, (message) => (kept.heard = message.payload))
  channel.on('postgres_changes', { event: 'INSERT', schema: 'public', table: 'seen' }, () => kept.changed++)
  channel.on('system', {}, (said) => (kept.flows += said.status === 'ok'))
  channel.subscribe((status) => kept.statuses.push(status))
  await until(() => kept.flows === 1)
  const rows = service().from('seen')
  done(await rows.delete().gt('id', 0))
  done(await rows.insert({ id: 2, owner: 'ann', title: 'before' }))
  await until(() => kept.changed === 1)
}

async function back() {
  await until(() => kept.flows > 1 && kept.statuses.at(-1) === 'SUBSCRIBED')
  done(await service().from('seen').insert({ id: 3, owner: 'ann', title: 'after' }))
  while (!kept.heard) await client().channel(kept.name).httpSend('hi', { again: true })
  await until(() => kept.changed === 2)
  return kept
}
