// The limits of sessions by the policy of their tenant. Durations in milliseconds. Profile B has fixed lifetimes.
import { requiresFactor } from '../factors/decide-factors.ts';
import type { TenantPolicy } from '../access/policy/effective-policy.ts';
import type { Policy } from '../access/policy/policy-fields.ts';
import type { Account } from '../access/account.ts';
import type { Session, SessionLifetime } from './session.ts';
import type { BrowserOrigin } from './transport/browser-origin.ts';
import type { TransportPolicy } from './transport/transport-policy.ts';

/** Returns the transport with the lifetimes that a tenant gives its tokens and sessions. */
export function limitTransport(transport: TransportPolicy, { own }: TenantPolicy): TransportPolicy {
  const { stored, accessTokenTtlMs, absoluteLifetimeMs, idleWindowMs } = transport;
  if (stored === 'BODY' || !SESSION_FIELDS.some((name) => own[name] !== undefined)) return transport;
  return {
    ...transport,
    accessTokenTtlMs: Math.min(accessTokenTtlMs, toMs(own.accessTokenTtl)),
    absoluteLifetimeMs: finite(Math.min(absoluteLifetimeMs ?? Infinity, toMs(own.sessionAbsoluteLifetime))),
    idleWindowMs: (rememberMe) => Math.min(idleWindowMs(rememberMe), toMs(own.sessionIdleWindow)),
  };
}

const SESSION_FIELDS = ['accessTokenTtl', 'sessionIdleWindow', 'sessionAbsoluteLifetime'] as const;

/** Returns a session with the ends that the policy of its tenant gives it now, if they are earlier than the stored ones. */
export function limitSession<Limited extends SessionLifetime>(session: Limited, { own }: TenantPolicy): Limited {
  if (session.transport === 'BODY' || !SESSION_FIELDS.some((name) => own[name] !== undefined)) return session;
  const idleEnd = session.refreshedAt + toMs(own.sessionIdleWindow);
  const absoluteEnd = session.createdAt + toMs(own.sessionAbsoluteLifetime);
  return {
    ...session,
    expiresAt: Math.min(session.expiresAt, idleEnd, absoluteEnd),
    absoluteExpiresAt: finite(Math.min(session.absoluteExpiresAt ?? Infinity, absoluteEnd)),
  };
}

/** The error detail for a page whose origin the tenant does not allow. */
export const ORIGIN_NOT_ALLOWED = "the Origin of the request is not in allowedOrigins of the tenant's policy";

/** Whether a tenant allows the page of a request. The service's own origin and callers that are not browsers are always allowed. */
export function allowsOrigin({ own, effective }: TenantPolicy, { text, isOwn }: BrowserOrigin): boolean {
  if (own.allowedOrigins === undefined || text === undefined || isOwn) return true;
  return effective.allowedOrigins.origins.includes(text);
}

/** The error detail for a session whose login had no second factor. */
export const WITHOUT_FACTOR = 'the tenant requires a second factor, which the login had not';

/** Whether a session ends because its account must have a second factor now. */
export function isWithoutRequiredFactor(
  { methods }: Pick<Session, 'methods'>,
  account: Account,
  policy: Pick<Policy, 'secondFactor'>,
): boolean {
  return !methods.includes('mfa') && requiresFactor(account, policy);
}

function toMs(seconds: number | undefined): number {
  return seconds === undefined ? Infinity : seconds * 1000;
}

function finite(ms: number): number | undefined {
  return ms === Infinity ? undefined : ms;
}
