/** Errors of redirects, codes and tokens; apart from the others since few pages ever meet them. */

import { CustomAuthError, isNamed } from '../errors.js'

/** What the address bar said when a redirect came back without a session. */
export type RedirectErrorDetails = { error: string; code: string }

class RedirectError extends CustomAuthError {
  details: RedirectErrorDetails | null

  constructor(message: string, name: string, details: RedirectErrorDetails | null) {
    super(message, name, 500, undefined)
    this.details = details
  }

  override toJSON(): Record<string, unknown> {
    return { ...super.toJSON(), details: this.details }
  }
}

export class AuthImplicitGrantRedirectError extends RedirectError {
  constructor(message: string, details: RedirectErrorDetails | null = null) {
    super(message, 'AuthImplicitGrantRedirectError', details)
  }
}

export class AuthPKCEGrantCodeExchangeError extends RedirectError {
  constructor(message: string, details: RedirectErrorDetails | null = null) {
    super(message, 'AuthPKCEGrantCodeExchangeError', details)
  }
}

export class AuthPKCECodeVerifierMissingError extends CustomAuthError {
  constructor() {
    super(
      'PKCE code verifier not found in storage: the sign-in began in another browser or the storage was cleared.',
      'AuthPKCECodeVerifierMissingError',
      400,
      'pkce_code_verifier_not_found',
    )
  }
}

export class AuthInvalidJwtError extends CustomAuthError {
  constructor(message: string) {
    super(message, 'AuthInvalidJwtError', 400, 'invalid_jwt')
  }
}

export function isAuthImplicitGrantRedirectError(error: unknown): error is AuthImplicitGrantRedirectError {
  return isNamed(error, 'AuthImplicitGrantRedirectError')
}

export function isAuthPKCECodeVerifierMissingError(error: unknown): error is AuthPKCECodeVerifierMissingError {
  return isNamed(error, 'AuthPKCECodeVerifierMissingError')
}
