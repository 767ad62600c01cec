// The session form of Profile A: an opaque credential in a cookie, and a window that slides with each refresh.
import { refreshCookieName, type CookieNaming } from '../formats/refresh-cookie-name.ts';
import type { RefreshCredentials } from './refresh-credential.ts';
import type { RotationMode } from './rotation.ts';
import type { RefreshTokenTransport } from './refresh-token-transport.ts';

/** How long sessions last and what their cookie is called. */
export interface CookiePolicy {
  readonly cookie: CookieNaming;
  readonly rotationMode: RotationMode;
  /** Milliseconds, like all durations here. */
  readonly accessTokenTtlMs: number;
  /** Idle window and cookie lifetime of a session that outlives the browser's. */
  readonly idleWindowMs: number;
  /** Idle window behind a cookie that ends with the browser's session. */
  readonly browserIdleWindowMs: number;
  /** Cap counted from the login. */
  readonly absoluteLifetimeMs: number | undefined;
}

export function cookieForm(policy: CookiePolicy, credentials: RefreshCredentials): RefreshTokenTransport {
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
