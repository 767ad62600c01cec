import type { Clock, Deadline } from '../../../platform/clock.ts';
import type { Statements } from '../../../platform/db/types.ts';
import type { Account, EndedSessions } from '../../principal/account.ts';
import type { RevocationReason } from '../session-family.ts';
import type { SessionStore } from '../session-store.ts';

/** Returns the number of sessions that were open. */
export type EndAllSessions = (
  tx: Statements,
  account: Pick<Account, 'tenantId' | 'id'>,
  reason: RevocationReason,
  deadline: Deadline,
) => Promise<number>;

/**
 * Ends all sessions of an account and their access tokens within the caller's transaction. It writes only the account's
 * row, so its cost does not depend on the number of sessions. It locks that row, as a login does, so no session can be
 * created meanwhile.
 */
export function createEndAllSessions(options: {
  readonly sessions: Pick<SessionStore, 'summarize'>;
  readonly accounts: {
    /** Locks an account's row until the transaction ends. */
    lock(tx: Statements, account: Pick<Account, 'tenantId' | 'id'>, deadline: Deadline): Promise<Account | undefined>;
    endSessions(
      tx: Statements,
      account: Pick<Account, 'tenantId' | 'id'>,
      ended: EndedSessions,
      reason: string,
    ): Promise<void>;
  };
  readonly clock: Clock;
}): EndAllSessions {
  const { sessions, accounts, clock } = options;
  return async (tx, account, reason, deadline) => {
    const locked = await accounts.lock(tx, account, deadline);
    const now = clock();
    const { open, last } = await sessions.summarize(tx, locked ?? account, now);
    if (last !== undefined) await accounts.endSessions(tx, account, { through: last, at: now }, reason);
    return open;
  };
}
