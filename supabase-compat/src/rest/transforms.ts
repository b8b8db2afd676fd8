/** What changes the shape of an answer: order, window, cardinality and media type. */

import type { ClientServerOptions, GenericSchema } from '../types.js'
import { PostgrestBuilder } from './builder.js'
import type { PostgrestFilterBuilder } from './filters.js'
import type { GetResult } from './select.js'
import type { Replaced } from './types.js'

export type InvalidMethodError<Message extends string> = { Error: Message }

type MaxAffected<Self, Method, Version> = Version extends `13${string}` | `14${string}`
  ? Method extends 'PATCH' | 'DELETE' | 'RPC'
    ? Self
    : InvalidMethodError<'maxAffected method only available on update or delete'>
  : InvalidMethodError<'maxAffected method only available on postgrest 13+'>

type One<Result> = Result extends (infer Item)[] ? Item : never

/** Which table an option is about when the query embeds others; `foreignTable` is the older name. */
type OnTable = { referencedTable?: string; foreignTable?: string }

/** Drops the line breaks and blanks that make a long list readable; those inside quotes are part of a name. */
export function compactColumns(columns: string): string {
  return columns.replace(/"[^"]*"?|\s+/g, (part) => (part[0] === '"' ? part : ''))
}

export class PostgrestTransformBuilder<
  ClientOptions extends ClientServerOptions,
  Schema extends GenericSchema,
  Row extends Record<string, unknown>,
  Result,
  RelationName = unknown,
  Relationships = unknown,
  Method = unknown,
  ThrowOnError extends boolean = false,
> extends PostgrestBuilder<ClientOptions, Result, ThrowOnError> {
  override throwOnError(): PostgrestTransformBuilder<
    ClientOptions,
    Schema,
    Row,
    Result,
    RelationName,
    Relationships,
    Method,
    true
  > {
    return super.throwOnError() as any
  }

  /** Asks a write to answer with the rows it touched. */
  select<
    Query extends string = '*',
    NewResultOne = GetResult<Schema, Row, RelationName, Relationships, Query, ClientOptions>,
  >(
    columns?: Query,
  ): PostgrestFilterBuilder<
    ClientOptions,
    Schema,
    Row,
    Method extends 'RPC' ? (Result extends unknown[] ? NewResultOne[] : NewResultOne) : NewResultOne[],
    RelationName,
    Relationships,
    Method,
    ThrowOnError
  > {
    this.#set('select', compactColumns(columns ?? '*'))
    return this.#prefer('return=representation') as any
  }

  /** Adds a sort key; later calls break the ties of earlier ones. */
  order<ColumnName extends string & keyof Row>(
    column: ColumnName,
    options?: { ascending?: boolean; nullsFirst?: boolean; referencedTable?: undefined },
  ): this
  order(column: string, options?: { ascending?: boolean; nullsFirst?: boolean } & OnTable): this
  order(
    column: string,
    { ascending = true, nullsFirst, foreignTable, referencedTable = foreignTable }: { ascending?: boolean; nullsFirst?: boolean } & OnTable = {},
  ): this {
    const key = referencedTable ? `${referencedTable}.order` : 'order'
    const before = this.request.url.searchParams.get(key)
    const nulls = nullsFirst === undefined ? '' : nullsFirst ? '.nullsfirst' : '.nullslast'
    return this.#set(key, `${before ? `${before},` : ''}${column}.${ascending ? 'asc' : 'desc'}${nulls}`)
  }

  limit(rows: number, { foreignTable, referencedTable = foreignTable }: OnTable = {}): this {
    return this.#set('limit', rows, referencedTable)
  }

  /** Rows `from` to `to`, both counted from 0 and both included. */
  range(from: number, to: number, { foreignTable, referencedTable = foreignTable }: OnTable = {}): this {
    return this.#set('offset', from, referencedTable).#set('limit', to - from + 1, referencedTable)
  }

  abortSignal(signal: AbortSignal): this {
    this.signal = signal
    return this
  }

  /** Exactly one row, as an object; the server refuses any other number (PGRST116). */
  single<ResultOne = One<Result>>(): PostgrestBuilder<ClientOptions, ResultOne, ThrowOnError> {
    return this.#accept('application/vnd.pgrst.object+json') as any
  }

  /** One row or null. The list is counted here, since the server's own check would refuse none. */
  maybeSingle<ResultOne = One<Result>>(): PostgrestBuilder<ClientOptions, ResultOne | null, ThrowOnError> {
    this.isMaybeSingle = true
    return this as any
  }

  csv(): PostgrestBuilder<ClientOptions, string, ThrowOnError> {
    return this.#accept('text/csv') as any
  }

  geojson(): PostgrestBuilder<ClientOptions, Record<string, unknown>, ThrowOnError> {
    return this.#accept('application/geo+json') as any
  }

  /** The plan of the query instead of its rows, where the server allows it. */
  explain<Format extends 'json' | 'text' = 'text'>({
    format,
    ...flags
  }: {
    analyze?: boolean
    verbose?: boolean
    settings?: boolean
    buffers?: boolean
    wal?: boolean
    format?: Format
  } = {}): PostgrestBuilder<ClientOptions, Format extends 'json' ? Record<string, unknown>[] : string, ThrowOnError> {
    const options = (['analyze', 'verbose', 'settings', 'buffers', 'wal'] as const).filter((flag) => flags[flag]).join('|')
    const inner = this.request.headers.get('Accept') ?? 'application/json'
    return this.#accept(`application/vnd.pgrst.plan+${format ?? 'text'}; for="${inner}"; options=${options};`) as any
  }

  /** Runs the request and undoes it; the answer is what would have been. */
  rollback(): this {
    return this.#prefer('tx=rollback')
  }

  override returns<NewResult>(): PostgrestTransformBuilder<
    ClientOptions,
    Schema,
    Row,
    Replaced<Result, NewResult>,
    RelationName,
    Relationships,
    Method,
    ThrowOnError
  > {
    return this as any
  }

  /** Refuses, and undoes, a write that touches more than `rows` rows. */
  maxAffected(rows: number): MaxAffected<this, Method, ClientOptions['PostgrestVersion']> {
    return this.#prefer('handling=strict').#prefer(`max-affected=${rows}`) as any
  }

  #set(name: string, value: string | number, table?: string): this {
    this.request.url.searchParams.set(table === undefined ? name : `${table}.${name}`, `${value}`)
    return this
  }

  #prefer(value: string): this {
    this.request.headers.append('Prefer', value)
    return this
  }

  #accept(type: string): this {
    this.request.headers.set('Accept', type)
    return this
  }
}
