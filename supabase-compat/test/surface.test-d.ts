/**
 * The types of calls, written once and checked twice: `tsc` reads `the-client` as this package, and
 * `tsc -p tsconfig.official.json` as the official one. Nothing here runs.
 */

import {
  type AuthChangeEvent,
  AuthError,
  createClient,
  FunctionsHttpError,
  isAuthApiError,
  type PostgrestError,
  type QueryData,
  type Session,
  type SupabaseClient,
  type User,
} from 'the-client'
import type { Database, Json } from './database.types.js'

type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false

/** Fails to compile, showing both types, unless the value's type is exactly the expected one. */
declare function is<Expected>(): <Actual>(
  value: Actual,
  ...difference: Same<Actual, Expected> extends true ? [] : [{ expected: Expected; actual: Actual }]
) => void

/** The rows of a call that succeeded. */
declare function rows<Query extends PromiseLike<{ data: unknown }>>(query: Query): QueryData<Query>

type Tables = Database['public']['Tables']
type Post = Tables['blog_posts']['Row']
type Book = Tables['books']['Row']

const db = createClient<Database>('https://example.test', 'key')

export async function theSitesCalls(slug: string, id: string): Promise<unknown> {
  const list = await db
    .from('blog_posts')
    .select('id, title, slug, excerpt, featured_image_url, author_name, published_at, tags, reading_time_minutes', { count: 'exact' })
    .eq('published', true)
    .or('title.ilike.%a%,excerpt.ilike.%a%')
    .contains('tags', ['osha'])
    .order('published_at', { ascending: false })
    .range(0, 9)
  if (list.error) {
    is<PostgrestError>()(list.error)
    is<null>()(list.data)
    return list.error.code
  }
  is<
    {
      id: string
      title: string
      slug: string
      excerpt: string | null
      featured_image_url: string | null
      author_name: string | null
      published_at: string | null
      tags: string[]
      reading_time_minutes: number
    }[]
  >()(list.data)
  is<number | null>()(list.count)

  const { data: tags } = await db.from('blog_posts').select('tags').eq('published', true)
  is<{ tags: string[] }[] | null>()(tags)
  const { data: article } = await db.from('blog_posts').select('*').eq('slug', slug).eq('published', true).single()
  is<Post | null>()(article)
  const { data: maybe } = await db.from('blog_posts').select('id').eq('slug', slug).maybeSingle()
  is<{ id: string } | null>()(maybe)
  const { data: role } = await db.from('user_roles').select('role').eq('user_id', id).eq('role', 'admin').single()
  is<{ role: string } | null>()(role)

  const written = await db.from('blog_posts').insert({ title: 'a', slug, content: '' })
  is<null>()(written.data)
  is<Post[]>()(rows(db.from('blog_posts').insert([{ title: 'a', slug, content: '' }]).select()))
  await db.from('blog_posts').update({ published: true, published_at: new Date().toISOString() }).eq('id', id)
  await db.from('blog_posts').delete().eq('id', id)

  const { data: answer, error } = await db.functions.invoke<{ ok: boolean; error?: string }>('submit-contact', {
    body: { name: 'Ada' },
    headers: { 'idempotency-key': 'x' },
  })
  is<{ ok: boolean; error?: string } | null>()(answer)
  if (error instanceof FunctionsHttpError) return error.context.json()

  const { data: signedIn, error: refusal } = await db.auth.signInWithPassword({ email: 'a', password: 'b' })
  if (refusal) {
    is<string>()(refusal.message)
    return refusal instanceof AuthError && isAuthApiError(refusal) && refusal.status
  }
  is<User>()(signedIn.user)
  is<Session>()(signedIn.session)
  const { data: current } = await db.auth.getSession()
  is<Session | null>()(current.session)
  const { data: watch } = db.auth.onAuthStateChange((event, session) => {
    is<AuthChangeEvent>()(event)
    is<Session | null>()(session)
  })
  watch.subscription.unsubscribe()
  const { error: stayed } = await db.auth.signOut({ scope: 'local' })
  is<AuthError | null>()(stayed)
  return null
}

export function columns(): void {
  is<Book[]>()(rows(db.from('books').select()))
  is<{ id: number; name: string }[]>()(rows(db.from('books').select('id, name:title')))
  is<{ id: number; title: string; price: number | null }[]>()(
    rows(
      db.from('books').select(`
        id,
        title,
        price
      `),
    ),
  )
  is<{ id: string; price: string }[]>()(rows(db.from('books').select('id::text, price::text')))
  is<{ cost: string }[]>()(rows(db.from('books').select('cost:price::text')))
  is<{ kind: string }[]>()(rows(db.from('books').select('facts->>kind')))
  is<{ sort: string; inner: Json }[]>()(rows(db.from('books').select('sort:facts->>kind, facts->inner')))
  is<{ city: string }[]>()(rows(db.from('authors').select('profile->city')))
  is<{ count: number }[]>()(rows(db.from('books').select('count()')))
  is<{ sum: number; best: number; author_id: number }[]>()(rows(db.from('books').select('price.sum(), best:price.max(), author_id')))
  is<{ avg: string }[]>()(rows(db.from('books').select('price.avg()::text')))
  is<{ id: string | null }[]>()(rows(db.from('published_posts').select('id')))
}

export function embeds(): void {
  // Many to one: required, optional, made sure of.
  is<{ title: string; authors: { name: string } }[]>()(rows(db.from('books').select('title, authors!books_author_id_fkey(name)')))
  is<{ group: { name: string } | null }[]>()(rows(db.from('books').select('group:series_id(name)')))
  is<{ group: { name: string } | null }[]>()(rows(db.from('books').select('group:books_series_id_fkey(name)')))
  is<{ editor: { name: string } | null }[]>()(rows(db.from('books').select('editor:authors!editor_id(name)')))
  is<{ editor: { name: string } }[]>()(rows(db.from('books').select('editor:authors!editor_id!inner(name)')))
  is<{ series: { name: string } | null }[]>()(rows(db.from('books').select('series(name)')))
  is<{ series: { name: string } }[]>()(rows(db.from('books').select('series!inner(name)')))
  is<{ series: { name: string } | null }[]>()(rows(db.from('books').select('series!left(name)')))
  // One to many, and one to one.
  is<{ name: string; books: { title: string }[] }[]>()(rows(db.from('series').select('name, books(title)')))
  is<{ name: string; books: { title: string }[] }[]>()(rows(db.from('authors').select('name, books!books_editor_id_fkey(title)')))
  is<{ name: string; passports: { number: string } | null }[]>()(rows(db.from('authors').select('name, passports(number)')))
  is<{ passports: { number: string } }[]>()(rows(db.from('authors').select('passports!inner(number)')))
  is<{ number: string; authors: { name: string } }[]>()(rows(db.from('passports').select('number, authors(name)')))
  // Many to many, through a table between.
  is<{ title: string; tags: { label: string }[] }[]>()(rows(db.from('books').select('title, tags(label)')))
  is<{ label: string; books: { title: string; series: { name: string } | null }[] }[]>()(
    rows(db.from('tags').select('label, books(title, series(name))')),
  )
  // A table that refers to itself: the parent by column, the children by name.
  is<{ name: string; parent: { name: string } | null }[]>()(rows(db.from('series').select('name, parent:parent_id(name)')))
  is<{ name: string; series: { name: string }[] }[]>()(rows(db.from('series').select('name, series(name)')))
  // Counts and spreads.
  is<{ name: string; books: { count: number }[] }[]>()(rows(db.from('series').select('name, books(count)')))
  is<{ title: string; name: string | null }[]>()(rows(db.from('books').select('title, ...series(name)')))
  is<{ number: string; name: string }[]>()(rows(db.from('passports').select('number, ...authors(name)')))
  is<{ name: string; title: string[] }[]>()(rows(db.from('series').select('name, ...books(title)')))
  // Whole rows within rows.
  is<{ number: string; authors: Tables['authors']['Row'] }[]>()(rows(db.from('passports').select('number, authors(*)')))
  is<(Tables['passports']['Row'] & { authors: { id: number } })['authors'][]>()(
    rows(db.from('passports').select('*, authors(id)')).map(({ authors }) => authors),
  )
}

export function mistakes(): void {
  const wrong = rows(db.from('books').select('id, nope'))
  is<true>()(wrong[0]!.error)
  const stranger = rows(db.from('books').select('id, passports(number)'))
  is<true>()(stranger[0]!.passports.error)
  const unclear = rows(db.from('books').select('authors(name)'))
  is<true>()(unclear[0]!.authors.error)
  // @ts-expect-error no such table
  db.from('nope')
  // @ts-expect-error no such column
  db.from('books').select().eq('nope', 1)
  // @ts-expect-error a number is compared with a number
  db.from('books').select().eq('id', 'one')
  // @ts-expect-error null is found with `is`
  db.from('books').select().eq('price', null)
  // @ts-expect-error a list of numbers
  db.from('books').select().in('id', ['one'])
  // @ts-expect-error the title is needed
  db.from('books').insert({ author_id: 1 })
  // @ts-expect-error no such column
  db.from('books').insert({ title: 'a', author_id: 1, nope: 1 })
  // @ts-expect-error no such column
  db.from('books').update({ nope: 1 })
  // @ts-expect-error a view of which nothing can be written
  db.from('published_posts').insert({ id: 'a' })
  // @ts-expect-error no such schema
  db.schema('nope')
  // @ts-expect-error no such function
  db.rpc('nope')
}

export function shapes(): void {
  is<string>()(rows(db.from('books').select().csv()))
  is<Record<string, unknown>>()(rows(db.from('books').select().geojson()))
  is<Book>()(rows(db.from('books').select().limit(1).single()))
  is<{ body: string }[]>()(rows(db.schema('archive').from('letters').select('body')))
  is<{ id: number; kind: 'novel' }[]>()(rows(db.from('books').select('id').overrideTypes<{ kind: 'novel' }[]>()))
  is<{ kind: 'novel' }[]>()(rows(db.from('books').select('id').overrideTypes<{ kind: 'novel' }[], { merge: false }>()))
  is<{ kind: 'novel' }[]>()(rows(db.from('books').select('id').returns<{ kind: 'novel' }[]>()))
  is<{ id: number; facts: { pages: number } }>()(
    rows(db.from('books').select('id, facts').single().overrideTypes<{ facts: { pages: number } }>()),
  )
  const maximum = db.from('tags').update({ label: 'a' }).eq('id', 1).maxAffected(1)
  is<null>()(null as unknown as Awaited<typeof maximum>['data'])
}

export async function narrowed(): Promise<void> {
  const { data } = await db.from('books').select('id, price').not('price', 'is', null)
  is<{ id: number; price: number }[] | null>()(data)
}

export async function thrown(): Promise<void> {
  const { data } = await db.from('books').select('id').throwOnError()
  is<{ id: number }[]>()(data)
  const { data: one } = await db.from('books').select('id').eq('id', 1).throwOnError().single()
  is<{ id: number }>()(one)
}

export function procedures(): void {
  is<number>()(rows(db.rpc('add', { a: 1, b: 2 })))
  is<number>()(rows(db.rpc('book_count')))
  is<Book[]>()(rows(db.rpc('cheap_books', { below: 3 })))
  is<{ id: number; series: { name: string } | null }[]>()(rows(db.rpc('cheap_books', { below: 3 }).select('id, series(name)')))
  is<{ day: string; visits: number }[]>()(rows(db.rpc('statistics', { since: 'x' }, { get: true })))
  is<{ day: string }[]>()(rows(db.rpc('statistics', { since: 'x' }).select('day').order('day')))
  // @ts-expect-error both arguments are needed
  db.rpc('add', { a: 1 })
}

export async function accounts(client: SupabaseClient<Database>): Promise<unknown> {
  const { data: user } = await client.auth.getUser()
  is<User | null>()(user.user)
  const { data: up } = await client.auth.signUp({ email: 'a', password: 'b', options: { data: { a: 1 } } })
  is<Session | null>()(up.session)
  const { data: changed } = await client.auth.updateUser({ password: 'x' })
  is<User | null>()(changed.user)
  await client.auth.resetPasswordForEmail('a', { redirectTo: 'b' })
  await client.auth.verifyOtp({ token_hash: 'a', type: 'recovery' })
  await client.auth.resend({ type: 'signup', email: 'a' })
  const { data: claims } = await client.auth.getClaims()
  is<string | undefined>()(claims?.claims.sub)
  const { data: linked } = await client.auth.linkIdentity({ provider: 'google', token: 'a' })
  is<User | null>()(linked.user)
  const { data: away } = await client.auth.linkIdentity({ provider: 'github' })
  is<string | null>()(away.url)
  const { data: factor } = await client.auth.mfa.enroll({ factorType: 'totp' })
  is<string | undefined>()(factor?.totp.secret)
  const { data: page } = await client.auth.admin.listUsers({ page: 1, perPage: 10 })
  is<User[] | []>()(page.users)
  const { data: made } = await client.auth.admin.createUser({ email: 'a', password: 'b', email_confirm: true })
  return made.user?.id
}

export async function pictures({ storage }: SupabaseClient<Database>): Promise<unknown> {
  const own = storage.from('pictures')
  is<string>()(own.getPublicUrl('a.png', { download: true, transform: { width: 10, resize: 'cover' } }).data.publicUrl)
  const { data: stored, error } = await own.upload('a.png', new Blob(['x']), { cacheControl: '60', upsert: true, metadata: { alt: 'x' } })
  is<string | undefined>()(stored?.path)
  is<string | undefined>()(error?.message)
  const { data: found } = await own.list('folder', { limit: 1, sortBy: { column: 'name' } })
  is<string | undefined>()(found?.[0]?.name)
  const { data: bytes } = await own.download('a.png')
  is<Blob | null>()(bytes)
  const { data: signed } = await own.createSignedUrls(['a'], 60)
  is<string | null | undefined>()(signed?.[0]?.signedUrl)
  const { data: there } = await own.exists('a.png')
  is<boolean>()(there)
  const { data: buckets } = await storage.listBuckets()
  is<boolean | undefined>()(buckets?.[0]?.public)
  await storage.createBucket('b', { public: true, fileSizeLimit: '1MB', allowedMimeTypes: ['image/*'] })
  return (await own.remove(['a.png'])).data?.length
}

export async function withoutTypes(): Promise<void> {
  const anything = createClient('https://example.test', 'key')
  const { data } = await anything.from('whatever').select('id, name, rows(a)').eq('x', 1).single()
  is<any>()(data?.id)
  is<any>()(rows(anything.from('whatever').select())[0])
  is<any>()(rows(anything.rpc('whatever', { a: 1 })))
}
