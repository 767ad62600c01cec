import type { Clock, Deadline } from '../clock.ts';
import type { Statements } from '../db/types.ts';
import type { Blacklist } from '../token/blacklist.ts';
import type { RevocationReason } from './session-family.ts';
import type { SessionStore } from './session-store.ts';

/** Returns how many sessions were open. */
export type EndAllSessions = (
  tx: Statements,
  account: { readonly tenantId: string | undefined; readonly id: string },
  reason: RevocationReason,
  deadline: Deadline,
) => Promise<number>;

/**
 * Ends every session of an account and every access token of them, within the caller's transaction. Where that has locked
 * the account's row, as a login does, no session can be opened meanwhile.
 */
export function createEndAllSessions(options: {
  readonly sessions: Pick<SessionStore, 'revokeAll'>;
  readonly blacklist: Blacklist;
  readonly clock: Clock;
}): EndAllSessions {
  const { sessions, blacklist, clock } = options;
  return async (tx, account, reason, deadline) => {
    const { count, living } = await sessions.revokeAll(tx, account, reason, clock(), deadline);
    await blacklist.addSelected(tx, living, deadline);
    return count;
  };
}
