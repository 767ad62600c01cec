import type { AuditEvent } from '../audit/audit-log.ts';
import type { Clock, Deadline } from '../clock.ts';
import type { Statements } from '../db/types.ts';
import type { Account } from '../principal/account.ts';
import type { RevokeFamily } from './revoke-family.ts';
import type { SessionStore } from './session-store.ts';

/** Makes room for one more session of an account. */
export type EndSurplus = (
  tx: Statements,
  record: (event: AuditEvent) => void,
  account: Pick<Account, 'tenantId' | 'id' | 'username' | 'endedSessions'>,
  deadline: Deadline,
) => Promise<void>;

/**
 * Ends the sessions used least recently, and their access tokens, until there is room below the limit. The transaction must
 * have locked the account's row, as a login does: then the limit is exact, however many logins come at once.
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
