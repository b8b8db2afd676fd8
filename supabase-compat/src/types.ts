/** Shapes shared by every part: the generated `Database` type, options and small helpers. */

import type { PostgrestError } from './errors.js'
import type { AuthOptions } from './auth/types.js'

export type Fetch = typeof fetch

export type GenericRelationship = {
  foreignKeyName: string
  columns: string[]
  isOneToOne?: boolean
  referencedRelation: string
  referencedColumns: string[]
}

export type GenericTable = {
  Row: Record<string, unknown>
  Insert: Record<string, unknown>
  Update: Record<string, unknown>
  Relationships: GenericRelationship[]
}

export type GenericUpdatableView = GenericTable

export type GenericNonUpdatableView = {
  Row: Record<string, unknown>
  Relationships: GenericRelationship[]
}

export type GenericView = GenericUpdatableView | GenericNonUpdatableView

/** Says that a function returns rows of a table (`to`), perhaps as a computed relationship of another (`from`). */
export type GenericSetofOption = {
  isSetofReturn?: boolean | undefined
  isOneToOne?: boolean | undefined
  isNotNullable?: boolean | undefined
  to: string
  from: string
}

export type GenericFunction = {
  Args: Record<string, unknown> | never
  Returns: unknown
  SetofOptions?: GenericSetofOption
}

export type GenericSchema = {
  Tables: Record<string, GenericTable>
  Views: Record<string, GenericView>
  Functions: Record<string, GenericFunction>
}

/** Facts about the server that change what a call may do; written by the type generator. */
export type ClientServerOptions = {
  PostgrestVersion?: string
}

export type DatabaseWithoutInternals<DB> = Omit<DB, '__InternalSupabase'>

/** The schema used when none is named: `public`, or whichever there is. */
export type DefaultSchemaName<Database> = 'public' extends keyof DatabaseWithoutInternals<Database>
  ? 'public'
  : string & keyof DatabaseWithoutInternals<Database>

export type SupabaseClientOptions<SchemaName> = {
  db?: {
    /** Schema of `from` and `rpc`; sent as a profile header. Default `public`. */
    schema?: SchemaName
    /** Milliseconds after which a table request is aborted. Default: none. */
    timeout?: number
  }
  auth?: AuthOptions
  global?: {
    fetch?: Fetch
    headers?: Record<string, string>
  }
  /** Supplies tokens of another identity provider; `client.auth` then refuses every use. */
  accessToken?: () => Promise<string | null>
}

/** What awaiting a call gives. */
export type QueryResult<T> = T extends PromiseLike<infer U> ? U : never
/** The `data` of a call that succeeded. */
export type QueryData<T> = T extends PromiseLike<{ data: infer U }> ? Exclude<U, null> : never
export type QueryError = PostgrestError

export type IsAny<T> = 0 extends 1 & T ? true : false
export type Prettify<T> = { [K in keyof T]: T[K] } & {}
