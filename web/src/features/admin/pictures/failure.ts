import { Refused } from './prepare'

const WORDS: Record<string, string> = {
  '413': 'The picture is larger than the server takes.',
  '415': 'The server takes no files of this type.',
  '403': 'You may not store pictures. Sign in again as an administrator.',
}

/** Why a picture could not be stored, in words for the writer. */
export function failureOf(error: unknown): string {
  if (error instanceof Refused) return error.message
  const { statusCode = '' } = Object(error) as { statusCode?: string }
  return WORDS[statusCode] ?? 'The picture could not be stored. Check your connection and try again.'
}
