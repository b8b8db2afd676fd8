/** The names of `@supabase/supabase-js` for tables, rpc, auth, storage and functions. */

export { AuthClient } from './auth/client.js'
export type * from './auth/types.js'
export type { Session as AuthSession, User as AuthUser } from './auth/types.js'
export {
  AuthImplicitGrantRedirectError,
  AuthInvalidJwtError,
  AuthPKCECodeVerifierMissingError,
  AuthPKCEGrantCodeExchangeError,
  isAuthImplicitGrantRedirectError,
  isAuthPKCECodeVerifierMissingError,
} from './auth/errors.js'
export { createClient, SupabaseClient } from './client.js'
export {
  AuthApiError,
  AuthError,
  AuthInvalidCredentialsError,
  AuthInvalidTokenResponseError,
  AuthRefreshDiscardedError,
  AuthRetryableFetchError,
  AuthSessionMissingError,
  AuthUnknownError,
  AuthWeakPasswordError,
  CustomAuthError,
  FunctionsError,
  FunctionsFetchError,
  FunctionsHttpError,
  FunctionsRelayError,
  isAuthApiError,
  isAuthError,
  isAuthRefreshDiscardedError,
  isAuthRetryableFetchError,
  isAuthSessionMissingError,
  isAuthWeakPasswordError,
  PostgrestError,
} from './errors.js'
export { FunctionRegion } from './functions/client.js'
export type { FunctionInvokeOptions, FunctionsResponse } from './functions/client.js'
export type {
  RealtimeChannel,
  RealtimeChannelOptions,
  RealtimePostgresChangesPayload,
  RealtimePresenceState,
} from './realtime/types.js'
export type { PostgrestBuilder } from './rest/builder.js'
export type { PostgrestClient } from './rest/client.js'
export type { PostgrestFilterBuilder } from './rest/filters.js'
export type { PostgrestQueryBuilder } from './rest/query.js'
export type { PostgrestTransformBuilder } from './rest/transforms.js'
export type { PostgrestMaybeSingleResponse, PostgrestResponse, PostgrestSingleResponse } from './rest/types.js'
export type {
  Bucket,
  FileObject,
  FileOptions,
  SearchOptions,
  StorageClient,
  StorageError,
  StorageFileApi,
  TransformOptions,
} from './storage/types.js'
export type {
  DatabaseWithoutInternals,
  QueryData,
  QueryError,
  QueryResult,
  SupabaseClientOptions,
} from './types.js'
