// The refresh-token transport of Profile A: an opaque token in a cookie. The idle window restarts at each refresh.
import { type CookieNaming, refreshCookieName } from '../../../platform/formats/names.ts';
import type { OpaqueRefreshTokens } from './opaque-refresh-token.ts';
import type { RotationMode, TransportPolicy } from './transport-policy.ts';

/** The lifetimes of sessions and the name of their cookie. */
export interface CookiePolicy {
  readonly cookie: CookieNaming;
  readonly rotationMode: RotationMode;
  /** Milliseconds, like all durations in this interface. */
  readonly accessTokenTtlMs: number;
  /** Idle window and cookie lifetime of a session that survives closing the browser. */
  readonly idleWindowMs: number;
  /** Idle window of a session whose cookie ends when the browser closes. */
  readonly browserIdleWindowMs: number;
  /** Maximum lifetime, counted from the login. */
  readonly absoluteLifetimeMs: number | undefined;
}

export function createCookieTransport(policy: CookiePolicy, credentials: OpaqueRefreshTokens): TransportPolicy {
  const { cookie, rotationMode, accessTokenTtlMs, absoluteLifetimeMs } = policy;
  return {
    stored: 'COOKIE',
    rotationMode,
    accessTokenTtlMs,
    absoluteLifetimeMs,
    emailOf: ({ email }) => email,
    idleWindowMs: (rememberMe) => (rememberMe ? policy.idleWindowMs : policy.browserIdleWindowMs),
    issue: async (_family, generation, selector) => credentials.issue(generation, selector),
    parse: async (value) => credentials.parse(value),
    carry: (value, { rememberMe, remainingMs, listedOrigin }) => ({
      refreshCookie: {
        name: refreshCookieName(cookie, listedOrigin),
        value,
        ...(rememberMe && { maxAge: Math.floor(remainingMs / 1000) }),
      },
    }),
  };
}
