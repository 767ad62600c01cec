// Lists of sessions. session-store.ts writes their rows.
import { bytesToId, idToBytes } from '../../platform/db/ids.ts';
import { builderOf, runQuery } from '../../platform/db/query/builder.ts';
import type { ListOrder } from '../../platform/db/query/list-order.ts';
import { queryPage } from '../../platform/db/query/page-query.ts';
import type { CursorPage, Found } from '../../platform/db/query/page.ts';
import { inScope, tenantScope, type AdminScope } from '../../platform/db/query/tenant-scope.ts';
import type { Database, Statements } from '../../platform/db/types.ts';
import type { RevocationReason, StoredTransport } from './session.ts';

/** A session as its owner and administrators see it. */
export interface OpenSession {
  readonly id: string;
  readonly tenantId: string | undefined;
  readonly accountId: string;
  readonly transport: StoredTransport;
  readonly rememberMe: boolean;
  readonly clientAddress: string;
  /** Unix milliseconds, like all times in this interface. */
  readonly createdAt: number;
  readonly refreshedAt: number;
  readonly expiresAt: number;
}

interface SessionRow {
  id: Uint8Array;
  tenant_id: Uint8Array;
  account_id: Uint8Array;
  credential_form: StoredTransport;
  remember_me: number;
  client_address: string;
  created_at: number;
  refreshed_at: number;
  idle_expires_at: number;
}

const COLUMNS = [
  's.id',
  's.tenant_id',
  's.account_id',
  's.credential_form',
  's.remember_me',
  's.client_address',
  's.created_at',
  's.refreshed_at',
  's.idle_expires_at',
];

/**
 * SQL condition for rows of session_families that were revoked neither alone nor with all sessions of their account.
 *
 * @param sessions The table's name or alias in the statement.
 */
export function notRevoked(sessions: string): string {
  return `${sessions}.revoked_at IS NULL AND NOT EXISTS (SELECT 1 FROM accounts owner WHERE owner.tenant_id = ${sessions}.tenant_id
    AND owner.id = ${sessions}.account_id AND owner.sessions_ended_through >= ${sessions}.id)`;
}

/** Newest first: ids ascend with time. */
export const SESSION_ORDER: ListOrder = { key: [{ column: 's.id', kind: 'id' }], descending: true };

/** The open sessions of an account, newest first. */
export async function selectOpenSessions(
  database: Database,
  account: { readonly tenantId: string | undefined; readonly id: string },
  now: number,
  page: CursorPage,
): Promise<Found<OpenSession>> {
  return queryPage(
    database,
    {
      table: 'session_families',
      alias: 's',
      primaryKey: ['tenant_id', 'id'],
      order: SESSION_ORDER,
      scope: { everyTenant: false, tenantId: account.tenantId },
      branches: [
        {
          index: ['tenant_id', 'account_id'],
          matching: [
            { sql: 's.account_id = ?', values: [idToBytes(account.id)] },
            { sql: notRevoked('s'), values: [] },
            { sql: 's.idle_expires_at > ?', values: [now] },
          ],
        },
      ],
      columns: COLUMNS.join(', '),
      read: sessionOf,
    },
    page,
  );
}

/** The ids of all open sessions of an account. */
export async function selectOpenSessionIds(
  database: Pick<Database, 'engine' | 'query'>,
  { tenantId, id }: { readonly tenantId: string | undefined; readonly id: string },
  now: number,
): Promise<string[]> {
  const query = builderOf(database)('session_families as s')
    .modify(inScope('s.tenant_id', { everyTenant: false, tenantId }))
    .where('s.account_id', idToBytes(id))
    .whereRaw(notRevoked('s'))
    .where('s.idle_expires_at', '>', now)
    .orderBy('s.id')
    .select('s.id');
  const rows = await runQuery<Pick<SessionRow, 'id'>>(database, query);
  return rows.map((row) => bytesToId(row.id));
}

/**
 * Returns the open session with this id; undefined if it is outside the scope or belongs to another account than the
 * given one.
 */
export async function findOpenSession(
  database: Database,
  scope: AdminScope,
  { id, accountId }: { readonly id: string; readonly accountId: string | undefined },
  now: number,
): Promise<OpenSession | undefined> {
  const query = builderOf(database)('session_families as s')
    .where('s.id', idToBytes(id))
    .modify(inScope('s.tenant_id', scope))
    .whereRaw(notRevoked('s'))
    .where('s.idle_expires_at', '>', now)
    .modify((session) => accountId !== undefined && void session.where('s.account_id', idToBytes(accountId)))
    .select(COLUMNS);
  const [row] = await runQuery<SessionRow>(database, query);
  return row && sessionOf(row);
}

/**
 * Returns when and why a session was revoked, and its generation then; undefined if it is not revoked or was deleted.
 */
export async function findRevocation(
  db: Statements,
  { tenantId, id }: { readonly tenantId: string | undefined; readonly id: string },
): Promise<{ readonly revokedAt: number; readonly reason: RevocationReason; readonly generation: number } | undefined> {
  const [row] = await tenantScope(db, tenantId).query<{
    revoked_at: number;
    revoked_reason: RevocationReason;
    generation: number;
  }>(
    `SELECT COALESCE(s.revoked_at, a.sessions_ended_at) AS revoked_at, s.generation,
            COALESCE(s.revoked_reason, a.sessions_ended_reason) AS revoked_reason
       FROM session_families s LEFT JOIN accounts a ON a.tenant_id = s.tenant_id AND a.id = s.account_id
      WHERE s.tenant_id = :tenant AND s.id = ? AND (s.revoked_at IS NOT NULL OR a.sessions_ended_through >= s.id)`,
    [idToBytes(id)],
  );
  return row && { revokedAt: row.revoked_at, reason: row.revoked_reason, generation: row.generation };
}

function sessionOf(row: SessionRow): OpenSession {
  return {
    id: bytesToId(row.id),
    tenantId: Buffer.from(row.tenant_id).toString() || undefined,
    accountId: bytesToId(row.account_id),
    transport: row.credential_form,
    rememberMe: row.remember_me === 1,
    clientAddress: row.client_address,
    createdAt: row.created_at,
    refreshedAt: row.refreshed_at,
    expiresAt: row.idle_expires_at,
  };
}
