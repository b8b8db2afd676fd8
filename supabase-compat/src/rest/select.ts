/**
 * The row type that a `select` string asks for, worked out by the type checker alone.
 *
 * Two steps: `Parse` turns the string into a list of nodes; `RowOf` turns nodes into an object type, following
 * the relationships of the generated `Database` type. Grammar (tables contract, "select"):
 *   list  = item ("," item)*
 *   item  = "*" | [alias ":"] name [path] ["::" cast]                      a column
 *         | [alias ":"] [name "."] aggregate "()" ["::" cast]              an aggregate
 *         | ["..."] [alias ":"] name ["!" hint] ["!inner"] "(" list ")"    an embedded table
 */

import type {
  ClientServerOptions,
  GenericFunction,
  GenericRelationship,
  GenericSchema,
  IsAny,
  Prettify,
} from '../types.js'

/** A mistake in a select string: shown by the checker where the row is used. */
export type SelectQueryError<Message extends string> = { error: true } & Message

export type Json = string | number | boolean | null | { [key: string]: Json | undefined } | Json[]

// ---------------------------------------------------------------------------------------------- text to nodes

type Space = ' ' | '\n' | '\r' | '\t'
type TrimStart<S extends string> = S extends `${Space}${infer Rest}` ? TrimStart<Rest> : S
type TrimEnd<S extends string> = S extends `${infer Rest}${Space}` ? TrimEnd<Rest> : S
type Unquoted<S extends string> = S extends `"${infer Name}"` ? Name : S
type Name<S extends string> = Unquoted<TrimEnd<TrimStart<S>>>

type Before<S extends string, Mark extends string> = S extends `${infer Head}${Mark}${string}` ? Head : S
/** The text up to the next comma or parenthesis. */
type Token<S extends string> = Before<Before<Before<S, ','>, '('>, ')'>

type Aggregate = 'count' | 'sum' | 'avg' | 'min' | 'max'

type Star = { kind: 'star' }
type Column = { kind: 'column'; key: string; name: string; path: string; cast: string }
type Aggregated = { kind: 'aggregate'; key: string; cast: string }
type Embed = { kind: 'embed'; key: string; name: string; mods: string; spread: boolean; children: Node[] }
type Node = Star | Column | Aggregated | Embed

type LastStep<Path extends string> = Path extends `${string}->${infer Rest}`
  ? LastStep<Rest>
  : Path extends `>${infer Key}`
    ? Key
    : Path

type ColumnNode<Alias extends string, Field extends string, Cast extends string> = Field extends `${infer Base}->${infer Path}`
  ? { kind: 'column'; key: Alias extends '' ? Name<LastStep<Path>> : Alias; name: Name<Base>; path: `->${Path}`; cast: Cast }
  : { kind: 'column'; key: Alias extends '' ? Name<Field> : Alias; name: Name<Field>; path: ''; cast: Cast }

type Aliased<Text extends string, Cast extends string> = Text extends `${infer Alias}:${infer Field}`
  ? ColumnNode<Name<Alias>, Field, Cast>
  : ColumnNode<'', Text, Cast>

type ColumnOf<Text extends string> = Name<Text> extends '*'
  ? Star
  : Text extends `${infer Field}::${infer Cast}`
    ? Aliased<Field, Name<Cast>>
    : Aliased<Text, ''>

type Mods<Text extends string> = Text extends `${infer Mod}!${infer Rest}` ? Name<Mod> | Mods<Rest> : Name<Text>

type EmbedNamed<Key extends string, Text extends string, Spread extends boolean, Children> = Text extends `${infer Table}!${infer Rest}`
  ? { kind: 'embed'; key: Key extends '' ? Name<Table> : Key; name: Name<Table>; mods: Mods<Rest>; spread: Spread; children: Children }
  : { kind: 'embed'; key: Key extends '' ? Name<Text> : Key; name: Name<Text>; mods: never; spread: Spread; children: Children }

type EmbedOf<Text extends string, Children, Spread extends boolean = false> = Text extends `...${infer Rest}`
  ? EmbedOf<Rest, Children, true>
  : Text extends `${infer Alias}:${infer Table}`
    ? EmbedNamed<Name<Alias>, Table, Spread, Children>
    : EmbedNamed<'', Text, Spread, Children>

/** The function of `sum()`, `amount.sum()` or `total:amount.sum()`; never if the text is something else. */
type AggregateOf<Text extends string> = Text extends `${string}.${infer Fn}`
  ? Name<Fn> extends Aggregate
    ? Name<Fn>
    : never
  : Text extends `${string}:${infer Fn}`
    ? Name<Fn> extends 'count'
      ? 'count'
      : never
    : Name<Text> extends 'count'
      ? 'count'
      : never

type AliasOr<Text extends string, Fallback extends string> = Text extends `${infer Alias}:${string}`
  ? Alias extends `${string}:`
    ? Fallback
    : Name<Alias>
  : Fallback

type Unexpected<Text extends string> = SelectQueryError<`Unexpected input: ${Text}`>

/** After an item: the list goes on, ends with the text, or ends with the parenthesis around it. */
type AfterItem<Text extends string, Nodes extends unknown[]> = TrimStart<Text> extends `,${infer Rest}`
  ? List<Rest, Nodes>
  : TrimStart<Text> extends `)${infer Rest}`
    ? [Nodes, Rest]
    : TrimStart<Text> extends ''
      ? [Nodes, '']
      : Unexpected<Text>

/** After `fn()`: perhaps a cast of its result. */
type AfterAggregate<Head extends string, Fn extends string, Text extends string, Nodes extends unknown[]> =
  TrimStart<Text> extends `::${infer Rest}`
    ? Rest extends `${Token<Rest>}${infer Tail}`
      ? AfterItem<Tail, [...Nodes, { kind: 'aggregate'; key: AliasOr<Head, Fn>; cast: Name<Token<Rest>> }]>
      : never
    : AfterItem<Text, [...Nodes, { kind: 'aggregate'; key: AliasOr<Head, Fn>; cast: '' }]>

type AfterParenthesis<Head extends string, Text extends string, Nodes extends unknown[]> = [AggregateOf<Head>] extends [never]
  ? (TrimStart<Text> extends `)${infer Tail}` ? [[], Tail] : List<Text>) extends [infer Children, infer Tail extends string]
    ? AfterItem<Tail, [...Nodes, EmbedOf<Head, Children>]>
    : List<Text>
  : TrimStart<Text> extends `)${infer Tail}`
    ? AfterAggregate<Head, AggregateOf<Head>, Tail, Nodes>
    : Unexpected<Text>

type List<Text extends string, Nodes extends unknown[] = []> = TrimStart<Text> extends `${Token<TrimStart<Text>>}${infer Rest}`
  ? Rest extends `(${infer Inside}`
    ? AfterParenthesis<Token<TrimStart<Text>>, Inside, Nodes>
    : Token<TrimStart<Text>> extends ''
      ? SelectQueryError<'Empty string'>
      : AfterItem<Rest, [...Nodes, ColumnOf<Token<TrimStart<Text>>>]>
  : never

/** Nodes of a select string, or an error. A string known only at run time cannot be read. */
export type Parse<Query extends string> = string extends Query
  ? SelectQueryError<'Received a generic string'>
  : List<Query> extends [infer Nodes, infer Rest extends string]
    ? Rest extends ''
      ? Nodes
      : Unexpected<Rest>
    : List<Query>

// ---------------------------------------------------------------------------------------------- values

type NumberType = 'int2' | 'int4' | 'int8' | 'float4' | 'float8' | 'numeric'
type StringType =
  | 'bytea' | 'bpchar' | 'varchar' | 'date' | 'text' | 'citext' | 'time' | 'timetz' | 'timestamp' | 'timestamptz' | 'uuid' | 'vector'

type CastValue<Cast extends string> = Cast extends `_${infer Item}`
  ? CastValue<Item>[]
  : Cast extends 'bool'
    ? boolean
    : Cast extends NumberType
      ? number
      : Cast extends StringType
        ? string
        : Cast extends 'json' | 'jsonb'
          ? Json
          : Cast extends 'void'
            ? undefined
            : Cast extends 'record'
              ? Record<string, unknown>
              : unknown

type Step<Value, Key extends string> = Key extends keyof NonNullable<Value> ? NonNullable<Value>[Key] : never

type Walk<Value, Path extends string> = Path extends `->>${infer Key}`
  ? Step<Value, Key> extends infer Found
    ? [Found] extends [never]
      ? string
      : [Found] extends [string]
        ? Found
        : string
    : never
  : Path extends `->${infer Key}->${infer Rest}`
    ? Walk<Step<Value, Key>, `->${Rest}`>
    : Path extends `->${infer Key}`
      ? [Step<Value, Key>] extends [never]
        ? Json
        : Step<Value, Key>
      : Value

/** What `column->key->>key` holds: known when the column's type is an object type, else `Json` or `string`. */
export type JsonPathValue<Row, Path extends string> = Path extends `${infer Base}->${infer Rest}`
  ? Base extends keyof Row
    ? Walk<Row[Base], `->${Rest}`>
    : unknown
  : unknown

type ColumnValue<Row, Field extends Column> = Field['name'] extends keyof Row
  ? Field['cast'] extends ''
    ? Walk<Row[Field['name']], Field['path']>
    : CastValue<Field['cast']>
  : never

// ---------------------------------------------------------------------------------------------- relationships

type Relations<Schema extends GenericSchema> = Schema['Tables'] & Exclude<Schema['Views'], ''>
type RelationsOf<T> = T extends { Relationships: readonly (infer Rel)[] } ? Extract<Rel, GenericRelationship> : never

type IsUnion<T, Whole = T> = [T] extends [never] ? false : T extends Whole ? ([Whole] extends [T] ? false : true) : never

type HintOf<Field extends Embed> = Exclude<Field['mods'], 'inner' | 'left'>
type IsInner<Field extends Embed> = 'inner' extends Field['mods'] ? true : false

/** Keys from the current table to `name`: by table, constraint or column; a hint narrows the choice. */
type Outgoing<Rel, Target extends string, Hint extends string> = [Hint] extends [never]
  ? Extract<Rel, { foreignKeyName: Target } | { referencedRelation: Target } | { columns: [Target] }>
  : Extract<Rel, { referencedRelation: Target } & ({ foreignKeyName: Hint } | { columns: [Hint] } | { referencedRelation: Hint })>

/** Keys from `name` to the current table. */
type Incoming<Rel, Current extends string, Hint extends string> = [Hint] extends [never]
  ? Extract<Rel, { referencedRelation: Current }>
  : Extract<Rel, { referencedRelation: Current } & ({ foreignKeyName: Hint } | { columns: [Hint] })>

/** True when some table has a key to both ends. */
type Junction<Schema extends GenericSchema, Current extends string, Target extends string> = true extends {
  [T in keyof Relations<Schema>]: Current extends RelationsOf<Relations<Schema>[T]>['referencedRelation']
    ? Target extends RelationsOf<Relations<Schema>[T]>['referencedRelation']
      ? true
      : false
    : false
}[keyof Relations<Schema>]
  ? true
  : false

type ComputedFrom<Fn, Current extends string> = Fn extends GenericFunction
  ? Fn extends { SetofOptions: { from: infer From } }
    ? Current extends From
      ? Fn
      : never
    : never
  : never

type Nullable<Row, Columns> = Columns extends readonly (infer C)[]
  ? true extends (C extends keyof Row ? (null extends Row[C] ? true : false) : false)
    ? true
    : false
  : false

type ManyRelationships<Between extends string, And extends string, Hint extends string> =
  SelectQueryError<`Could not embed because more than one relationship was found for '${Between}' and '${And}' you need to hint the column with ${Hint}!<columnName> ?`>
type NoRelationship<Current extends string, Target extends string> =
  SelectQueryError<`could not find the relation between ${Current} and ${Target}`>

/** Where an embed leads and how many rows it gives: `one`, `maybe` (one or null) or `many`. */
type Found<To, Many extends 'one' | 'maybe' | 'many'> = { to: To; many: Many }

type ResolveComputed<Schema extends GenericSchema, Current extends string, Field extends Embed> =
  Field['name'] extends keyof Schema['Functions']
    ? [ComputedFrom<Schema['Functions'][Field['name']], Current>] extends [infer Fn extends GenericFunction]
      ? [Fn] extends [never]
        ? NoRelationship<Current, Field['name']>
        : Fn extends { SetofOptions: { to: infer To extends string; isOneToOne?: infer One; isNotNullable?: infer Full } }
          ? To extends ''
            ? { scalar: Full extends true ? Fn['Returns'] : Fn['SetofOptions'] extends { isSetofReturn: true } ? Fn['Returns'] : Fn['Returns'] | null }
            : Found<To, One extends true ? (Full extends true ? 'one' : 'maybe') : 'many'>
          : NoRelationship<Current, Field['name']>
      : NoRelationship<Current, Field['name']>
    : NoRelationship<Current, Field['name']>

type ResolveIncoming<Schema extends GenericSchema, Current extends string, Field extends Embed> =
  Field['name'] extends keyof Relations<Schema>
    ? Incoming<RelationsOf<Relations<Schema>[Field['name']]>, Current, HintOf<Field>> extends infer Rel
      ? [Rel] extends [never]
        ? Junction<Schema, Current, Field['name']> extends true
          ? Found<Field['name'], 'many'>
          : ResolveComputed<Schema, Current, Field>
        : [Rel] extends [GenericRelationship]
          ? IsUnion<Rel['foreignKeyName']> extends true
            ? ManyRelationships<Field['name'], Current, Field['name']>
            : Found<Field['name'], Rel['isOneToOne'] extends true ? (IsInner<Field> extends true ? 'one' : 'maybe') : 'many'>
          : never
      : never
    : ResolveIncomingByKey<Schema, Current, Field>

/** The embed's name may also be the constraint of a key that leads here from elsewhere. */
type ResolveIncomingByKey<Schema extends GenericSchema, Current extends string, Field extends Embed> = {
  [T in keyof Relations<Schema>]: [
    Extract<RelationsOf<Relations<Schema>[T]>, { referencedRelation: Current; foreignKeyName: Field['name'] }>,
  ] extends [infer Rel]
    ? [Rel] extends [never]
      ? never
      : Found<T, Rel extends { isOneToOne: true } ? (IsInner<Field> extends true ? 'one' : 'maybe') : 'many'>
    : never
}[keyof Relations<Schema>] extends infer Result
  ? [Result] extends [never]
    ? ResolveComputed<Schema, Current, Field>
    : Result
  : never

/** Follows an embed: a key of this table first, then a key to this table, a junction, a computed relationship. */
type Resolve<Schema extends GenericSchema, Row, Current extends string, Rels, Field extends Embed> =
  Outgoing<Rels, Field['name'], HintOf<Field>> extends infer Rel
    ? [Rel] extends [never]
      ? ResolveIncoming<Schema, Current, Field>
      : [Rel] extends [GenericRelationship]
        ? IsUnion<Rel['foreignKeyName']> extends true
          ? ManyRelationships<Rel['referencedRelation'], Current, Rel['referencedRelation']>
          : Rel['referencedRelation'] extends Current
            ? // A table that refers to itself: by column it is the parent, by name the children.
              Rel['columns'] extends [HintOf<Field>] | [Field['name']]
              ? Found<Current, Nullable<Row, Rel['columns']> extends true ? 'maybe' : 'one'>
              : Found<Current, 'many'>
            : Found<
                Rel['referencedRelation'],
                IsInner<Field> extends true ? 'one' : Nullable<Row, Rel['columns']> extends true ? 'maybe' : 'one'
              >
        : never
    : never

// ---------------------------------------------------------------------------------------------- nodes to rows

type Shaped<Row, Many> = Many extends 'many' ? Row[] : Many extends 'maybe' ? Row | null : Row

type ChildRow<Schema extends GenericSchema, To, Field extends Embed, Options extends ClientServerOptions> =
  To extends keyof Relations<Schema> & string
    ? RowOf<Schema, Relations<Schema>[To]['Row'], To, RelationsOf<Relations<Schema>[To]>, Field['children'], Options>
    : SelectQueryError<`Relation '${To & string}' not found in schema.`>

/** A spread of many rows makes a list of each column, from Postgres' API version 13 on. */
type SpreadOf<Child, Many, Field extends Embed, Current extends string, Options extends ClientServerOptions> =
  Many extends 'many'
    ? Options['PostgrestVersion'] extends `13${string}` | `14${string}`
      ? { [K in keyof Child]: Child[K][] }
      : {
          [K in Field['name']]: SelectQueryError<`"${Current}" and "${Field['name']}" do not form a many-to-one or one-to-one relationship spread not possible`>
        }
    : { [K in keyof Child]: Many extends 'maybe' ? Child[K] | null : Child[K] }

type EmbedField<Schema extends GenericSchema, Row, Current extends string, Rels, Field extends Embed, Options extends ClientServerOptions> =
  Resolve<Schema, Row, Current, Rels, Field> extends infer To
    ? To extends Found<infer Target, infer Many>
      ? Field['children'] extends []
        ? {}
        : ChildRow<Schema, Target, Field, Options> extends infer Child
          ? Field['spread'] extends true
            ? SpreadOf<Child, Many, Field, Current, Options>
            : { [K in Field['key']]: Shaped<Child, Many> }
          : never
      : To extends { scalar: infer Scalar }
        ? { [K in Field['key']]: Scalar }
        : { [K in Field['key']]: To }
    : never

/** Columns that are really functions of the row are not part of `*`. */
type StoredColumns<Schema extends GenericSchema, Row> = {
  [K in keyof Row as K extends keyof Schema['Functions']
    ? Schema['Functions'][K] extends { Args: { '': Row } }
      ? never
      : K
    : K]: Row[K]
}

type NodeField<Schema extends GenericSchema, Row, Current extends string, Rels, Item, Options extends ClientServerOptions> = Item extends Star
  ? StoredColumns<Schema, Row>
  : Item extends Aggregated
    ? { [K in Item['key']]: Item['cast'] extends '' ? number : CastValue<Item['cast']> }
    : Item extends Embed
      ? EmbedField<Schema, Row, Current, Rels, Item, Options>
      : Item extends Column
        ? Item['name'] extends keyof Row
          ? { [K in Item['key']]: ColumnValue<Row, Item> }
          : Item['name'] extends 'count'
            ? { [K in Item['key']]: Item['cast'] extends '' ? number : CastValue<Item['cast']> }
            : SelectQueryError<`column '${Item['name']}' does not exist on '${Current}'.`>
        : never

type RowOf<
  Schema extends GenericSchema,
  Row,
  Current extends string,
  Rels,
  Nodes,
  Options extends ClientServerOptions,
  Acc = {},
> = Nodes extends [infer Head, ...infer Tail]
  ? NodeField<Schema, Row, Current, Rels, Head, Options> extends infer Field
    ? Field extends SelectQueryError<infer Message>
      ? SelectQueryError<Message>
      : RowOf<Schema, Row, Current, Rels, Tail, Options, Acc & Field>
    : never
  : Prettify<Acc>

/** Without a `Database` type: names are known from the string, values are not. */
type UntypedRow<Nodes, Acc = {}> = Nodes extends [infer Head, ...infer Tail]
  ? Head extends Star
    ? any
    : Head extends Aggregated
      ? UntypedRow<Tail, Acc & { [K in Head['key']]: Head['cast'] extends '' ? number : CastValue<Head['cast']> }>
      : Head extends Embed
        ? Head['spread'] extends true
          ? any
          : UntypedRow<Tail, Acc & { [K in Head['key']]: UntypedRow<Head['children']>[] }>
        : Head extends Column
          ? UntypedRow<Tail, Acc & { [K in Head['key']]: Head['cast'] extends '' ? any : CastValue<Head['cast']> }>
          : any
  : Prettify<Acc>

/** The type of one row of `select(Query)` on a relation; `Relationships` is null for the rows of a function. */
export type GetResult<
  Schema extends GenericSchema,
  Row extends Record<string, unknown>,
  RelationName,
  Relationships,
  Query extends string,
  Options extends ClientServerOptions,
> = Parse<Query> extends infer Nodes
  ? Nodes extends Node[]
    ? IsAny<Schema> extends true
      ? RelationName extends string
        ? UntypedRow<Nodes>
        : any
      : RowOf<
          Schema,
          Row,
          RelationName extends string ? RelationName : 'rpc_call',
          Relationships extends readonly (infer Rel)[] ? Rel : never,
          Nodes,
          Options
        >
    : Nodes
  : never

