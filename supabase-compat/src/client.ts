/** One project as one object: tables, database functions, auth, storage and functions, on one address with one key. */

import { AuthClient } from './auth/client.js'
import { resolveFetch, withCredentials, withDeadline } from './fetch.js'
import { FunctionsClient } from './functions/client.js'
import { lazyChannel } from './realtime/lazy.js'
import type { Realtime } from './realtime/on-demand.js'
import type { RealtimeChannel, RealtimeChannelOptions, RealtimeSendResult } from './realtime/types.js'
import { PostgrestClient } from './rest/client.js'
import type { PostgrestFilterBuilder } from './rest/filters.js'
import type { PostgrestQueryBuilder } from './rest/query.js'
import type { RpcResult } from './rest/rpc.js'
import type { CountAlgorithm } from './rest/types.js'
import { lazyStorage } from './storage/lazy.js'
import type { StorageClient } from './storage/types.js'
import type {
  ClientServerOptions,
  DatabaseWithoutInternals,
  DefaultSchemaName,
  Fetch,
  GenericSchema,
  SupabaseClientOptions,
} from './types.js'

const CLIENT_INFO = 'supabase-compat/0.1.0'

function parseUrl(text: string): URL {
  const trimmed = text?.trim()
  if (!trimmed) throw new Error('supabaseUrl is required.')
  if (!/^https?:\/\//i.test(trimmed)) throw new Error('Invalid supabaseUrl: Must be a valid HTTP or HTTPS URL.')
  return new URL(trimmed.endsWith('/') ? trimmed : `${trimmed}/`)
}

/** Stands in for `auth` where tokens come from elsewhere: using it would mean two ideas of who is signed in. */
const foreignAuth = (): AuthClient =>
  new Proxy({} as AuthClient, {
    get(_, name) {
      throw new Error(`auth.${String(name)}: the client was given accessToken`)
    },
  })

export class SupabaseClient<
  Database = any,
  SchemaNameOrClientOptions extends
    | (string & keyof DatabaseWithoutInternals<Database>)
    | { PostgrestVersion: string } = DefaultSchemaName<Database>,
  SchemaName extends string & keyof DatabaseWithoutInternals<Database> = SchemaNameOrClientOptions extends string &
    keyof DatabaseWithoutInternals<Database>
    ? SchemaNameOrClientOptions
    : DefaultSchemaName<Database>,
  Schema extends GenericSchema = DatabaseWithoutInternals<Database>[SchemaName] extends GenericSchema
    ? DatabaseWithoutInternals<Database>[SchemaName]
    : never,
  ClientOptions extends ClientServerOptions = SchemaNameOrClientOptions extends string & keyof DatabaseWithoutInternals<Database>
    ? Database extends { __InternalSupabase: infer Internal extends { PostgrestVersion: string } }
      ? Internal
      : { PostgrestVersion: '12' }
    : SchemaNameOrClientOptions extends { PostgrestVersion: string }
      ? SchemaNameOrClientOptions
      : never,
> {
  readonly auth: AuthClient

  /** A channel of the realtime API, whose code is fetched with the first one. */
  readonly channel: (name: string, options?: RealtimeChannelOptions) => RealtimeChannel

  /** Leaves a channel. */
  readonly removeChannel = (channel: RealtimeChannel): Promise<RealtimeSendResult> => channel.unsubscribe()

  /** Buckets and objects; all code but that for addresses is fetched with the first call. */
  readonly storage: StorageClient

  readonly #rest: PostgrestClient<Database, ClientOptions, SchemaName, Schema>
  readonly #functionsUrl: string
  readonly #headers: Record<string, string>
  readonly #fetch: Fetch

  /**
   * `supabaseUrl` is the address under which `/rest/v1`, `/auth/v1` and `/functions/v1` are found; `supabaseKey` the
   * publishable key, or on a server the secret one. Throws at once for an address or key that cannot work.
   */
  constructor(supabaseUrl: string, supabaseKey: string, options: SupabaseClientOptions<SchemaName> = {}) {
    const base = parseUrl(supabaseUrl)
    if (!supabaseKey) throw new Error('supabaseKey is required.')
    const { db, auth, global, accessToken } = options
    const fetch = resolveFetch(global?.fetch)
    const headers = (this.#headers = { 'X-Client-Info': CLIENT_INFO, ...global?.headers })

    this.auth = accessToken
      ? foreignAuth()
      : new AuthClient(
          {
            url: new URL('auth/v1', base).href,
            headers: { Authorization: `Bearer ${supabaseKey}`, apikey: supabaseKey, ...headers },
            fetch,
          },
          {
            storageKey: `sb-${base.hostname.split('.')[0]}-auth-token`,
            ...auth,
            hasCustomAuthorizationHeader: new Headers(headers).has('Authorization'),
          },
        )

    const token = accessToken ?? (async () => (await this.auth.getSession()).data.session?.access_token ?? null)
    this.#fetch = withCredentials(fetch, supabaseKey, token)
    this.#rest = new PostgrestClient(
      {
        url: new URL('rest/v1', base).href,
        // A copy: `functions.setAuth` is for functions alone.
        headers: { ...headers },
        fetch: (input, init) => withDeadline(db?.timeout || undefined, init?.signal, (signal) => this.#fetch(input, { ...init, signal })),
      },
      { schema: 'public' as SchemaName, ...db }.schema,
    )
    this.#functionsUrl = new URL('functions/v1', base).href
    this.storage = lazyStorage({ url: new URL('storage/v1', base).href, headers: { ...headers }, fetch: this.#fetch })
    let loaded: Realtime | undefined
    this.channel = (name, options) =>
      lazyChannel((known) =>
        // Not kept as a promise, which would fail forever.
        import('./realtime/on-demand.js').then(({ realtime }) =>
          (loaded ??= realtime(base, supabaseKey, token, this.#fetch, !accessToken && this.auth))(known, name, options),
        ),
      )
  }

  /** A client for functions; each access makes a fresh one. */
  get functions(): FunctionsClient {
    return new FunctionsClient(this.#functionsUrl, this.#headers, this.#fetch)
  }

  /** A table or view of the client's schema. */
  from<TableName extends string & keyof Schema['Tables'], Table extends Schema['Tables'][TableName]>(
    relation: TableName,
  ): PostgrestQueryBuilder<ClientOptions, Schema, Table, TableName>
  from<ViewName extends string & keyof Schema['Views'], View extends Schema['Views'][ViewName]>(
    relation: ViewName,
  ): PostgrestQueryBuilder<ClientOptions, Schema, View, ViewName>
  from(relation: string): PostgrestQueryBuilder<ClientOptions, Schema, any, any> {
    return this.#rest.from(relation as any)
  }

  /** The same for another schema that the server exposes. */
  schema<Name extends string & keyof DatabaseWithoutInternals<Database>>(
    schema: Name,
  ): PostgrestClient<Database, ClientOptions, Name, Database[Name] extends GenericSchema ? Database[Name] : any> {
    return this.#rest.schema(schema)
  }

  /** Calls a function of the database; see `PostgrestClient.rpc`. */
  rpc<
    FnName extends string & keyof Schema['Functions'],
    Args extends Schema['Functions'][FnName]['Args'] = never,
    Fn extends RpcResult<Schema, FnName, Args> = RpcResult<Schema, FnName, Args>,
  >(
    fn: FnName,
    args?: Args,
    options?: { head?: boolean; get?: boolean; count?: CountAlgorithm },
  ): PostgrestFilterBuilder<ClientOptions, Schema, Fn['Row'], Fn['Result'], Fn['RelationName'], Fn['Relationships'], 'RPC'> {
    return this.#rest.rpc<FnName, Args, Fn>(fn, args, options)
  }
}

export function createClient<
  Database = any,
  SchemaNameOrClientOptions extends
    | (string & keyof DatabaseWithoutInternals<Database>)
    | { PostgrestVersion: string } = DefaultSchemaName<Database>,
  SchemaName extends string & keyof DatabaseWithoutInternals<Database> = SchemaNameOrClientOptions extends string &
    keyof DatabaseWithoutInternals<Database>
    ? SchemaNameOrClientOptions
    : DefaultSchemaName<Database>,
>(
  supabaseUrl: string,
  supabaseKey: string,
  options?: SupabaseClientOptions<SchemaName>,
): SupabaseClient<Database, SchemaNameOrClientOptions, SchemaName> {
  return new SupabaseClient<Database, SchemaNameOrClientOptions, SchemaName>(supabaseUrl, supabaseKey, options)
}
