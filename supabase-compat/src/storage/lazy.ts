/** Buckets and objects: only the addresses of public objects are made here, the rest comes with the first call. */

import { lazy } from '../lazy.js'
import type { Fetch } from '../types.js'
import type { StorageClient, StorageFileApi } from './types.js'

/** Where and how the storage API is asked. */
export interface StorageSettings {
  url: string
  headers: Record<string, string>
  fetch: Fetch
}

export const bucketPath = (bucket: string, path: string) => `${bucket}/${path.replace(/^\/+/, '')}`

/** `?` and what an address says beyond its path, or nothing. */
export function query({ download, transform, cacheNonce }: any = {}): string {
  const said = new URLSearchParams()
  const set = (name: string, value: any) => value && said.set(name, value === true ? '' : value)
  if (download) set('download', download)
  for (const name of ['width', 'height', 'resize', 'format', 'quality']) set(name, transform?.[name])
  if (cacheNonce != null) said.set('cacheNonce', cacheNonce)
  return `?${said}`.replace(/\?$/, '')
}

export function lazyStorage(settings: StorageSettings): StorageClient {
  /** A call that got no answer is what a module that cannot be fetched is. */
  const call = (bucket?: string) => (name: string, args: unknown[]) =>
    import('./on-demand.js').then(
      (part: any) => part.storage(settings, bucket)[name](...args),
      (cause) => ({ data: null, error: Object.assign(Error(cause), { name: 'StorageUnknownError' }) }),
    )
  return lazy<StorageClient>(
    {
      from: (bucket) =>
        lazy<StorageFileApi>(
          {
            getPublicUrl: (path, options) => ({
              data: {
                publicUrl:
                  encodeURI(`${settings.url}/${Object.keys(options?.transform ?? {})[0] ? 'render/image' : 'object'}/public/${bucketPath(bucket, path)}`) +
                  query(options),
              },
            }),
          },
          call(bucket),
        ),
    },
    call(),
  )
}
