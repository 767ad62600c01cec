/** The account and session in an access token, for display only. The service decides by its own records. */
export interface SessionUser {
  readonly id: string;
  readonly email?: string;
  readonly tenantId?: string;
  readonly roles: readonly string[];
}

/** An access token and its claims. */
export interface Grant {
  readonly accessToken: string;
  /** Expiry in milliseconds of this machine's clock. */
  readonly expiresAt: number;
  readonly lifetimeMs: number;
  /** Issue time in seconds of the service's clock. */
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
 * Parses an access token. Its lifetime starts now on this machine's clock, because the service's clock may differ.
 *
 * @param expiresIn Lifetime in seconds, if the response contains it.
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

/** Whether a token can still be used. A clock that is set back does not extend its lifetime. */
export function isUsable({ expiresAt, lifetimeMs }: Grant, now: number = Date.now()): boolean {
  return now < expiresAt && expiresAt - now <= lifetimeMs;
}
