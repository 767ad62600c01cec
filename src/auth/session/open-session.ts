// Whether a session is still open when something is used that it has begun.
import type { Statements } from '../../platform/db/types.ts';
import type { IsSessionOpen } from '../identity/email/confirm-email.ts';
import type { TenantPolicy } from '../access/policy/effective-policy.ts';
import type { Policies } from '../access/policy/policies.ts';
import { hasEnded, type Account } from '../access/account.ts';
import { isWithoutRequiredFactor, limitSession } from './session-limits.ts';
import type { AuthenticatedSession } from './session.ts';
import type { SessionStore } from './session-store.ts';

export interface OpenSessionChecks {
  readonly sessions: Pick<SessionStore, 'findAuthenticated' | 'guard'>;
  readonly policies: Pick<Policies, 'load'>;
}

/**
 * Returns a session of an account, and locks it against changes until the transaction ends. Undefined if it has ended: revoked,
 * ended with others, or expired, also by the policy of its tenant. The caller has locked the account.
 */
export async function findOpenSession(
  { sessions, policies }: Pick<OpenSessionChecks, 'policies'> & { sessions: Pick<SessionStore, 'findAuthenticated'> },
  tx: Statements,
  account: Account,
  sessionId: string,
  now: number,
): Promise<AuthenticatedSession | undefined> {
  const session = await sessions.findAuthenticated({ tenantId: account.tenantId, id: sessionId }, tx);
  if (!session) return undefined;
  return isOpen(session, { account, id: sessionId, policy: await policies.load(account.tenantId, tx), now })
    ? session
    : undefined;
}

/** Whether a session of an account is open: neither revoked, nor ended with others, nor expired, also by the policy of its tenant. */
export function isOpen(
  session: AuthenticatedSession,
  {
    account,
    id,
    policy,
    now,
  }: { readonly account: Account; readonly id: string; readonly policy: TenantPolicy; readonly now: number },
): boolean {
  if (session.accountId !== account.id || session.revokedAt !== undefined || hasEnded(account, id)) return false;
  return limitSession(session, policy).expiresAt > now;
}

export function createIsSessionOpen({ sessions, policies }: OpenSessionChecks): IsSessionOpen {
  return async (tx, account, sessionId, now) => {
    if (sessionId === undefined) return false;
    const session = await findOpenSession({ sessions, policies }, tx, account, sessionId, now);
    if (!session) return false;
    await sessions.guard(tx, { tenantId: account.tenantId, id: sessionId });
    // Its next refresh would end it.
    return !isWithoutRequiredFactor(session, account, (await policies.load(account.tenantId, tx)).effective);
  };
}
