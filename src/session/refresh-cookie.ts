import type { RefreshCookie } from '../../proto/gen/session/v1/session_service.ts';
import type { SessionFamily } from './session-store.ts';

/** How long sessions last and what their cookie is called. */
export interface SessionPolicy {
  readonly cookieName: string;
  /** Milliseconds, like all durations here. */
  readonly accessTokenTtlMs: number;
  /** Idle window and cookie lifetime of a session that outlives the browser's. */
  readonly idleWindowMs: number;
  /** Idle window behind a cookie that ends with the browser's session. */
  readonly browserIdleWindowMs: number;
  /** Cap counted from the login. */
  readonly absoluteLifetimeMs: number | undefined;
}

export function idleWindowOf(policy: SessionPolicy, rememberMe: boolean): number {
  return rememberMe ? policy.idleWindowMs : policy.browserIdleWindowMs;
}

/** The cookie that carries `value` for a family that now ends at `expiresAt`. */
export function refreshCookie(
  policy: SessionPolicy,
  family: Pick<SessionFamily, 'rememberMe'>,
  value: string,
  remainingMs: number,
): RefreshCookie {
  return {
    name: policy.cookieName,
    value,
    ...(family.rememberMe && { maxAge: Math.floor(remainingMs / 1000) }),
  };
}
