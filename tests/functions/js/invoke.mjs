/** The official client's functions, unmodified. Prints what each call gave as one JSON object by name. */
import { createRequire } from 'node:module'
import { pathToFileURL } from 'node:url'

const [, , url, key, packages] = process.argv
const require = createRequire(pathToFileURL(`${packages}/package.json`))
const { createClient } = require('@supabase/supabase-js')
// Node 20 has no WebSocket of its own, which the client's unused part asks for
const options = { auth: { persistSession: false }, realtime: { transport: class {} } }
const { functions } = createClient(url, key, options)

const bytes = new Uint8Array([0, 1, 254, 255])
const form = new FormData()
form.append('field', 'value')
form.append('file', new Blob(['content']), 'a.txt')

const kind = async ({ data, error, response }) => ({
  error: error?.name ?? null,
  status: response?.status ?? error?.context?.status ?? null,
  body: error?.context instanceof Response ? await error.context.json() : null,
  data: data instanceof Blob ? { blob: data.size, type: data.type } : data instanceof Response ? 'response' : data,
})
const seen = async (call) => {
  const { data, error } = await functions.invoke('echo', call)
  if (error) throw error
  return { type: data.headers['content-type'] ?? null, text: data.text, size: data.size, method: data.method, query: data.query, headers: data.headers }
}

const results = {
  object: await seen({ body: { a: [1, 'ü'] } }),
  text: await seen({ body: 'plain' }),
  blob: await seen({ body: new Blob([bytes]) }),
  buffer: await seen({ body: bytes.buffer }),
  form: await seen({ body: form }),
  number: await seen({ body: 7 }),
  nothing: await seen({}),
  typed: await seen({ body: '<a/>', headers: { 'Content-Type': 'application/xml' } }),
  header: await seen({ headers: { 'x-mine': '1' } }),
  region: await seen({ region: 'us-east-1' }),
  get: await seen({ method: 'GET' }),
  delete: await seen({ method: 'DELETE' }),
  raises: await kind(await functions.invoke('raises')),
  endless: await kind(await functions.invoke('endless')),
  missing: await kind(await functions.invoke('nope')),
  relay: await kind(await functions.invoke('guarded')),
  empty: await kind(await functions.invoke('nothing')),
  stream: await kind(await functions.invoke('streams')),
  download: await kind(await functions.invoke('swallows?size=1000')),
}

const own = createClient(url, key, options).functions
own.setAuth('a.b.c')
results.auth = (await own.invoke('echo')).data.headers.authorization

const controller = new AbortController()
const aborted = functions.invoke('slow', { signal: controller.signal })
controller.abort()
results.abort = (await aborted).error?.name
results.timeout = (await functions.invoke('slow', { timeout: 50 })).error?.name
const lost = createClient('http://127.0.0.1:9', key, options)
results.network = (await lost.functions.invoke('echo')).error?.name

console.log(JSON.stringify(results))
