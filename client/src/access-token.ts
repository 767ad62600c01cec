/** The account and the session that an access token names. For display only: the service decides by its own records. */
export interface SessionUser {
  readonly id: string;
  readonly email?: string;
  readonly tenantId?: string;
  readonly roles: readonly string[];
}

/** An access token, and what can be read from it. */
export interface Grant {
  readonly accessToken: string;
  /** In milliseconds of this machine's clock. */
  readonly expiresAt: number;
  readonly lifetimeMs: number;
  /** In seconds of the service's clock. */
  readonly issuedAt: number;
  readonly sessionId: string | undefined;
  readonly user: SessionUser;
}

interface Claims {
  readonly sub?: string;
  readonly email?: string;
  readonly tenantId?: string;
  readonly roles?: readonly string[];
  readonly sid?: string;
  readonly iat?: number;
  readonly exp?: number;
}

const DEFAULT_LIFETIME_SECONDS = 60;

/**
 * Reads an access token. Its lifetime counts from now on this machine's clock: the clocks of the two sides may differ.
 *
 * @param expiresIn Lifetime in seconds, if the answer says it.
 */
export function readGrant(accessToken: string, expiresIn?: number): Grant {
  const { sub = '', email, tenantId, roles = [], sid, iat = 0, exp } = claimsOf(accessToken);
  const seconds = expiresIn ?? (exp === undefined ? DEFAULT_LIFETIME_SECONDS : exp - iat);
  return {
    accessToken,
    expiresAt: Date.now() + seconds * 1000,
    lifetimeMs: seconds * 1000,
    issuedAt: iat,
    sessionId: sid,
    user: { id: sub, ...(email !== undefined && { email }), ...(tenantId !== undefined && { tenantId }), roles },
  };
}

function claimsOf(token: string): Claims {
  const payload = (token.split('.')[1] ?? '').replaceAll('-', '+').replaceAll('_', '/');
  try {
    const bytes = Uint8Array.from(atob(payload), (character) => character.charCodeAt(0));
    return JSON.parse(new TextDecoder().decode(bytes)) as Claims;
  } catch {
    return {};
  }
}

/** Whether a token can still be used. A clock that was set back does not prolong it beyond its lifetime. */
export function isUsable({ expiresAt, lifetimeMs }: Grant, now: number = Date.now()): boolean {
  return now < expiresAt && expiresAt - now <= lifetimeMs;
}
