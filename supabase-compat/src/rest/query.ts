/** What to do with a table: read, insert, upsert, update or delete. Each call starts a fresh request. */

import type { ClientServerOptions, GenericSchema, GenericTable, GenericView } from '../types.js'
import type { RestMethod, RestRequest } from './builder.js'
import { PostgrestFilterBuilder } from './filters.js'
import type { GetResult } from './select.js'
import { compactColumns } from './transforms.js'
import type { CountAlgorithm, RejectExcessProperties } from './types.js'

type InsertOf<Relation> = Relation extends { Insert: infer Insert } ? Insert : never
type UpdateOf<Relation> = Relation extends { Update: infer Update } ? Update : never

/** Names every column that any row has, so that all rows are read alike. */
function columnsOf(rows: object[]): string {
  return [...new Set(rows.flatMap((row) => Object.keys(row)))].map((column) => `"${column}"`).join(',')
}

export class PostgrestQueryBuilder<
  ClientOptions extends ClientServerOptions,
  Schema extends GenericSchema,
  Relation extends GenericTable | GenericView,
  RelationName = unknown,
  Relationships = Relation extends { Relationships: infer R } ? R : unknown,
> {
  declare protected readonly types: [ClientOptions, Schema, Relation, RelationName, Relationships]

  readonly #base: RestRequest

  constructor(base: RestRequest) {
    this.#base = base
  }

  /**
   * Reads rows. `columns` is the select grammar: names, aliases, casts, JSON paths, embedded tables.
   * `count` fills in the result's `count`; `head` asks for it without the rows.
   */
  select<
    Query extends string = '*',
    ResultOne = GetResult<Schema, Relation['Row'], RelationName, Relationships, Query, ClientOptions>,
  >(
    columns?: Query,
    { head = false, count }: { head?: boolean; count?: CountAlgorithm } = {},
  ): PostgrestFilterBuilder<ClientOptions, Schema, Relation['Row'], ResultOne[], RelationName, Relationships, 'GET'> {
    return this.#request(head ? 'HEAD' : 'GET', undefined, [count && `count=${count}`], {
      select: compactColumns(columns ?? '*'),
    })
  }

  /** Adds rows. With `defaultToNull: false` a column missing from a row takes its default. */
  insert<Row extends InsertOf<Relation>>(
    values: RejectExcessProperties<InsertOf<Relation>, Row> | RejectExcessProperties<InsertOf<Relation>, Row>[],
    { count, defaultToNull = true }: { count?: CountAlgorithm; defaultToNull?: boolean } = {},
  ): PostgrestFilterBuilder<ClientOptions, Schema, Relation['Row'], null, RelationName, Relationships, 'POST'> {
    return this.#insert(values, [], count, defaultToNull)
  }

  /** Adds rows, or updates (or with `ignoreDuplicates` keeps) those whose key or `onConflict` columns exist. */
  upsert<Row extends InsertOf<Relation>>(
    values: RejectExcessProperties<InsertOf<Relation>, Row> | RejectExcessProperties<InsertOf<Relation>, Row>[],
    {
      onConflict,
      ignoreDuplicates = false,
      count,
      defaultToNull = true,
    }: { onConflict?: string; ignoreDuplicates?: boolean; count?: CountAlgorithm; defaultToNull?: boolean } = {},
  ): PostgrestFilterBuilder<ClientOptions, Schema, Relation['Row'], null, RelationName, Relationships, 'POST'> {
    const prefer = [`resolution=${ignoreDuplicates ? 'ignore' : 'merge'}-duplicates`]
    return this.#insert(values, prefer, count, defaultToNull, onConflict)
  }

  /** Changes the rows that the following filters choose. */
  update<Row extends UpdateOf<Relation>>(
    values: RejectExcessProperties<UpdateOf<Relation>, Row>,
    { count }: { count?: CountAlgorithm } = {},
  ): PostgrestFilterBuilder<ClientOptions, Schema, Relation['Row'], null, RelationName, Relationships, 'PATCH'> {
    return this.#request('PATCH', values, [count && `count=${count}`])
  }

  /** Removes the rows that the following filters choose. */
  delete({ count }: { count?: CountAlgorithm } = {}): PostgrestFilterBuilder<
    ClientOptions,
    Schema,
    Relation['Row'],
    null,
    RelationName,
    Relationships,
    'DELETE'
  > {
    return this.#request('DELETE', undefined, [count && `count=${count}`])
  }

  #insert(values: unknown, prefer: string[], count: string | undefined, defaultToNull: boolean, onConflict?: string): any {
    const columns = Array.isArray(values) && columnsOf(values)
    return this.#request('POST', values, [...prefer, count && `count=${count}`, !defaultToNull && 'missing=default'], {
      ...(onConflict !== undefined && { on_conflict: onConflict }),
      ...(columns && { columns }),
    })
  }

  #request(method: RestMethod, body: unknown, prefer: unknown[], params: Record<string, string> = {}): any {
    const url = new URL(this.#base.url)
    const headers = new Headers(this.#base.headers)
    for (const name in params) url.searchParams.set(name, params[name]!)
    for (const value of prefer) if (value) headers.append('Prefer', value as string)
    return new PostgrestFilterBuilder({ ...this.#base, method, url, headers, body })
  }
}
