// Lists of accounts. account-store.ts writes their rows.
import { UNLIMITED } from '../../../platform/clock.ts';
import { splitList } from '../../../platform/db/columns.ts';
import type { Condition } from '../../../platform/db/query/condition.ts';
import type { ListOrder } from '../../../platform/db/query/list-order.ts';
import { queryPage, type Branch } from '../../../platform/db/query/page-query.ts';
import type { CursorPage, Found } from '../../../platform/db/query/page.ts';
import { containing, searchText } from '../../../platform/db/query/search-text.ts';
import {
  acrossTenants,
  scopeCondition,
  tenantScope,
  type AdminScope,
} from '../../../platform/db/query/tenant-scope.ts';
import { testedInIndex, useIndex, type Index } from '../../../platform/db/query/hints.ts';
import { hexOf, hexToId } from '../../../platform/db/ids.ts';
import type { Database, Reader, Row, Statements } from '../../../platform/db/types.ts';
import type { Account } from '../../access/account.ts';
import type { DefinitionsReader } from '../../access/roles/definitions.ts';
import type { HeldPermissions } from '../../access/roles/rights.ts';
import { ACCOUNT_COLUMNS, readAccounts } from '../account-row.ts';
import { ACCOUNT_ORDER, indexOfOrder } from './account-order.ts';
import { INDEX_OF_STATE, inState, whetherDisabled, type AccountState } from './account-state.ts';

export interface AccountFilter {
  readonly interactive: boolean;
  /** Part of the username, the name or the e-mail address; case-insensitive. */
  readonly query: string | undefined;
  readonly role?: string | undefined;
  readonly disabled: boolean | undefined;
  readonly state?: AccountState | undefined;
}

/** The order of a list, and the time at which the states of its users are judged. */
export interface Listing {
  readonly order: ListOrder;
  readonly now: number;
}

/**
 * Rows of a filter up to which a page in another order than that of the index of the filter is sorted. Of more rows, the index of the
 * order has those of a page close to each other.
 */
const MAX_SORTED = 50_000;

/** Accounts within a scope. */
export async function selectAccounts(
  database: Database,
  definitions: DefinitionsReader,
  scope: AdminScope,
  filter: AccountFilter,
  page: CursorPage,
  listing: Listing = { order: ACCOUNT_ORDER, now: 0 },
): Promise<Found<Account>> {
  const branch = await branchOf(database, scope, filter, listing, page.reader);
  const found = await queryPage(
    database,
    {
      table: 'accounts',
      alias: 'a',
      primaryKey: ['tenant_id', 'id'],
      order: listing.order,
      scope,
      branches: [branch],
      columns: ACCOUNT_COLUMNS,
      joins: `LEFT JOIN ${useIndex(database, 'tenants', 't', 'PRIMARY')} ON t.id = a.tenant_id`,
      read: (row: Row) => row,
    },
    page,
  );
  return { ...found, items: (await readAccounts(found.items, definitions)).map(({ account }) => account) };
}

/** Chooses the index: that of the order, or that of the filters if few rows match them, which are sorted then. */
async function branchOf(
  database: Database,
  scope: AdminScope,
  { interactive, state, ...rest }: AccountFilter,
  { order, now }: Listing,
  reader: Reader,
): Promise<Branch> {
  const ofFilters = indexOf(database, scope);
  const ofOrder = indexOfOrder(order, scope) ?? ofFilters;
  const isFiltered = rest.disabled !== undefined || state !== undefined;
  const dueBy = isFiltered && (await hasDue(database, scope, now)) ? now : undefined;
  const filters = filtersOf(database, { ...rest, state }, dueBy);
  const of = (index: Index): Branch => ({
    index,
    matching: [
      // SQLite cannot be told to use a unique key, and must not choose an index of the kind instead.
      { sql: `${index === 'UNIQUE username' ? '+' : ''}a.interactive = ?`, values: [interactive ? 1 : 0] },
      ...filters,
      ...inState(state, now),
    ],
  });
  const ofState = state && INDEX_OF_STATE[state];
  const selective = ofState ?? (filters.length > 0 && ofOrder !== ofFilters ? ofFilters : undefined);
  if (selective === undefined) return of(ofOrder);
  const { matching } = of(selective);
  const within = [scopeCondition('a.tenant_id', scope), ...matching, { sql: database.whileWanted('a'), values: [] }];
  const [found] = await database.queryLong<{ readonly found: number | string }>(
    `SELECT COUNT(*) AS found FROM (SELECT 1 AS one FROM ${useIndex(database, 'accounts', 'a', selective)}
      WHERE ${within.map(({ sql }) => sql).join(' AND ')} LIMIT ${MAX_SORTED + 1}) AS matching`,
    within.flatMap(({ values }) => values),
    reader,
  );
  return of(Number(found!.found) > MAX_SORTED ? ofOrder : selective);
}

/** Whether accounts within a scope are to be disabled by now, and the job has not done it yet. */
export async function hasDue(db: Statements, scope: AdminScope, now: number): Promise<boolean> {
  const { sql, values } = scopeCondition('a.tenant_id', scope);
  const rows = await db.query(`SELECT 1 AS one FROM accounts a WHERE ${sql} AND a.disable_at <= ? LIMIT 1`, [
    ...values,
    now,
  ]);
  return rows.length > 0;
}

/** The index has the order of the list by id, and not that of a filter. */
function filtersOf(
  database: Database,
  { query, role, disabled, state }: Omit<AccountFilter, 'interactive'>,
  dueBy: number | undefined,
) {
  const filters = [
    ...whetherDisabled(disabled, dueBy),
    ...whetherDisabled(state && state === 'DISABLED', dueBy),
    ...holding(role),
    ...withText(database, query),
  ];
  return filters.length === 0 ? [] : [...filters, testedInIndex('a.updated_at')];
}

/** The names of some roles contain others. The first test is cheap and leaves few rows to the second. */
function holding(role: string | undefined): readonly Condition[] {
  if (role === undefined) return [];
  return [{ sql: "INSTR(a.roles, ?) > 0 AND INSTR(CONCAT(',', a.roles, ','), ?) > 0", values: [role, `,${role},`] }];
}

/** An index of MySQL has only texts of up to 800 bytes. The others are read from their rows. */
function withText({ engine }: Database, query: string | undefined): readonly Condition[] {
  if (engine === 'sqlite' || query === undefined) return containing(query);
  const text = searchText(query);
  return [
    {
      sql: `(INSTR(a.text_key, ?) > 0 OR (a.text_key IS NULL AND INSTR((SELECT l.search_text
        FROM accounts l WHERE l.tenant_id = a.tenant_id AND l.id = a.id), ?) > 0))`,
      values: [text, text],
    },
  ];
}

/** Returns an index with all that the filters read. Migrations 0035 and 0047 create it. */
function indexOf({ engine }: Database, { everyTenant }: AdminScope): Index {
  const columns = ['interactive', 'id', 'disabled', 'roles', TEXT_OF_INDEX[engine]];
  return everyTenant ? columns : ['tenant_id', ...columns];
}

const TEXT_OF_INDEX: Readonly<Record<Database['engine'], string>> = {
  sqlite: 'search_text',
  mysql: 'text_key',
};

/** Returns the ids of accounts of a tenant, at most `limit`. */
export async function selectAccountIds(db: Statements, tenantId: string, limit: number): Promise<string[]> {
  const rows = await tenantScope(db, tenantId).query<{ id: string }>(
    `SELECT ${hexOf('id')} AS id FROM accounts WHERE tenant_id = :tenant LIMIT ${limit}`,
    [],
  );
  return rows.map(({ id }) => hexToId(id));
}

/** Grouped in the order of the index first, which takes MariaDB a quarter of the time. */
const LISTS_OF = (where: string) => `SELECT g.roles AS roles, SUM(g.accounts) AS accounts FROM (
    SELECT a.roles AS roles, COUNT(*) AS accounts FROM accounts a WHERE ${where} GROUP BY a.tenant_id, a.roles) g GROUP BY g.roles`;

/** Returns the number of accounts within a scope for each list of roles. */
export async function countByRoles(
  database: Database,
  scope: AdminScope,
  reader: Reader,
): Promise<ReadonlyMap<string, number>> {
  const { sql, values } = scopeCondition('a.tenant_id', scope);
  const rows = await database.queryLong<{ readonly roles: string; readonly accounts: number | string }>(
    LISTS_OF(`${sql} AND ${database.whileWanted('a')}`),
    values,
    reader,
  );
  return new Map(rows.map(({ roles, accounts }) => [roles, Number(accounts)]));
}

/** Roles that accounts of a tenant hold. */
export interface RoleList {
  /** Empty for accounts without a tenant. */
  readonly tenantId: string;
  readonly roles: readonly string[];
}

/** Returns the lists of roles that accounts of a tenant hold, each once; without a tenant, those of every tenant. */
export async function selectRoleLists(db: Statements, tenantId: string | undefined): Promise<RoleList[]> {
  const { sql, values } = scopeCondition(
    'a.tenant_id',
    tenantId === undefined ? { everyTenant: true } : { everyTenant: false, tenantId },
  );
  const rows = await db.query<{ readonly tenant: string; readonly roles: string }>(
    `SELECT CAST(a.tenant_id AS CHAR) AS tenant, a.roles AS roles FROM accounts a WHERE ${sql}
      GROUP BY a.tenant_id, a.roles`,
    values,
  );
  return rows.map(({ tenant, roles }) => ({ tenantId: tenant, roles: splitList(roles) }));
}

/**
 * Returns enabled users with an e-mail address who hold all of some permissions, at most `limit`: of a tenant, or those without one.
 */
export async function selectHolders(
  database: Database,
  definitions: DefinitionsReader,
  { tenantId, permissions, limit, now }: { readonly tenantId: string | undefined } & Holding,
): Promise<readonly Account[]> {
  const scope = { everyTenant: false, tenantId } as const;
  const defined = await definitions.load({ tenantId, version: null });
  const counts = await countByRoles(database, scope, { deadline: UNLIMITED, tenantId });
  const lists = [...counts.keys()].filter((roles) => {
    const held = defined.rightsOf(splitList(roles)).permissions;
    return permissions.every((permission) => held.has(permission));
  });
  if (lists.length === 0) return [];
  const rows = await tenantScope(database, tenantId).query(
    `SELECT ${ACCOUNT_COLUMNS} FROM ${useIndex(database, 'accounts', 'a', indexOf(database, scope))}
       LEFT JOIN tenants t ON t.id = a.tenant_id
      WHERE a.tenant_id = :tenant AND a.interactive = 1 AND a.disabled = 0 AND (a.disable_at IS NULL OR a.disable_at > ?)
        AND a.roles IN (${lists.map(() => '?').join(', ')}) AND a.email IS NOT NULL ORDER BY a.id LIMIT ${limit}`,
    [now, ...lists],
  );
  return (await readAccounts(rows, definitions)).map(({ account }) => account);
}

/** Returns the number of enabled users of a tenant with a password, or without a second factor and with one of some lists of roles. */
export async function countUsers(
  database: Database,
  tenantId: string,
  which: 'withPassword' | { readonly withoutFactor: { readonly roles: readonly string[] } },
  now: number,
  reader: Reader,
): Promise<number> {
  const { sql, values } = scopeCondition('a.tenant_id', { everyTenant: false, tenantId });
  const roles = which === 'withPassword' ? [] : which.withoutFactor.roles;
  const condition =
    which === 'withPassword'
      ? 'a.password_hash IS NOT NULL'
      : `a.factors = '' AND a.roles IN (${roles.map(() => '?').join(', ')})`;
  const [row] = await database.queryLong<{ total: number | string }>(
    `SELECT COUNT(*) AS total FROM accounts a
      WHERE ${sql} AND a.interactive = 1 AND a.disabled = 0 AND (a.disable_at IS NULL OR a.disable_at > ?) AND ${condition}
        AND ${database.whileWanted('a')}`,
    [...values, now, ...roles],
    reader,
  );
  return Number(row!.total);
}

interface Holding {
  readonly permissions: readonly Parameters<HeldPermissions['has']>[0][];
  readonly limit: number;
  readonly now: number;
}

const OF_ALL_TENANTS = acrossTenants('a client id belongs to one service account of all');

/** Returns those of some texts that are client ids of service accounts. */
export async function selectNamesOfServiceAccounts(
  db: Statements,
  texts: readonly string[],
): Promise<ReadonlySet<string>> {
  if (texts.length === 0) return new Set();
  const rows = await db.query<{ readonly username: string }>(
    `SELECT CAST(username AS CHAR) AS username FROM accounts
      WHERE ${OF_ALL_TENANTS} AND username IN (${texts.map(() => '?').join(', ')}) AND interactive = 0`,
    texts.map((text) => Buffer.from(text)),
  );
  return new Set(rows.map(({ username }) => username));
}
