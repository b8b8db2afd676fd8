/** Names of the tables API: `from` a table or view, `rpc` a database function, in a `schema`. */

import type { ClientServerOptions, DatabaseWithoutInternals, DefaultSchemaName, Fetch, GenericSchema } from '../types.js'
import type { RestMethod, RestRequest } from './builder.js'
import { PostgrestFilterBuilder } from './filters.js'
import { PostgrestQueryBuilder } from './query.js'
import type { RpcResult } from './rpc.js'
import type { CountAlgorithm } from './types.js'

type Connection = { url: string; headers: Record<string, string>; fetch: Fetch }

/** True of values that have no place in a query string: objects, and arrays that hold one. */
const isObject = (value: unknown): boolean =>
  value !== null && typeof value === 'object' && (!Array.isArray(value) || value.some(isObject))

export class PostgrestClient<
  Database = any,
  ClientOptions extends ClientServerOptions = Database extends { __InternalSupabase: infer I extends ClientServerOptions }
    ? I
    : {},
  SchemaName extends string & keyof DatabaseWithoutInternals<Database> = DefaultSchemaName<Database>,
  Schema extends GenericSchema = DatabaseWithoutInternals<Database>[SchemaName] extends GenericSchema
    ? DatabaseWithoutInternals<Database>[SchemaName]
    : any,
> {
  declare protected readonly types: [ClientOptions, Schema]

  readonly #connection: Connection
  readonly #schema: SchemaName | undefined

  constructor(connection: Connection, schema?: SchemaName) {
    this.#connection = connection
    this.#schema = schema
  }

  from<TableName extends string & keyof Schema['Tables'], Table extends Schema['Tables'][TableName]>(
    relation: TableName,
  ): PostgrestQueryBuilder<ClientOptions, Schema, Table, TableName>
  from<ViewName extends string & keyof Schema['Views'], View extends Schema['Views'][ViewName]>(
    relation: ViewName,
  ): PostgrestQueryBuilder<ClientOptions, Schema, View, ViewName>
  from(relation: string): PostgrestQueryBuilder<ClientOptions, Schema, any, any> {
    if (typeof relation !== 'string' || !relation.trim())
      throw new Error('Invalid relation name: relation must be a non-empty string.')
    return new PostgrestQueryBuilder(this.#request('GET', relation))
  }

  schema<Name extends string & keyof DatabaseWithoutInternals<Database>>(
    schema: Name,
  ): PostgrestClient<Database, ClientOptions, Name, Database[Name] extends GenericSchema ? Database[Name] : any> {
    return new PostgrestClient<Database, ClientOptions, Name, any>(this.#connection, schema)
  }

  /**
   * Calls a function of the database: POST with the arguments as JSON, or as query parameters with `get` or
   * `head`, which only functions that change nothing allow. `count` counts the rows of a set-returning one.
   */
  rpc<
    FnName extends string & keyof Schema['Functions'],
    Args extends Schema['Functions'][FnName]['Args'] = never,
    Fn extends RpcResult<Schema, FnName, Args> = RpcResult<Schema, FnName, Args>,
  >(
    fn: FnName,
    args: Args = {} as Args,
    { head = false, get = false, count }: { head?: boolean; get?: boolean; count?: CountAlgorithm } = {},
  ): PostgrestFilterBuilder<ClientOptions, Schema, Fn['Row'], Fn['Result'], Fn['RelationName'], Fn['Relationships'], 'RPC'> {
    const pairs = Object.entries(args as object)
    // HEAD has no body, so such a call posts and asks for no rows instead.
    const minimal = head && pairs.some(([, value]) => isObject(value))
    const method = minimal || !(head || get) ? 'POST' : head ? 'HEAD' : 'GET'
    const request = this.#request(method, `rpc/${fn}`)
    if (method === 'POST') request.body = args
    else
      for (const [name, value] of pairs)
        if (value !== undefined) request.url.searchParams.append(name, Array.isArray(value) ? `{${value.join(',')}}` : `${value}`)
    const prefer = [count && `count=${count}`, minimal && 'return=minimal'].filter(Boolean).join()
    if (prefer) request.headers.set('Prefer', prefer)
    return new PostgrestFilterBuilder(request)
  }

  #request(method: RestMethod, path: string): RestRequest {
    const { url, headers, fetch } = this.#connection
    return { method, url: new URL(`${url}/${path}`), headers: new Headers(headers), schema: this.#schema, fetch }
  }
}
