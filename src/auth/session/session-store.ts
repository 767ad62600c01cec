// The session_families table: one row per login.
import type { Deadline } from '../../platform/clock.ts';
import { batchLoader, type BatchLoader } from '../../platform/db/query/batch-loader.ts';
import { bytesToId, idToBytes } from '../../platform/db/ids.ts';
import { byPrimaryKey } from '../../platform/db/query/hints.ts';
import { scopeCondition, tenantScope, type AdminScope, acrossTenants } from '../../platform/db/query/tenant-scope.ts';
import type { Database, Statements } from '../../platform/db/types.ts';
import { DependencyUnavailableError } from '../../platform/errors.ts';
import { addressBytes } from '../../platform/formats/address-range.ts';
import type { Account } from '../access/account.ts';
import type { CleanupTarget } from '../../platform/jobs/cleanup.ts';
import type { AuthenticationMethod } from '../access/authentication.ts';
import {
  AUTHENTICATED,
  authenticationOf,
  originBytes,
  SESSION,
  type AuthenticatedSession,
  type RevocationReason,
  type Session,
  type SessionAddress,
} from './session.ts';
import { notRevoked } from './session-list-store.ts';

export const SESSIONS_CLEANUP: CleanupTarget = {
  table: 'session_families',
  key: ['tenant_id', 'id'],
  expiresAt: ['idle_expires_at'],
  // An access token may outlive its session. Ending all sessions of an account must still find the row.
  keptUntil: ['access_expires_at'],
};

/** The client that has opened a session. */
interface SessionClient {
  readonly address: string;
  readonly userAgent?: string | undefined;
}

interface Confirmation {
  readonly from: readonly AuthenticationMethod[];
  readonly methods: readonly AuthenticationMethod[];
  /** Unix milliseconds. */
  readonly now: number;
  /** When the new access token expires. */
  readonly accessExpiresAt: number;
}

/** An account whose sessions are searched. */
type SessionOwner = Pick<Account, 'tenantId' | 'id' | 'endedSessions'>;

export type SessionStore = ReturnType<typeof createSessionStore>;

const SESSIONS = `SELECT ${SESSION.select('s')} FROM session_families s`;

const BY_KEY = byPrimaryKey('session_families');
const NO_ID = Buffer.alloc(16);
// If the limit was lowered, each login ends only part of the surplus.
const MAX_SURPLUS = 100;

// If two origins claim the session at once, the first statement wins.
export const CLAIMED_ORIGIN = 'origin = COALESCE(origin, ?)';
const OF_ALL_TENANTS = acrossTenants('a refresh begins with a credential');
const OF_ACCOUNT = 'tenant_id = :tenant AND account_id = ?';
const OPEN = 'revoked_at IS NULL AND id > ? AND idle_expires_at > ?';

export function createSessionStore(database: Database) {
  const before = database.beforeDeadline;
  const bySelector: BatchLoader<Session> = batchLoader(async (selectors) => {
    const rows = await database.query(
      `${SESSIONS} WHERE ${OF_ALL_TENANTS} AND selector IN (${selectors.map(() => '?').join(',')})`,
      selectors.map((selector) => Buffer.from(selector, 'hex')),
    );
    return new Map(rows.map((row) => SESSION.read(row)).map((session) => [session.selector.toString('hex'), session]));
  });
  return {
    /** Stores a new session. Rejects with DependencyUnavailableError if the deadline has passed. */
    async insert(tx: Statements, session: Session, client: SessionClient, deadline: Deadline): Promise<void> {
      const inserted = await tenantScope(tx, session.tenantId).execute(
        `INSERT INTO session_families (${SESSION.names}, client_address, address, user_agent)
         SELECT ${SESSION.placeholders}, ?, ?, ? FROM (SELECT 1 AS one) AS once WHERE ${before}
            AND NOT EXISTS (SELECT 1 FROM accounts WHERE tenant_id = :tenant AND id = ? AND sessions_ended_through >= ?)`,
        [
          ...SESSION.insertValues(session),
          client.address,
          addressBytes(client.address) ?? null,
          client.userAgent ?? null,
          database.deadlineValue(deadline),
          idToBytes(session.accountId),
          idToBytes(session.id),
        ],
      );
      if (inserted > 0) return;
      throw new DependencyUnavailableError('the deadline passed before the session was stored, or all were ended then');
    },

    /** Deletes a session that no client has received. */
    async remove({ tenantId, id }: SessionAddress): Promise<void> {
      await tenantScope(database, tenantId).execute(
        'DELETE FROM session_families WHERE tenant_id = :tenant AND id = ?',
        [idToBytes(id)],
      );
    },

    /** Reads from the database at every call. Concurrent calls share one query. */
    findBySelector: (selector: Buffer) => bySelector(selector.toString('hex')),

    /** Finds the tenant of the session of a signed token; undefined if the session does not exist. */
    async findAddress(id: string): Promise<SessionAddress | undefined> {
      const [row] = await database.query<{ tenant_id: string }>(
        `SELECT CAST(tenant_id AS CHAR) AS tenant_id FROM session_families
          WHERE ${acrossTenants('a signed token names its session')} AND id = ?`,
        [idToBytes(id)],
      );
      return row && { tenantId: row.tenant_id || undefined, id };
    },

    /** Finds a session within a scope. */
    async findInScope(scope: AdminScope, selector: Buffer): Promise<Session | undefined> {
      const { sql, values } = scopeCondition('tenant_id', scope);
      const [row] = await database.query(`${SESSIONS} WHERE selector = ? AND ${sql}`, [selector, ...values]);
      return row && SESSION.read(row);
    },

    /** Assigns a session to an origin. Returns false if it belongs to another one. */
    async claimOrigin(tx: Statements, { tenantId, id }: SessionAddress, origin: string): Promise<boolean> {
      const scope = tenantScope(tx, tenantId);
      await scope.execute(`UPDATE ${BY_KEY} SET ${CLAIMED_ORIGIN} WHERE tenant_id = :tenant AND id = ?`, [
        originBytes(origin),
        idToBytes(id),
      ]);
      const [row] = await scope.query<{ origin: string }>(
        'SELECT CAST(origin AS CHAR) AS origin FROM session_families WHERE tenant_id = :tenant AND id = ?',
        [idToBytes(id)],
      );
      return row === undefined || row.origin === origin;
    },

    /**
     * Returns the lifetime and the authentication of a session; undefined if the session does not exist. In a transaction, locks the
     * session, which the transaction will change, until the transaction ends.
     */
    async findAuthenticated(
      { tenantId, id }: SessionAddress,
      tx?: Statements,
    ): Promise<AuthenticatedSession | undefined> {
      const [row] = await tenantScope(tx ?? database, tenantId).query(
        `SELECT ${AUTHENTICATED.select('s')} FROM session_families s WHERE s.tenant_id = :tenant AND s.id = ?
          ${tx ? database.exclusiveLock : ''}`,
        [idToBytes(id)],
      );
      if (!row) return undefined;
      const session = AUTHENTICATED.read(row);
      return { ...session, ...authenticationOf(session) };
    },

    /**
     * Stores a later authentication of a session. Returns false if the session is revoked, has expired, does not exist, or no longer
     * has the methods `from`.
     */
    async confirm(
      tx: Statements,
      { tenantId, id }: SessionAddress,
      { from, methods, now, accessExpiresAt }: Confirmation,
      deadline: Deadline,
    ): Promise<boolean> {
      const changed = await tenantScope(tx, tenantId).execute(
        `UPDATE ${BY_KEY}
            SET auth_time = CASE WHEN auth_time > ? THEN auth_time ELSE ? END, amr = ?,
                access_expires_at = CASE WHEN access_expires_at < ? THEN ? ELSE access_expires_at END
          WHERE tenant_id = :tenant AND id = ? AND amr = ? AND revoked_at IS NULL AND idle_expires_at > ? AND ${before}`,
        [
          now,
          now,
          methods.join(' '),
          accessExpiresAt,
          accessExpiresAt,
          idToBytes(id),
          from.join(' '),
          now,
          database.deadlineValue(deadline),
        ],
      );
      return changed > 0;
    },

    /**
     * Makes this transaction fail at its commit if another node of a cluster ends or renews the session. The lock of a row holds on
     * its own node only. The session stays as it is.
     */
    async guard(tx: Statements, { tenantId, id }: SessionAddress): Promise<void> {
      for (const change of ['+ 1', '- 1'])
        await tenantScope(tx, tenantId).execute(
          `UPDATE ${BY_KEY} SET access_expires_at = access_expires_at ${change} WHERE tenant_id = :tenant AND id = ?`,
          [idToBytes(id)],
        );
    },

    /**
     * Returns whether a session itself is revoked, and locks it against changes until the transaction ends. False if the
     * session does not exist.
     */
    async isRevokedWithLock(tx: Statements, { tenantId, id }: SessionAddress): Promise<boolean> {
      const [row] = await tenantScope(tx, tenantId).query<{ revoked_at: number | null }>(
        `SELECT revoked_at FROM session_families WHERE tenant_id = :tenant AND id = ? ${database.shareLock}`,
        [idToBytes(id)],
      );
      return row !== undefined && row.revoked_at !== null;
    },

    /**
     * Revokes a session. Returns undefined if it does not exist. `first` is false if it was already revoked.
     * `accessExpiresAt` is when its last access token expires, in Unix milliseconds.
     */
    async revoke(
      tx: Statements,
      { tenantId, id }: SessionAddress,
      reason: RevocationReason,
      now: number,
      deadline: Deadline,
    ) {
      const scope = tenantScope(tx, tenantId);
      const changed = await scope.execute(
        `UPDATE ${BY_KEY} SET revoked_at = ?, revoked_reason = ?
          WHERE tenant_id = :tenant AND id = ? AND ${notRevoked('session_families')} AND ${before}`,
        [now, reason, idToBytes(id), database.deadlineValue(deadline)],
      );
      const [row] = await scope.query<{ access_expires_at: number }>(
        'SELECT access_expires_at FROM session_families WHERE tenant_id = :tenant AND id = ?',
        [idToBytes(id)],
      );
      return row && { first: changed > 0, accessExpiresAt: row.access_expires_at };
    },

    /** Counts the open sessions of an account and returns the greatest id of all its sessions. */
    async summarize(tx: Statements, account: SessionOwner, now: number) {
      const [row] = await tenantScope(tx, account.tenantId).query<{ open: number; last: Uint8Array | null }>(
        `SELECT COUNT(CASE WHEN ${OPEN} THEN 1 END) AS open, MAX(id) AS last FROM session_families WHERE ${OF_ACCOUNT}`,
        [endOf(account), now, idToBytes(account.id)],
      );
      const { open, last } = row!;
      return { open, last: last ? bytesToId(last) : undefined };
    },

    /** The open sessions of an account beyond a limit, least recently used first; at most MAX_SURPLUS. */
    async findLeastUsed(tx: Statements, account: SessionOwner, limit: number, now: number): Promise<string[]> {
      const openOfAccount = `${OF_ACCOUNT} AND ${OPEN}`;
      const values = [idToBytes(account.id), endOf(account), now];
      const scope = tenantScope(tx, account.tenantId);
      const [counted] = await scope.query<{ count: number }>(
        `SELECT COUNT(*) AS count FROM session_families WHERE ${openOfAccount}`,
        values,
      );
      const surplus = Math.min(counted!.count - limit, MAX_SURPLUS);
      if (surplus <= 0) return [];
      const rows = await scope.query<{ id: Uint8Array }>(
        `SELECT id FROM session_families WHERE ${openOfAccount} ORDER BY refreshed_at, id LIMIT ${surplus}`,
        values,
      );
      return rows.map((row) => bytesToId(row.id));
    },
  };
}

/** Returns the greatest id of the sessions that were ended together. */
function endOf({ endedSessions }: SessionOwner): Buffer {
  return endedSessions ? idToBytes(endedSessions.through) : NO_ID;
}

/** Deletes the sessions of a deleted account, at most `size` per statement. Their refresh tokens are unknown afterwards. */
export async function deleteSessionsOf(
  database: Database,
  { tenantId, accountId }: { readonly tenantId: string | undefined; readonly accountId: string },
  size: number,
): Promise<void> {
  const scope = tenantScope(database, tenantId);
  for (;;) {
    const rows = await scope.query<{ id: Uint8Array }>(
      `SELECT id FROM session_families WHERE ${OF_ACCOUNT} LIMIT ${size}`,
      [idToBytes(accountId)],
    );
    for (const { id } of rows)
      await scope.execute('DELETE FROM session_families WHERE tenant_id = :tenant AND id = ?', [id]);
    if (rows.length < size) return;
  }
}
