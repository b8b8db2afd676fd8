import { contract } from '../lib/api'

export interface Bucket {
  id: string
  name: string
  public: boolean
  file_size_limit?: number | null
  allowed_mime_types?: string[] | null
  created_at?: string
}

export interface Entry {
  name: string
  /** Folders have none. */
  id: string | null
  updated_at?: string | null
  metadata?: { size?: number; mimetype?: string } | null
}

/** What keeps a folder that has no file yet, as hosted projects do. */
export const PLACEHOLDER = '.emptyFolderPlaceholder'

/** A path of an object, each part escaped for an address. */
export function escaped(path: string): string {
  return path.split('/').map(encodeURIComponent).join('/')
}

export const storage = {
  buckets: (signal?: AbortSignal) => contract<Bucket[]>('storage/v1/bucket', { signal }),
  list: (bucket: string, prefix: string, search: string, offset: number, signal?: AbortSignal) =>
    contract<Entry[]>(`storage/v1/object/list/${encodeURIComponent(bucket)}`, { method: 'POST', signal, body: { prefix, search: search || undefined, limit: 200, offset, sortBy: { column: 'name', order: 'asc' } } }),
  create: (bucket: Partial<Bucket>) => contract('storage/v1/bucket', { method: 'POST', body: bucket }),
  change: (id: string, bucket: Partial<Bucket>) => contract(`storage/v1/bucket/${encodeURIComponent(id)}`, { method: 'PUT', body: bucket }),
  empty: (id: string) => contract(`storage/v1/bucket/${encodeURIComponent(id)}/empty`, { method: 'POST', body: {} }),
  drop: (id: string) => contract(`storage/v1/bucket/${encodeURIComponent(id)}`, { method: 'DELETE', body: {} }),
  remove: (bucket: string, prefixes: string[]) => contract(`storage/v1/object/${encodeURIComponent(bucket)}`, { method: 'DELETE', body: { prefixes } }),
  move: (bucket: string, from: string, to: string) => contract('storage/v1/object/move', { method: 'POST', body: { bucketId: bucket, sourceKey: from, destinationKey: to } }),
  makeFolder: (bucket: string, path: string) => contract(`storage/v1/object/${encodeURIComponent(bucket)}/${escaped(`${path}/${PLACEHOLDER}`)}`, { method: 'POST', body: new Blob([]), headers: { 'content-type': 'application/octet-stream' } }),
  sign: (bucket: string, path: string, seconds: number) => contract<{ signedURL: string }>(`storage/v1/object/sign/${encodeURIComponent(bucket)}/${escaped(path)}`, { method: 'POST', body: { expiresIn: seconds } }),
  readPath: (bucket: string, path: string) => `storage/v1/object/authenticated/${encodeURIComponent(bucket)}/${escaped(path)}`,
}

const PAGE = 200

/** Paths of all files under a folder, folders in it included. */
export async function filesUnder(bucket: string, folder: string, signal?: AbortSignal): Promise<string[]> {
  const found: string[] = []
  for (let offset = 0; ; offset += PAGE) {
    // One page after the other, and one folder after the other: the server has other things to do.
    // oxlint-disable-next-line no-await-in-loop
    const page = await storage.list(bucket, folder, '', offset, signal)
    for (const entry of page) {
      const path = `${folder}/${entry.name}`
      if (entry.id !== null) found.push(path)
      // oxlint-disable-next-line no-await-in-loop
      else found.push(...(await filesUnder(bucket, path, signal)))
    }
    if (page.length < PAGE) return found
  }
}
