import type { Clock, Deadline } from '../../../platform/clock.ts';
import type { Statements } from '../../../platform/db/types.ts';
import type { Account, EndedSessions } from '../../access/account.ts';
import type { AuditEventName } from '../../audit/trail/audit-events.ts';
import type { AuditEvent } from '../../audit/trail/audit-log.ts';
import { selectOpenSessionIds } from '../session-list-store.ts';
import type { RevocationReason, SessionAddress } from '../session.ts';
import type { SessionStore } from '../session-store.ts';
import type { Blacklist } from '../../token/blacklist.ts';
import type { Revocations } from '../../token/revocations.ts';

/** Returns true if this call revoked the session, false if it was already revoked. */
export type EndSession = (
  tx: Statements,
  session: SessionAddress,
  reason: RevocationReason,
  deadline: Deadline,
  /**
   * Expiry of a known access token of the session, Unix milliseconds. Needed because the session's row may already be
   * deleted.
   */
  tokenExpiresAt?: number,
) => Promise<boolean>;

/** Revokes a session and all its access tokens within the caller's transaction. */
export function createEndSession(options: {
  readonly sessions: SessionStore;
  readonly blacklist: Blacklist;
  /** Tells the applications of the session, from the commit on. */
  readonly noticeEnd: (tx: Statements, session: SessionAddress) => Promise<void>;
  readonly clock: Clock;
}): EndSession {
  const { sessions, blacklist, noticeEnd, clock } = options;
  return async (tx, session, reason, deadline, tokenExpiresAt = 0) => {
    const now = clock();
    // The row is locked from here on, so no refresh can issue a token that lives longer.
    const revocation = await sessions.revoke(tx, session, reason, now, deadline);
    const expiresAt = Math.max(revocation?.accessExpiresAt ?? now, tokenExpiresAt);
    await blacklist.add(tx, { kind: 'session', id: session.id, expiresAt }, deadline);
    if (revocation?.first) await noticeEnd(tx, session);
    return revocation?.first ?? false;
  };
}

type AccountAddress = Pick<Account, 'tenantId' | 'id'>;

interface Challenges {
  /** Ends the logins of an account that need a second factor. */
  deleteOf(tx: Statements, account: AccountAddress): Promise<void>;
}

/** Records an event of the account whose sessions end. */
export type RecordEnd = (event: AuditEventName, details: NonNullable<AuditEvent['details']>) => void;

/** Returns the number of sessions that were open. */
export type EndAllSessions = (
  tx: Statements,
  account: AccountAddress,
  reason: RevocationReason,
  deadline: Deadline,
  /** Records what ends besides the sessions. */
  record?: RecordEnd,
) => Promise<number>;

/**
 * Ends all sessions of an account and their access tokens within the caller's transaction, and its logins that need a second
 * factor. Of the sessions, it writes only the account's row and one revocation, so its cost does not depend on their number. It locks that row, as a
 * login does, so no session can be created meanwhile.
 */
export function createEndAllSessions(options: {
  readonly sessions: Pick<SessionStore, 'summarize'>;
  readonly accounts: {
    /** Locks an account's row until the transaction ends. */
    lock(tx: Statements, account: AccountAddress, deadline: Deadline): Promise<Account | undefined>;
    endSessions(tx: Statements, account: AccountAddress, ended: EndedSessions, reason: string): Promise<void>;
  };
  readonly challenges: Challenges;
  readonly revocations: Pick<Revocations, 'revokeSessions'>;
  /** Ends what outlives its session. Without it, only sessions end. */
  readonly endOffline?: (
    tx: Statements,
    account: AccountAddress,
    deadline: Deadline,
    record: RecordEnd,
  ) => Promise<void>;
  readonly clock: Clock;
}): EndAllSessions {
  const { sessions, accounts, challenges, revocations, endOffline, clock } = options;
  return async (tx, account, reason, deadline, record = () => {}) => {
    const locked = await accounts.lock(tx, account, deadline);
    await challenges.deleteOf(tx, account);
    await endOffline?.(tx, account, deadline, record);
    const now = clock();
    const { open, last } = await sessions.summarize(tx, locked ?? account, now);
    if (last === undefined) return open;
    await revocations.revokeSessions(tx, account, last);
    await accounts.endSessions(tx, account, { through: last, at: now }, reason);
    return open;
  };
}

export type EndOtherSessions = ReturnType<typeof createEndOtherSessions>;

/** Ends all sessions of an account but one, and its logins that need a second factor. Returns the number of sessions. */
export function createEndOtherSessions(options: {
  readonly endSession: EndSession;
  readonly challenges: Challenges;
  /** Ends what outlives a session that its owner ends with the others. */
  readonly endOffline: (
    tx: Statements,
    session: SessionAddress,
    deadline: Deadline,
    record: RecordEnd,
  ) => Promise<void>;
  readonly clock: Clock;
}) {
  const { endSession, challenges, endOffline, clock } = options;
  return async (
    tx: Statements,
    account: AccountAddress,
    current: string | undefined,
    { deadline }: { readonly deadline: Deadline },
    /** Set if the owner ends them: records what ends besides the sessions. */
    record?: RecordEnd,
  ) => {
    await challenges.deleteOf(tx, account);
    const others = (await selectOpenSessionIds(tx, account, clock())).filter((id) => id !== current);
    let ended = 0;
    for (const id of others) {
      const session = { tenantId: account.tenantId, id };
      if (await endSession(tx, session, record ? 'revoked' : 'account-changed', deadline)) ended += 1;
      // The session is locked: a code that is redeemed in it at this moment has stored its grant, or is refused.
      if (record) await endOffline(tx, session, deadline, record);
    }
    return ended;
  };
}
