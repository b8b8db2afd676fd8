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
  sign: (bucket: string, path: string, seconds: number) => contract<{ signedURL: string }>(`storage/v1/object/sign/${encodeURIComponent(bucket)}/${escaped(path)}`, { method: 'POST', body: { expiresIn: seconds } }),
  readPath: (bucket: string, path: string) => `storage/v1/object/authenticated/${encodeURIComponent(bucket)}/${escaped(path)}`,
}
