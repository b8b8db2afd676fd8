/** Conditions on rows: each method adds one `column=operator.value` to the URL. */

import type { ClientServerOptions, GenericSchema } from '../types.js'
import type { JsonPathValue } from './select.js'
import { PostgrestTransformBuilder } from './transforms.js'

type FilterOperator =
  | 'eq' | 'neq' | 'gt' | 'gte' | 'lt' | 'lte' | 'like' | 'ilike' | 'is' | 'isdistinct' | 'in'
  | 'cs' | 'cd' | 'sl' | 'sr' | 'nxl' | 'nxr' | 'adj' | 'ov'
  | 'fts' | 'plfts' | 'phfts' | 'wfts' | 'match' | 'imatch'

/** A column of the row, of an embedded table (`authors.name`) or inside a document (`data->>size`). */
type FilterColumn<Row, Column extends string> = Column extends keyof Row
  ? Column
  : Column extends `${string}.${string}` | `${string}->${string}`
    ? Column
    : string extends Column
      ? string
      : keyof Row

type EmbeddedValue<Schema extends GenericSchema, Table extends string, Column extends string> =
  Schema['Tables'] & Schema['Views'] extends infer Relations
    ? Table extends keyof Relations
      ? Relations[Table] extends { Row: infer Row }
        ? Column extends keyof Row
          ? Row[Column]
          : unknown
        : unknown
      : unknown
    : never

/** The type a column is compared with; `unknown` where the types cannot tell. */
type FilterValue<Schema extends GenericSchema, Row, Column extends string> = Column extends keyof Row
  ? Row[Column]
  : Column extends `${string}->>${string}`
    ? string
    : Column extends `${string}->${string}`
      ? JsonPathValue<Row, Column>
      : Column extends `${infer Table}.${infer Rest}`
        ? Rest extends `${string}.${string}`
          ? FilterValue<Schema, Row, Rest>
          : EmbeddedValue<Schema, Table, Rest>
        : unknown

/** Rows of a result once a column is known not to be null. */
type Filled<T, Column extends string> = T extends (infer Item)[]
  ? Filled<Item, Column>[]
  : Column extends keyof T
    ? { [K in keyof T]: K extends Column ? NonNullable<T[K]> : T[K] }
    : T

type ContainedValue<Item> = string | ReadonlyArray<Item> | Record<string, unknown>

/** Values that hold a comma or parenthesis are quoted, or they would end the list. */
const listed = (values: readonly unknown[]): string =>
  [...new Set(values)].map((value) => (typeof value === 'string' && /[,()]/.test(value) ? `"${value}"` : `${value}`)).join(',')

/** Arrays become Postgres arrays, other objects JSON; a string is a range or a literal already. */
function contained(value: string | readonly unknown[] | Record<string, unknown>): string {
  if (typeof value === 'string') return value
  return Array.isArray(value) ? `{${value.join(',')}}` : JSON.stringify(value)
}

export class PostgrestFilterBuilder<
  ClientOptions extends ClientServerOptions,
  Schema extends GenericSchema,
  Row extends Record<string, unknown>,
  Result,
  RelationName = unknown,
  Relationships = unknown,
  Method = unknown,
  ThrowOnError extends boolean = false,
> extends PostgrestTransformBuilder<ClientOptions, Schema, Row, Result, RelationName, Relationships, Method, ThrowOnError> {
  override throwOnError(): PostgrestFilterBuilder<
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

  /** Any operator by its wire name; the value is sent as it is. */
  filter<Column extends string & keyof Row>(column: Column, operator: `${'' | 'not.'}${FilterOperator}`, value: unknown): this
  filter(column: string, operator: string, value: unknown): this
  filter(column: string, operator: string, value: unknown): this {
    this.request.url.searchParams.append(column, `${operator}.${value}`)
    return this
  }

  not<Column extends string & keyof Row>(
    column: Column,
    operator: 'is',
    value: null,
  ): PostgrestFilterBuilder<
    ClientOptions,
    Schema,
    Filled<Row, Column> & Record<string, unknown>,
    Filled<Result, Column>,
    RelationName,
    Relationships,
    Method,
    ThrowOnError
  > &
    this
  not<Column extends string & keyof Row>(column: Column, operator: FilterOperator, value: Row[Column]): this
  not(column: string, operator: string, value: unknown): this
  not(column: string, operator: string, value: unknown): any {
    return this.filter(column, `not.${operator}`, value)
  }

  /** Conditions of which one must hold, in wire syntax: `or('title.ilike.%waste%,excerpt.ilike.%waste%')`. */
  or(filters: string, { foreignTable, referencedTable = foreignTable }: { referencedTable?: string; foreignTable?: string } = {}): this {
    this.request.url.searchParams.append(referencedTable ? `${referencedTable}.or` : 'or', `(${filters})`)
    return this
  }

  /** `eq` for each pair; an undefined value is left out. */
  match<Column extends string & keyof Row>(query: Record<Column, Row[Column]>): this
  match(query: Record<string, unknown>): this
  match(query: Record<string, unknown>): this {
    for (const [column, value] of Object.entries(query)) if (value !== undefined) this.filter(column, 'eq', value)
    return this
  }

  /** Equality; null never equals anything, so it is not accepted: use `is`. */
  eq<Column extends string>(column: FilterColumn<Row, Column>, value: NonNullable<FilterValue<Schema, Row, Column>>): this {
    return this.filter(column as string, 'eq', value)
  }

  neq<Column extends string>(column: FilterColumn<Row, Column>, value: FilterValue<Schema, Row, Column>): this {
    return this.filter(column as string, 'neq', value)
  }

  gt<Column extends string & keyof Row>(column: Column, value: Row[Column]): this
  gt(column: string, value: unknown): this
  gt(column: string, value: unknown): this {
    return this.filter(column, 'gt', value)
  }

  gte<Column extends string & keyof Row>(column: Column, value: Row[Column]): this
  gte(column: string, value: unknown): this
  gte(column: string, value: unknown): this {
    return this.filter(column, 'gte', value)
  }

  lt<Column extends string & keyof Row>(column: Column, value: Row[Column]): this
  lt(column: string, value: unknown): this
  lt(column: string, value: unknown): this {
    return this.filter(column, 'lt', value)
  }

  lte<Column extends string & keyof Row>(column: Column, value: Row[Column]): this
  lte(column: string, value: unknown): this
  lte(column: string, value: unknown): this {
    return this.filter(column, 'lte', value)
  }

  like<Column extends string & keyof Row>(column: Column, pattern: string): this
  like(column: string, pattern: string): this
  like(column: string, pattern: string): this {
    return this.filter(column, 'like', pattern)
  }

  likeAllOf<Column extends string & keyof Row>(column: Column, patterns: readonly string[]): this
  likeAllOf(column: string, patterns: readonly string[]): this
  likeAllOf(column: string, patterns: readonly string[]): this {
    return this.filter(column, 'like(all)', contained(patterns))
  }

  likeAnyOf<Column extends string & keyof Row>(column: Column, patterns: readonly string[]): this
  likeAnyOf(column: string, patterns: readonly string[]): this
  likeAnyOf(column: string, patterns: readonly string[]): this {
    return this.filter(column, 'like(any)', contained(patterns))
  }

  ilike<Column extends string & keyof Row>(column: Column, pattern: string): this
  ilike(column: string, pattern: string): this
  ilike(column: string, pattern: string): this {
    return this.filter(column, 'ilike', pattern)
  }

  ilikeAllOf<Column extends string & keyof Row>(column: Column, patterns: readonly string[]): this
  ilikeAllOf(column: string, patterns: readonly string[]): this
  ilikeAllOf(column: string, patterns: readonly string[]): this {
    return this.filter(column, 'ilike(all)', contained(patterns))
  }

  ilikeAnyOf<Column extends string & keyof Row>(column: Column, patterns: readonly string[]): this
  ilikeAnyOf(column: string, patterns: readonly string[]): this
  ilikeAnyOf(column: string, patterns: readonly string[]): this {
    return this.filter(column, 'ilike(any)', contained(patterns))
  }

  regexMatch<Column extends string & keyof Row>(column: Column, pattern: string): this
  regexMatch(column: string, pattern: string): this
  regexMatch(column: string, pattern: string): this {
    return this.filter(column, 'match', pattern)
  }

  regexIMatch<Column extends string & keyof Row>(column: Column, pattern: string): this
  regexIMatch(column: string, pattern: string): this
  regexIMatch(column: string, pattern: string): this {
    return this.filter(column, 'imatch', pattern)
  }

  is<Column extends string & keyof Row>(column: Column, value: Row[Column] & (boolean | null)): this
  is(column: string, value: boolean | null): this
  is(column: string, value: boolean | null): this {
    return this.filter(column, 'is', value)
  }

  isDistinct<Column extends string>(column: Column, value: FilterValue<Schema, Row, Column>): this {
    return this.filter(column as string, 'isdistinct', value)
  }

  in<Column extends string>(column: Column, values: ReadonlyArray<FilterValue<Schema, Row, Column>>): this {
    return this.filter(column as string, 'in', `(${listed(values)})`)
  }

  notIn<Column extends string>(column: Column, values: ReadonlyArray<FilterValue<Schema, Row, Column>>): this {
    return this.filter(column as string, 'not.in', `(${listed(values)})`)
  }

  contains<Column extends string & keyof Row>(column: Column, value: ContainedValue<Row[Column]>): this
  contains(column: string, value: ContainedValue<unknown>): this
  contains(column: string, value: ContainedValue<unknown>): this {
    return this.filter(column, 'cs', contained(value))
  }

  containedBy<Column extends string & keyof Row>(column: Column, value: ContainedValue<Row[Column]>): this
  containedBy(column: string, value: ContainedValue<unknown>): this
  containedBy(column: string, value: ContainedValue<unknown>): this {
    return this.filter(column, 'cd', contained(value))
  }

  rangeGt<Column extends string & keyof Row>(column: Column, range: string): this
  rangeGt(column: string, range: string): this
  rangeGt(column: string, range: string): this {
    return this.filter(column, 'sr', range)
  }

  rangeGte<Column extends string & keyof Row>(column: Column, range: string): this
  rangeGte(column: string, range: string): this
  rangeGte(column: string, range: string): this {
    return this.filter(column, 'nxl', range)
  }

  rangeLt<Column extends string & keyof Row>(column: Column, range: string): this
  rangeLt(column: string, range: string): this
  rangeLt(column: string, range: string): this {
    return this.filter(column, 'sl', range)
  }

  rangeLte<Column extends string & keyof Row>(column: Column, range: string): this
  rangeLte(column: string, range: string): this
  rangeLte(column: string, range: string): this {
    return this.filter(column, 'nxr', range)
  }

  rangeAdjacent<Column extends string & keyof Row>(column: Column, range: string): this
  rangeAdjacent(column: string, range: string): this
  rangeAdjacent(column: string, range: string): this {
    return this.filter(column, 'adj', range)
  }

  overlaps<Column extends string & keyof Row>(column: Column, value: string | ReadonlyArray<Row[Column]>): this
  overlaps(column: string, value: string | readonly unknown[]): this
  overlaps(column: string, value: string | readonly unknown[]): this {
    return this.filter(column, 'ov', contained(value))
  }

  textSearch<Column extends string & keyof Row>(
    column: Column,
    query: string,
    options?: { config?: string; type?: 'plain' | 'phrase' | 'websearch' },
  ): this
  textSearch(column: string, query: string, options?: { config?: string; type?: 'plain' | 'phrase' | 'websearch' }): this
  textSearch(
    column: string,
    query: string,
    { config, type }: { config?: string; type?: 'plain' | 'phrase' | 'websearch' } = {},
  ): this {
    const parser = type === 'plain' ? 'pl' : type === 'phrase' ? 'ph' : type === 'websearch' ? 'w' : ''
    return this.filter(column, `${parser}fts${config === undefined ? '' : `(${config})`}`, query)
  }
}
