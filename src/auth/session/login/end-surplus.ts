import type { AuditEvent } from '../../audit/audit-log.ts';
import type { Clock, Deadline } from '../../../platform/clock.ts';
import type { Statements } from '../../../platform/db/types.ts';
import type { Account } from '../../principal/account.ts';
import type { RevokeFamily } from '../revocation/revoke-family.ts';
import type { SessionStore } from '../session-store.ts';

/** Ends sessions of an account until one more fits below the limit. */
export type EndSurplus = (
  tx: Statements,
  record: (event: AuditEvent) => void,
  account: Pick<Account, 'tenantId' | 'id' | 'username' | 'endedSessions'>,
  deadline: Deadline,
) => Promise<void>;

/**
 * Ends the least recently used sessions and their access tokens until one more fits below the limit. The transaction
 * must have locked the account's row, as a login does. Then the limit is exact even with concurrent logins.
 */
export function createEndSurplus(options: {
  readonly sessions: Pick<SessionStore, 'findLeastUsed'>;
  readonly revokeFamily: RevokeFamily;
  readonly limit: number;
  readonly clock: Clock;
}): EndSurplus {
  const { sessions, revokeFamily, limit, clock } = options;
  return async (tx, record, account, deadline) => {
    const { tenantId, id: accountId, username } = account;
    for (const sessionId of await sessions.findLeastUsed(tx, account, limit - 1, clock())) {
      if (!(await revokeFamily(tx, { tenantId, id: sessionId }, 'too-many', deadline))) continue;
      record({ event: 'session.revoked', tenantId, accountId, username, details: { sessionId, reason: 'too-many' } });
    }
  };
}
