// Ends a session or a token for a caller that holds its credential, within the caller's transaction.
import type { AuditEvent } from '../../audit/audit-log.ts';
import type { Deadline } from '../../../platform/clock.ts';
import type { Statements } from '../../../platform/db/types.ts';
import type { Principal } from '../../principal/principal.ts';
import type { Blacklist } from '../../token/blacklist.ts';
import type { RevokeFamily } from './revoke-family.ts';

export interface LogOutDependencies {
  readonly revokeFamily: RevokeFamily;
  readonly blacklist: Blacklist;
  /** Locks an account's row until the transaction ends. */
  readonly lockAccount: (tx: Statements, account: Principal['account'], deadline: Deadline) => Promise<unknown>;
}

/** A session to end. */
export interface Ending {
  readonly id: string;
  readonly tenantId: string | undefined;
  readonly accountId: string;
  /**
   * Set if the request has an access token of the session. The token is always blacklisted, even if the session's row
   * was deleted.
   */
  readonly tokenExpiresAt: number | undefined;
}

export interface LogOutContext {
  readonly record: (event: AuditEvent) => void;
  /** The authenticated account that ends the session; undefined if there is none. */
  readonly callerId: string | undefined;
  readonly deadline: Deadline;
}

export interface LogOut {
  /** Ends a session. */
  session(tx: Statements, ending: Ending, context: LogOutContext): Promise<void>;
  /** Revokes a token that belongs to no session. Locks the account, as an upload does when it commits. */
  token(tx: Statements, principal: Principal, context: LogOutContext): Promise<void>;
}

export function createLogOut({ revokeFamily, blacklist, lockAccount }: LogOutDependencies): LogOut {
  return {
    async session(tx, { id: sessionId, tenantId, accountId, tokenExpiresAt }, { record, callerId, deadline }) {
      const ended = await revokeFamily(tx, { tenantId, id: sessionId }, 'logout', deadline, tokenExpiresAt);
      if (!ended && tokenExpiresAt === undefined) return;
      const actorId = callerId === accountId ? undefined : callerId;
      record({ event: 'session.logged-out', tenantId, accountId, actorId, details: { sessionId } });
    },
    async token(tx, { account, revocationId, expiresAt }, { record, deadline }) {
      await lockAccount(tx, account, deadline);
      await blacklist.add(tx, { id: revocationId!, expiresAt: expiresAt! }, deadline);
      record({ event: 'session.logged-out', tenantId: account.tenantId, accountId: account.id });
    },
  };
}

/** Returns the session of an access token; undefined if the token belongs to none. */
export function toEnding({ account, sessionId, expiresAt }: Principal): Ending | undefined {
  if (sessionId === undefined) return undefined;
  return { id: sessionId, tenantId: account.tenantId, accountId: account.id, tokenExpiresAt: expiresAt };
}
