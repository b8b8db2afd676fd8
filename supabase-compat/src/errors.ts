/**
 * The errors a result's `error` can hold.
 *
 * AuthError                            anything the auth calls report; `status`, `code`
 *   AuthApiError                       the server refused, with its own status and code
 *   AuthUnknownError                   an answer that could not be read; `originalError`
 *   CustomAuthError                    raised by the client itself
 *     AuthSessionMissingError  AuthInvalidTokenResponseError  AuthInvalidCredentialsError
 *     AuthRetryableFetchError  AuthRefreshDiscardedError  AuthWeakPasswordError
 *     and those of auth/errors.ts, which only some flows raise
 * FunctionsError                       `context` is the cause or the Response
 *   FunctionsFetchError  FunctionsRelayError  FunctionsHttpError
 * PostgrestError                       thrown by `throwOnError()`; otherwise table errors are plain objects
 */

export type WeakPasswordReasons = 'length' | 'characters' | 'pwned'

export class AuthError extends Error {
  code: string | undefined
  status: number | undefined
  // The guards look for this mark, not for the class: two copies of the package may meet in one page.
  protected __isAuthError = true

  constructor(message: string, status?: number, code?: string) {
    super(message)
    this.name = 'AuthError'
    this.status = status
    this.code = code
  }

  toJSON(): Record<string, unknown> {
    const { name, message, status, code } = this
    return { name, message, status, code }
  }
}

export class AuthApiError extends AuthError {
  declare status: number

  constructor(message: string, status: number, code: string | undefined) {
    super(message, status, code)
    this.name = 'AuthApiError'
  }
}

export class AuthUnknownError extends AuthError {
  originalError: unknown

  constructor(message: string, originalError: unknown) {
    super(message)
    this.name = 'AuthUnknownError'
    this.originalError = originalError
  }
}

export class CustomAuthError extends AuthError {
  declare status: number

  constructor(message: string, name: string, status: number, code: string | undefined) {
    super(message, status, code)
    this.name = name
  }
}

export class AuthSessionMissingError extends CustomAuthError {
  constructor() {
    super('Auth session missing!', 'AuthSessionMissingError', 400, undefined)
  }
}

export class AuthInvalidTokenResponseError extends CustomAuthError {
  constructor() {
    super('Auth session or user missing', 'AuthInvalidTokenResponseError', 500, undefined)
  }
}

export class AuthInvalidCredentialsError extends CustomAuthError {
  constructor(message: string) {
    super(message, 'AuthInvalidCredentialsError', 400, undefined)
  }
}

/** No answer, or one from the infrastructure (5xx); `status` 0 means no answer at all. */
export class AuthRetryableFetchError extends CustomAuthError {
  constructor(message: string, status: number) {
    super(message, 'AuthRetryableFetchError', status, undefined)
  }
}

/** Fresh tokens came back after the stored session had gone or been replaced; they were thrown away. */
export class AuthRefreshDiscardedError extends CustomAuthError {
  constructor() {
    super('Refresh discarded: the session changed', 'AuthRefreshDiscardedError', 409, undefined)
  }
}

export class AuthWeakPasswordError extends CustomAuthError {
  reasons: WeakPasswordReasons[]

  constructor(message: string, status: number, reasons: WeakPasswordReasons[]) {
    super(message, 'AuthWeakPasswordError', status, 'weak_password')
    this.reasons = reasons
  }

  override toJSON(): Record<string, unknown> {
    return { ...super.toJSON(), reasons: this.reasons }
  }
}

export function isAuthError(error: unknown): error is AuthError {
  return typeof error === 'object' && error !== null && '__isAuthError' in error
}

/** By name, as two copies of a class are not one. */
export const isNamed = (error: unknown, name: string): boolean => isAuthError(error) && error.name === name

export function isAuthApiError(error: unknown): error is AuthApiError {
  return isNamed(error, 'AuthApiError')
}

export function isAuthSessionMissingError(error: unknown): error is AuthSessionMissingError {
  return isNamed(error, 'AuthSessionMissingError')
}

export function isAuthRetryableFetchError(error: unknown): error is AuthRetryableFetchError {
  return isNamed(error, 'AuthRetryableFetchError')
}

export function isAuthRefreshDiscardedError(error: unknown): error is AuthRefreshDiscardedError {
  return isNamed(error, 'AuthRefreshDiscardedError')
}

export function isAuthWeakPasswordError(error: unknown): error is AuthWeakPasswordError {
  return isNamed(error, 'AuthWeakPasswordError')
}

export class FunctionsError extends Error {
  // The cause of a failed fetch, or the Response whose body is left for the caller to read.
  // `any` as in the official client: callers read it as either without a cast.
  context: any

  constructor(message: string, name = 'FunctionsError', context?: any) {
    super(message)
    this.name = name
    this.context = context
  }

  toJSON(): Record<string, unknown> {
    const { name, message, context } = this
    return { name, message, context }
  }
}

export class FunctionsFetchError extends FunctionsError {
  constructor(context: any) {
    super('Failed to send a request to the Edge Function', 'FunctionsFetchError', context)
  }
}

export class FunctionsRelayError extends FunctionsError {
  constructor(context: any) {
    super('Relay Error invoking the Edge Function', 'FunctionsRelayError', context)
  }
}

export class FunctionsHttpError extends FunctionsError {
  constructor(context: any) {
    super('Edge Function returned a non-2xx status code', 'FunctionsHttpError', context)
  }
}

export class PostgrestError extends Error {
  details: string
  hint: string
  code: string

  constructor(context: { message: string; details: string; hint: string; code: string }) {
    super(context.message)
    this.name = 'PostgrestError'
    this.details = context.details
    this.hint = context.hint
    this.code = context.code
  }

  toJSON(): { name: string; message: string; details: string; hint: string; code: string } {
    const { name, message, details, hint, code } = this
    return { name, message, details, hint, code }
  }
}
