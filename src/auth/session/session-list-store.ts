// Lists of sessions. session-store.ts writes their rows.
import { optional, text } from '../../platform/db/columns.ts';
import { hexOf, hexToId, idToBytes } from '../../platform/db/ids.ts';
import { given, type Condition } from '../../platform/db/query/condition.ts';
import { useIndex } from '../../platform/db/query/hints.ts';
import type { ListOrder } from '../../platform/db/query/list-order.ts';
import { queryPage } from '../../platform/db/query/page-query.ts';
import type { CursorPage, Found } from '../../platform/db/query/page.ts';
import { scopeCondition, tenantScope, type AdminScope } from '../../platform/db/query/tenant-scope.ts';
import type { AddressRange } from '../../platform/formats/address-range.ts';
import { defineRecord, type ValuesOf } from '../../platform/db/record.ts';
import type { Database, Row, Statements } from '../../platform/db/types.ts';
import { networkOf } from '../../platform/formats/network.ts';
import { VISIBLE_COLUMNS, type RevocationReason, type SessionAddress } from './session.ts';

const COLUMNS = {
  ...VISIBLE_COLUMNS,
  clientAddress: text('client_address'),
  userAgent: optional(text('user_agent')),
};

export const OPEN_SESSION = defineRecord('session_families', { fixed: COLUMNS, fields: {} });
/** A session as its owner and administrators see it. */
export type OpenSession = ValuesOf<typeof COLUMNS>;

/** A session with the login name of its account; undefined if the account was deleted. */
export interface SessionOfAccount extends OpenSession {
  readonly username: string | undefined;
}

/**
 * SQL condition for rows of session_families that were revoked neither alone nor with all sessions of their account.
 *
 * @param sessions The table's name or alias in the statement.
 */
export function notRevoked(sessions: string): string {
  return `${sessions}.revoked_at IS NULL AND ${notEnded(sessions)}`;
}

/**
 * SQL condition for rows with the column session_id whose session is open. Its value is the time.
 *
 * @param rows The alias of their table.
 */
export function openSession(rows: string): string {
  return `EXISTS (SELECT 1 FROM session_families bound WHERE bound.tenant_id = ${rows}.tenant_id AND bound.id = ${rows}.session_id
    AND ${notRevoked('bound')} AND bound.idle_expires_at > ?)`;
}

const notEnded = (sessions: string) =>
  `NOT EXISTS (SELECT 1 FROM accounts owner WHERE owner.tenant_id = ${sessions}.tenant_id
    AND owner.id = ${sessions}.account_id AND owner.sessions_ended_through >= ${sessions}.id)`;

/** Beyond so many accounts, their set costs more than a look-up for each session. */
const MAX_ENDED = 20_000;

/**
 * Like `notRevoked`, for lists of many accounts. It reads the accounts once whose sessions were ended at once since the oldest
 * session. Only their sessions are compared with the account, which costs more than the session itself. The index of one tenant
 * begins with the tenant, so that the accounts of other tenants cost its list nothing.
 */
function notRevokedAmongMany(database: Database, scope: AdminScope): Condition {
  const within = scopeCondition('e.tenant_id', scope);
  const oldest = scopeCondition('o.tenant_id', scope);
  const index = scope.everyTenant
    ? ['sessions_ended_through', 'tenant_id', 'id']
    : ['tenant_id', 'sessions_ended_through', 'id'];
  const ended = `${useIndex(database, 'accounts', 'e', index)} WHERE ${within.sql}
    AND e.sessions_ended_through >= (SELECT MIN(o.id) FROM session_families o WHERE ${oldest.sql})`;
  const values = [...within.values, ...oldest.values];
  return {
    sql: `s.revoked_at IS NULL AND (((SELECT 1 FROM ${ended} LIMIT 1 OFFSET ${MAX_ENDED}) IS NULL
      AND s.account_id NOT IN (SELECT e.id FROM ${ended})) OR ${notEnded('s')})`,
    values: [...values, ...values],
  };
}

const NOT_EXPIRED = 's.idle_expires_at > ?';
const USERNAME = 'CAST(a.username AS CHAR) AS username';
const WITH_ACCOUNT = 'LEFT JOIN accounts a ON a.tenant_id = s.tenant_id AND a.id = s.account_id';

function readWithUsername(row: Row): SessionOfAccount {
  return { ...OPEN_SESSION.read(row), username: (row['username'] as string | null) ?? undefined };
}

/** Newest first: ids ascend with time. */
export const SESSION_ORDER: ListOrder = { key: [{ column: 's.id', kind: 'id' }], descending: true };

/** The open sessions of an account, newest first. */
export async function selectOpenSessions(
  database: Database,
  account: { readonly tenantId: string | undefined; readonly id: string },
  now: number,
  page: CursorPage,
  policies: readonly Condition[] = [],
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
            { sql: NOT_EXPIRED, values: [now] },
            ...policies,
          ],
        },
      ],
      columns: OPEN_SESSION.select('s'),
      read: (row: Row) => OPEN_SESSION.read(row),
    },
    page,
  );
}

export interface SessionFilter {
  readonly scope: AdminScope;
  readonly accountId: string | undefined;
  readonly address?: AddressRange | undefined;
  /** A part of the User-Agent header. Case does not matter. */
  readonly userAgent?: string | undefined;
  /** What the policies in force leave: see limits/limit-sessions.ts. */
  readonly policies?: readonly Condition[];
}

/** Open sessions of several accounts. Migrations 0004 and 0080 create the indexes. */
export async function selectSessions(
  database: Database,
  { scope, accountId, address, userAgent, policies = [] }: SessionFilter,
  now: number,
  page: CursorPage,
): Promise<Found<SessionOfAccount>> {
  const index =
    accountId !== undefined
      ? (['tenant_id', 'account_id'] as const)
      : address !== undefined && !address.isWide
        ? (['address', 'id', 'tenant_id'] as const)
        : scope.everyTenant
          ? 'UNIQUE id'
          : 'PRIMARY';
  return queryPage(
    database,
    {
      table: 'session_families',
      alias: 's',
      primaryKey: ['tenant_id', 'id'],
      order: SESSION_ORDER,
      scope,
      branches: [
        {
          index,
          matching: [
            ...(accountId === undefined
              ? [notRevokedAmongMany(database, scope)]
              : [
                  { sql: 's.account_id = ?', values: [idToBytes(accountId)] },
                  { sql: notRevoked('s'), values: [] },
                ]),
            ...(address ? [{ sql: 's.address >= ? AND s.address <= ?', values: [address.first, address.last] }] : []),
            ...given(userAgent?.toLowerCase(), 'INSTR(LOWER(s.user_agent), ?) > 0'),
            ...policies,
            // SQLite must not choose the index of the end, which does not have the order of the list.
            { sql: `+${NOT_EXPIRED}`, values: [now] },
          ],
        },
      ],
      columns: `${OPEN_SESSION.select('s')}, ${USERNAME}`,
      joins: `LEFT JOIN ${useIndex(database, 'accounts', 'a', 'PRIMARY')} ON a.tenant_id = s.tenant_id AND a.id = s.account_id`,
      read: readWithUsername,
    },
    page,
  );
}

/** Returns the networks of the sessions of an account since a time, without those of its earlier sessions that are still stored. */
export async function selectNewNetworks(
  db: Statements,
  { tenantId, id }: { readonly tenantId: string | undefined; readonly id: string },
  since: number,
): Promise<string[]> {
  const rows = await tenantScope(db, tenantId).query<{ address: string; created_at: number }>(
    `SELECT s.client_address AS address, s.created_at AS created_at FROM session_families s
      WHERE s.tenant_id = :tenant AND s.account_id = ? ORDER BY s.id DESC LIMIT ${MAX_JUDGED}`,
    [idToBytes(id)],
  );
  const networks = (isNew: boolean) =>
    rows.filter(({ created_at: at }) => at >= since === isNew).map(({ address }) => networkOf(address));
  const known = new Set(networks(false));
  return [...new Set(networks(true))].filter((network) => !known.has(network));
}

/** Sessions of an account that tell which networks it uses. They are kept for some time after their end. */
const MAX_JUDGED = 1_000;

/** An account with open sessions. */
export interface SessionOwner {
  readonly id: string;
  readonly username: string;
}

/** Returns the accounts of a tenant that have sessions up to an id which are open, by their ids. */
export async function selectSessionOwners(
  db: Statements,
  tenantId: string,
  range: { readonly through: string; readonly after: string | undefined; readonly now: number; readonly limit: number },
): Promise<SessionOwner[]> {
  const { through, after, now, limit } = range;
  const rows = await tenantScope(db, tenantId).query<{ id: string; username: string }>(
    `SELECT ${hexOf('s.account_id')} AS id, CAST(a.username AS CHAR) AS username FROM session_families s
      JOIN accounts a ON a.tenant_id = s.tenant_id AND a.id = s.account_id
      WHERE s.tenant_id = :tenant AND s.account_id > ? AND s.id <= ? AND ${notRevoked('s')} AND ${NOT_EXPIRED}
      GROUP BY s.account_id, a.username ORDER BY s.account_id LIMIT ${limit}`,
    [after === undefined ? Buffer.alloc(0) : idToBytes(after), idToBytes(through), now],
  );
  return rows.map(({ id, username }) => ({ id: hexToId(id), username }));
}

/** The ids of all open sessions of an account. */
export async function selectOpenSessionIds(
  db: Statements,
  { tenantId, id }: { readonly tenantId: string | undefined; readonly id: string },
  now: number,
): Promise<string[]> {
  const rows = await tenantScope(db, tenantId).query<{ id: string }>(
    `SELECT ${hexOf('s.id')} AS id FROM session_families s
      WHERE s.tenant_id = :tenant AND s.account_id = ? AND ${notRevoked('s')} AND ${NOT_EXPIRED} ORDER BY s.id`,
    [idToBytes(id), now],
  );
  return rows.map((row) => hexToId(row.id));
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
  policies: readonly Condition[] = [],
): Promise<SessionOfAccount | undefined> {
  const conditions = [
    { sql: `s.id = ? AND ${notRevoked('s')} AND ${NOT_EXPIRED}`, values: [idToBytes(id), now] },
    scopeCondition('s.tenant_id', scope),
    ...given(accountId && idToBytes(accountId), 's.account_id = ?'),
    ...policies,
  ];
  const [row] = await database.query(
    `SELECT ${OPEN_SESSION.select('s')}, ${USERNAME} FROM session_families s ${WITH_ACCOUNT} WHERE ${conditions.map(({ sql }) => sql).join(' AND ')}`,
    conditions.flatMap(({ values }) => values),
  );
  return row && readWithUsername(row);
}

/**
 * Returns when and why a session was revoked, and its generation then; undefined if it is not revoked or was deleted.
 */
export async function findRevocation(
  db: Statements,
  { tenantId, id }: SessionAddress,
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
