/**
 * When a session is renewed: pure decisions, given a clock. Times are milliseconds unless a name says otherwise.
 * Contract: auth §20, "Refresh".
 */

/** How often the ticker looks at the session. */
export const TICK = 30_000
/** Ticks before expiry at which it is renewed. */
export const THRESHOLD = 3
/** A session this close to its end is renewed before it is handed out. */
export const MARGIN = THRESHOLD * TICK
/** A refused refresh token is not tried again for this long. */
export const COOLDOWN = 2 * TICK

/** Differences up to this are the way of the answer, not a wrong clock. */
const SKEW_TOLERANCE = 10_000

/** True within the margin. A session without an end never is. */
export function isExpiring(expiresAtSeconds: number | undefined, now: number): boolean {
  return expiresAtSeconds !== undefined && expiresAtSeconds * 1000 - now < MARGIN
}

export function isExpired(expiresAtSeconds: number | undefined, now: number): boolean {
  return expiresAtSeconds === undefined || expiresAtSeconds * 1000 <= now
}

/** The ticker's own rule; whole ticks, so that it acts at least one tick before the margin does. */
export function isDue(expiresAtSeconds: number, now: number): boolean {
  return Math.floor((expiresAtSeconds * 1000 - now) / TICK) <= THRESHOLD
}

/** Wait before the attempt that follows `failures` failed ones: 200, 400, 800 … */
export const backOff = (failures: number): number => 200 * 2 ** (failures - 1)

/** Another attempt is made only if it starts within one tick of the first. */
export const mayRetry = (failures: number, startedAt: number, now: number): boolean =>
  now + backOff(failures) - startedAt < TICK

/**
 * How far this device's clock is ahead of the server's, from a token that was issued just now. Without it a clock
 * that is an hour ahead finds every new session expired and renews without end.
 */
export function clockSkew(issuedAtSeconds: number | undefined, now: number): number {
  const skew = issuedAtSeconds === undefined ? 0 : now - issuedAtSeconds * 1000
  return Math.abs(skew) > SKEW_TOLERANCE ? skew : 0
}
