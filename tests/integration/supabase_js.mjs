// The site's calls by the official client, unmodified: prints what came of each as JSON.
import { createRequire } from 'node:module'
import { pathToFileURL } from 'node:url'

const [url, key, email, password, clientFolder] = process.argv.slice(2)
globalThis.WebSocket ??= class {} // the client's realtime part looks for one at its start; nothing here uses it
const resolve = createRequire(`${clientFolder}/`).resolve
const { createClient } = await import(pathToFileURL(resolve('@supabase/supabase-js')))

const options = { auth: { persistSession: false, autoRefreshToken: false } }
const anon = createClient(url, key, options)
const admin = createClient(url, key, options)
const out = {}

const columns = 'id, title, slug, excerpt, featured_image_url, author_name, published_at, tags, reading_time_minutes'
const list = await anon
  .from('blog_posts')
  .select(columns, { count: 'exact' })
  .eq('published', true)
  .or('title.ilike.%waste%,excerpt.ilike.%waste%')
  .contains('tags', ['Compliance'])
  .order('published_at', { ascending: false })
  .range(0, 1)
out.list = { rows: list.data?.length, count: list.count, status: list.status, error: list.error, tags: list.data?.map((row) => row.tags) }
const missing = await anon.from('blog_posts').select('*').eq('slug', 'no-such-article').eq('published', true).single()
out.missing = { code: missing.error?.code, status: missing.status }
const denied = await anon.from('blog_posts').insert({ title: 'x', slug: 'x' })
out.denied = { code: denied.error?.code, status: denied.status }
const leads = await anon.from('quote_requests').select('id')
out.leads = { code: leads.error?.code, status: leads.status }

const wrong = await admin.auth.signInWithPassword({ email, password: `${password}-wrong` })
out.wrong = { code: wrong.error?.code, message: wrong.error?.message, status: wrong.error?.status }
const signedIn = await admin.auth.signInWithPassword({ email, password })
out.signedIn = { email: signedIn.data.user?.email, error: signedIn.error }
const first = signedIn.data.session.refresh_token
const refreshed = await admin.auth.refreshSession()
out.refreshed = { rotated: refreshed.data.session?.refresh_token !== first, error: refreshed.error }
const role = await admin.from('user_roles').select('role').eq('user_id', signedIn.data.user.id).eq('role', 'admin').single()
out.role = role.data

const slug = `by-the-official-client-${Date.now()}`
const post = { title: 'By the official client', slug, content: '<p onclick="x()">Hello<script>alert(1)</script></p>', tags: ['Test'] }
const inserted = await admin.from('blog_posts').insert(post).select().single()
out.inserted = { status: inserted.status, content: inserted.data?.content, published: inserted.data?.published, error: inserted.error }
const hidden = await anon.from('blog_posts').select('id', { count: 'exact', head: true }).eq('slug', slug)
out.hidden = hidden.count
const published = { published: true, published_at: new Date().toISOString() }
const updated = await admin.from('blog_posts').update(published).eq('id', inserted.data.id).select('published')
out.updated = updated.data
const shown = await anon.from('blog_posts').select('slug').eq('slug', slug).eq('published', true).single()
out.shown = shown.data?.slug === slug
const untouched = await anon.from('blog_posts').delete().eq('id', inserted.data.id)
out.untouched = { code: untouched.error?.code, status: untouched.status }
const deleted = await admin.from('blog_posts').delete().eq('id', inserted.data.id)
out.deleted = deleted.status
const gone = await admin.from('blog_posts').select('id').eq('id', inserted.data.id)
out.gone = gone.data

const body = { firstName: 'Ada', lastName: 'Harbor', email: `ada-${process.hrtime.bigint()}@example.com`, honeypot: '' }
const invoked = await anon.functions.invoke('submit-newsletter', { body })
out.invoked = { data: invoked.data, error: invoked.error }
out.subscriber = body.email
const refused = await anon.functions.invoke('submit-newsletter', { body: { ...body, email: 'no address' } })
out.refused = { name: refused.error?.name, ok: (await refused.error?.context.json())?.ok }
const absent = await anon.functions.invoke('no-such-function', { body: {} })
out.absent = { name: absent.error?.name, status: absent.error?.context.status }

const ended = await admin.auth.signOut()
out.ended = { error: ended.error, session: (await admin.auth.getSession()).data.session }
console.log(JSON.stringify(out))
