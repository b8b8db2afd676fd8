/** What `client.storage` can be asked, with the names and results of the official client. */

/** `status` is that of the answer, `statusCode` the one that its body names; both are missing where there was no answer. */
export interface StorageError extends Error {
  status?: number | undefined
  statusCode?: string | undefined
}

export type StorageResult<T> = Promise<{ data: T; error: null } | { data: null; error: StorageError }>

export type FileBody = Blob | ArrayBuffer | ArrayBufferView<ArrayBuffer> | FormData | ReadableStream<Uint8Array> | URLSearchParams | string

export interface FileOptions {
  /** Seconds that a browser or CDN may keep the object. Default 3600. */
  cacheControl?: string
  /** Of what is neither a form nor a blob with a type of its own. */
  contentType?: string
  /** Take the place of an object of that name. */
  upsert?: boolean
  /** For a body that is a stream. */
  duplex?: string
  /** Words of your own, kept with the object. */
  metadata?: Record<string, any>
  headers?: Record<string, string>
}

export interface SearchOptions {
  limit?: number
  offset?: number
  sortBy?: { column?: string; order?: string }
  search?: string
}

export interface SearchV2Options {
  limit?: number
  prefix?: string
  cursor?: string
  with_delimiter?: boolean
  sortBy?: { column: 'name' | 'updated_at' | 'created_at'; order?: 'asc' | 'desc' }
}

export interface FileMetadata {
  eTag: string
  size: number
  mimetype: string
  cacheControl: string
  lastModified: string
  contentLength: number
  httpStatusCode: number
  [key: string]: any
}

/** A folder has nothing but its name. */
export interface FileObject {
  name: string
  id: string | null
  updated_at: string | null
  created_at: string | null
  last_accessed_at: string | null
  metadata: FileMetadata | null
  bucket_id?: string
  owner?: string
}

export interface SearchV2Result {
  hasNext: boolean
  folders: { name: string; key?: string }[]
  objects: {
    name: string
    key?: string
    id: string
    updated_at: string
    created_at: string
    metadata: FileMetadata | null
    last_accessed_at: string
  }[]
  nextCursor?: string
}

export interface FileInfo {
  id: string
  version: string
  name: string
  bucketId: string
  createdAt: string
  size?: number
  cacheControl?: string
  contentType?: string
  etag?: string
  lastModified?: string
  metadata?: FileMetadata
  updatedAt?: string
}

export interface TransformOptions {
  width?: number
  height?: number
  resize?: 'cover' | 'contain' | 'fill'
  quality?: number
  format?: 'origin'
}

export interface UrlOptions {
  /** Have it saved, under this name if it is one. */
  download?: string | boolean
  transform?: TransformOptions
  /** Another word, another address: for caches. */
  cacheNonce?: string
}

export interface FetchParameters {
  signal?: AbortSignal
  cache?: 'default' | 'no-store' | 'reload' | 'no-cache' | 'force-cache' | 'only-if-cached'
}

export interface DestinationOptions {
  destinationBucket?: string
}

/** A bucket's objects. */
export interface StorageFileApi {
  /** The address of an object of a public bucket; nothing is asked. */
  getPublicUrl(path: string, options?: UrlOptions): { data: { publicUrl: string } }
  upload(path: string, body: FileBody, options?: FileOptions): StorageResult<{ id: string; path: string; fullPath: string }>
  update(path: string, body: FileBody, options?: FileOptions): StorageResult<{ id: string; path: string; fullPath: string }>
  uploadToSignedUrl(path: string, token: string, body: FileBody, options?: FileOptions): StorageResult<{ path: string; fullPath: string }>
  createSignedUploadUrl(path: string, options?: { upsert: boolean }): StorageResult<{ signedUrl: string; token: string; path: string }>
  createSignedUrl(path: string, expiresIn: number, options?: UrlOptions): StorageResult<{ signedUrl: string }>
  createSignedUrls(
    paths: string[],
    expiresIn: number,
    options?: Omit<UrlOptions, 'transform'>,
  ): StorageResult<{ error: string | null; path: string | null; signedUrl: string | null }[]>
  download(path: string, options?: Omit<UrlOptions, 'download'>, parameters?: FetchParameters): StorageResult<Blob>
  info(path: string): StorageResult<FileInfo>
  exists(path: string): Promise<{ data: boolean; error: StorageError | null }>
  list(path?: string, options?: SearchOptions | null, parameters?: FetchParameters): StorageResult<FileObject[]>
  listV2(options?: SearchV2Options, parameters?: FetchParameters): StorageResult<SearchV2Result>
  remove(paths: string[]): StorageResult<FileObject[]>
  move(fromPath: string, toPath: string, options?: DestinationOptions): StorageResult<{ message: string }>
  copy(fromPath: string, toPath: string, options?: DestinationOptions): StorageResult<{ path: string }>
}

export interface Bucket {
  id: string
  name: string
  owner: string
  type?: string
  file_size_limit?: number
  allowed_mime_types?: string[]
  created_at: string
  updated_at: string
  public: boolean
}

export interface BucketOptions {
  public: boolean
  fileSizeLimit?: number | string | null
  allowedMimeTypes?: string[] | null
}

/** The project's buckets. Calls before the code has come are done once it has. */
export interface StorageClient {
  from(id: string): StorageFileApi
  listBuckets(options?: {
    limit?: number
    offset?: number
    sortColumn?: 'id' | 'name' | 'created_at' | 'updated_at'
    sortOrder?: 'asc' | 'desc'
    search?: string
  }): StorageResult<Bucket[]>
  getBucket(id: string): StorageResult<Bucket>
  createBucket(id: string, options?: BucketOptions & { type?: string }): StorageResult<Pick<Bucket, 'name'>>
  updateBucket(id: string, options: BucketOptions): StorageResult<{ message: string }>
  emptyBucket(id: string): StorageResult<{ message: string }>
  deleteBucket(id: string): StorageResult<{ message: string }>
}
