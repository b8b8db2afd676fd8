/** Buckets and objects: fetched with the first call. Contract: docs/contract/storage.md of the gateway. */

import { type StorageSettings, bucketPath, query } from './lazy.js'
import type { BucketOptions, FileBody, FileOptions, StorageClient, StorageError, StorageFileApi, TransformOptions } from './types.js'

const textOf = (said: any): string =>
  [said?.msg, said?.message, said?.error_description, said?.error, said?.error?.message].find((text) => typeof text === 'string') ??
  JSON.stringify(said)

const failure = (name: string, message: string, more: object): StorageError =>
  Object.assign(new Error(message), { name, __isStorageError: true, namespace: 'storage', status: undefined, statusCode: undefined, ...more })

const unknown = (cause: unknown) => failure('StorageUnknownError', textOf(cause), { originalError: cause })

async function refused(response: Response): Promise<StorageError> {
  const { status } = response
  let message = response.statusText || `HTTP ${status} error`
  let statusCode = `${status}`
  try {
    const said = await response.json()
    message = textOf(said)
    statusCode = said?.statusCode || said?.code || statusCode
  } catch {
    // Something before the API has answered, with a page or with nothing.
  }
  return failure('StorageApiError', message, { status, statusCode })
}

const encoded = (metadata: Record<string, any>) => btoa(String.fromCharCode(...new TextEncoder().encode(JSON.stringify(metadata))))

/** A file as fetch takes it. */
function encode(body: FileBody, { cacheControl = '3600', contentType = 'text/plain;charset=UTF-8', metadata, duplex }: FileOptions) {
  if (body instanceof Blob || body instanceof FormData) {
    const form = body instanceof FormData ? body : new FormData()
    if (!form.has('cacheControl')) form.append('cacheControl', cacheControl)
    if (metadata && !form.has('metadata')) form.append('metadata', JSON.stringify(metadata))
    if (body instanceof Blob) form.append('', body)
    return { body: form, headers: {}, ...(duplex && { duplex }) }
  }
  const isStream = body instanceof ReadableStream || typeof (body as any)?.pipe === 'function'
  return {
    body,
    headers: {
      'cache-control': `max-age=${cacheControl}`,
      'content-type': contentType,
      ...(metadata && { 'x-metadata': encoded(metadata) }),
    },
    ...((duplex || isStream) && { duplex: duplex || 'half' }),
  }
}

/** Names in the form of JavaScript, all the way down. */
const camel = (value: any): any =>
  Array.isArray(value)
    ? value.map(camel)
    : value !== Object(value)
      ? value
      : Object.fromEntries(
          Object.entries(value).map(([name, field]) => [name.replace(/[-_][a-z]/gi, (found) => found[1]!.toUpperCase()), camel(field)]),
        )

const withoutEmptyFolders = (path: string) => path.replace(/^\/|\/$/g, '').replace(/\/+/g, '/')

/** The methods of a bucket, or of storage itself. */
export function storage({ url, headers, fetch }: StorageSettings, bucket = ''): Omit<StorageFileApi, 'getPublicUrl'> & Omit<StorageClient, 'from'> {
  async function ask<T = any>(method: string, path: string, init: Record<string, any> = {}, read = (response: Response): Promise<T> => response.json()) {
    try {
      const response = await fetch(`${url}/${path}`, { ...init, method, headers: { ...headers, ...init.headers } })
      if (!response.ok) return { data: null, error: await refused(response) }
      return { data: await read(response), error: null }
    } catch (cause) {
      return { data: null, error: unknown(cause) }
    }
  }

  const send = (method: string, path: string, body: unknown, more?: object, own?: Record<string, string>) =>
    ask(method, path, { headers: { 'Content-Type': 'application/json', ...own }, body: JSON.stringify(body), ...more })

  /** The result with another form of its data. */
  async function formed<T>(asked: ReturnType<typeof ask>, form: (data: any) => T) {
    const { data, error } = await asked
    return error ? { data: null, error } : { data: form(data), error: null }
  }

  function put(method: string, address: string, path: string, body: FileBody, options: FileOptions = {}, isNew = true) {
    const { headers: own, ...init } = encode(body, options)
    const all = { ...own, ...(isNew && { 'x-upsert': `${options.upsert ?? false}` }), ...lowered(options.headers) }
    return formed(ask(method, address, { ...init, headers: all }), (data) => ({ path, id: data.Id, fullPath: data.Key }))
  }

  const relocation = (sourceKey: string, destinationKey: string, options: { destinationBucket?: string } = {}) => ({
    bucketId: bucket,
    sourceKey,
    destinationKey,
    destinationBucket: options.destinationBucket,
  })

  const bucketBody = (id: string, { public: isPublic, fileSizeLimit, allowedMimeTypes, ...more }: BucketOptions & { type?: string }) => ({
    id,
    name: id,
    ...more,
    public: isPublic,
    file_size_limit: fileSizeLimit,
    allowed_mime_types: allowedMimeTypes,
  })

  const signed = (data: { signedURL: string }, options?: object) => encodeURI(url + data.signedURL + query(options).replace('?', '&'))

  return {
    upload: (path, body, options) => {
      const name = withoutEmptyFolders(path)
      return put('POST', `object/${bucketPath(bucket, name)}`, name, body, options)
    },
    update: (path, body, options) => {
      const name = withoutEmptyFolders(path)
      return put('PUT', `object/${bucketPath(bucket, name)}`, name, body, options, false)
    },
    uploadToSignedUrl: (path, token, body, options) => {
      const name = withoutEmptyFolders(path)
      const address = new URL(`${url}/object/upload/sign/${bucketPath(bucket, name)}`)
      address.searchParams.set('token', token)
      const sent = put('PUT', address.href.slice(url.length + 1), name, body, options)
      return formed(sent, ({ path: stored, fullPath }) => ({ path: stored, fullPath }))
    },
    createSignedUploadUrl: (path, options) =>
      formed(send('POST', `object/upload/sign/${bucketPath(bucket, path)}`, {}, {}, options?.upsert ? { 'x-upsert': 'true' } : {}), (data) => {
        const address = new URL(url + data.url)
        return { signedUrl: address.href, path, token: address.searchParams.get('token') ?? '' }
      }),
    createSignedUrl: (path, expiresIn, { transform, ...options } = {}) =>
      formed(send('POST', `object/sign/${bucketPath(bucket, path)}`, { expiresIn, ...(isAny(transform) && { transform }) }), (data) => ({
        signedUrl: signed(data, options),
      })),
    createSignedUrls: (paths, expiresIn, options) =>
      formed(send('POST', `object/sign/${bucket}`, { expiresIn, paths }), (all: any[]) =>
        all.map((data) => ({ ...data, signedUrl: data.signedURL ? signed(data, options) : null })),
      ),
    download: (path, options, parameters) =>
      ask('GET', `${isAny(options?.transform) ? 'render/image/authenticated' : 'object'}/${bucketPath(bucket, path)}${query(options)}`, parameters, (response) => response.blob()),
    info: (path) => formed(ask('GET', `object/info/${bucketPath(bucket, path)}`), camel),
    exists: async (path) => {
      const { error } = await ask('HEAD', `object/${bucketPath(bucket, path)}`, {}, async () => true)
      const status = error?.status
      if (error && status !== 400 && status !== 404) throw error
      return { data: !error, error }
    },
    list: (path = '', options, parameters) => {
      const byDefault = { column: 'name', order: 'asc' }
      return send('POST', `object/list/${bucket}`, { limit: 100, offset: 0, sortBy: byDefault, ...options, ...(options?.sortBy && { sortBy: { ...byDefault, ...options.sortBy } }), prefix: path }, parameters)
    },
    listV2: (options, parameters) => send('POST', `object/list-v2/${bucket}`, { ...options }, parameters),
    remove: (prefixes) => send('DELETE', `object/${bucket}`, { prefixes }),
    move: (from, to, options) => send('POST', 'object/move', relocation(from, to, options)),
    copy: (from, to, options) => formed(send('POST', 'object/copy', relocation(from, to, options)), (data) => ({ path: data.Key })),

    listBuckets: (options = {}) => {
      const asked = new URLSearchParams()
      for (const name of ['limit', 'offset', 'search', 'sortColumn', 'sortOrder'] as const)
        if (name in options && (options[name] || name === 'limit' || name === 'offset')) asked.set(name, `${options[name]}`)
      return ask('GET', `bucket${`?${asked}`.replace(/\?$/, '')}`)
    },
    getBucket: (id) => ask('GET', `bucket/${id}`),
    createBucket: (id, { type, ...options } = { public: false }) => {
      const { id: own, name, ...more } = bucketBody(id, options)
      return send('POST', 'bucket', { id: own, name, type, ...more })
    },
    updateBucket: (id, options) => send('PUT', `bucket/${id}`, bucketBody(id, options)),
    emptyBucket: (id) => send('POST', `bucket/${id}/empty`, {}),
    deleteBucket: (id) => send('DELETE', `bucket/${id}`, {}),
  }
}

const isAny = (transform: TransformOptions | undefined): boolean => Object.keys(transform ?? {}).length > 0

const lowered = (headers: Record<string, string> = {}) => Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))
