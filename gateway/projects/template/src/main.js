import { createClient } from '@supabase/supabase-js'

const client = createClient(import.meta.env.VITE_SUPABASE_URL, import.meta.env.VITE_SUPABASE_ANON_KEY)
const part = (id) => document.getElementById(id)
const say = (error) => (part('said').textContent = error?.message ?? '')

async function show() {
  const { data } = await client.auth.getSession()
  part('account').hidden = Boolean(data.session)
  part('todos').hidden = !data.session
  if (!data.session) return
  const { data: todos, error } = await client.from('todos').select('id, title, done').order('id')
  say(error)
  part('list').replaceChildren(
    ...(todos ?? []).map(({ id, title, done }) => {
      const item = document.createElement('li')
      const box = Object.assign(document.createElement('input'), { type: 'checkbox', checked: done })
      box.addEventListener('change', () => client.from('todos').update({ done: box.checked }).eq('id', id).then(show))
      item.append(box, ' ', title)
      return item
    }),
  )
}

part('account').addEventListener('submit', async (event) => {
  event.preventDefault()
  const person = Object.fromEntries(new FormData(event.target))
  let { error } = await client.auth.signInWithPassword(person)
  if (error?.code === 'invalid_credentials') ({ error } = await client.auth.signUp(person))
  say(error)
  await show()
})

part('add').addEventListener('submit', async (event) => {
  event.preventDefault()
  const { error } = await client.from('todos').insert(Object.fromEntries(new FormData(event.target)))
  say(error)
  event.target.reset()
  await show()
})

part('leave').addEventListener('click', () => client.auth.signOut().then(show))

show()
