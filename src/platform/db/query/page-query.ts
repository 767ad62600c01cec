// Queries one page of a list of administration. Rows are counted up to a limit, so that a list costs about the same however
// long it is. One statement reads the keys of the counted rows, and all columns of those on the page.
import type { Database, Reader, SqlValue } from '../types.ts';
import type { Condition } from './condition.ts';
import { behind, byKey, keyColumns, keyOf, type ListOrder } from './list-order.ts';
import type { CursorPage, Found, Key, Total } from './page.ts';
import { scopeCondition, type AdminScope } from './tenant-scope.ts';
import { THEN_JOIN, useIndex, type Index } from './hints.ts';

/** Some rows of a list, which one index has in the order of the list. */
export interface Branch {
  readonly index: Index;
  readonly matching: readonly Condition[];
}

export interface PageQuery<Row, Item> {
  readonly table: string;
  /** Its alias in all SQL. */
  readonly alias: string;
  readonly primaryKey: readonly string[];
  readonly order: ListOrder;
  /** Restricts every part of the statement. Undefined only for the table of tenants. */
  readonly scope: AdminScope | undefined;
  /** Together all rows of the list, each once. */
  readonly branches: readonly Branch[];
  /** SQL of the columns of an item. */
  readonly columns: string;
  /** Joins for these columns, which must not change the number of rows. */
  readonly joins?: string;
  /** Converts a row of these columns to an item. */
  readonly read: (row: Row) => Item;
}

type ListDatabase = Pick<Database, 'engine' | 'queryLong' | 'whileWanted'>;

interface Counted {
  readonly list_total: number | string;
}

/** Rows are counted up to this number. */
export const MAX_COUNTED = 10_000;

/** Returns one page of a list, and the number of its items up to MAX_COUNTED. */
export async function queryPage<Row extends object, Item>(
  database: ListDatabase,
  query: PageQuery<Row, Item>,
  { perPage, offset, after, reader }: CursorPage,
): Promise<Found<Item>> {
  if (query.branches.length === 0) return { items: [], total: 0, isMinimum: false, next: undefined };
  // One more row than the page has shows whether there is a next page.
  const size = perPage + 1;
  const isCounted = after === undefined && offset + size <= MAX_COUNTED;
  const keys = isCounted
    ? countedKeys(database, query, size, offset)
    : pageKeys(database, query, size, offset, after?.key);
  const page = rowsOfKeys(database, query, keys, isCounted);
  const rows = await database.queryLong<Row & Counted>(page.sql, page.values, reader);
  const total = after?.total ?? (await totalOf(rows, isCounted, offset, () => countRows(database, query, reader)));
  const last = rows.length > perPage ? rows[perPage - 1] : undefined;
  const next = last && { key: keyOf(query.order, last), offset: offset + perPage, total };
  return { items: rows.slice(0, perPage).map(query.read), ...total, next };
}

async function totalOf(
  rows: readonly Counted[],
  isCounted: boolean,
  offset: number,
  count: () => Promise<number>,
): Promise<Total> {
  // A page beyond the end has no row with the total.
  if (rows.length === 0) return capped(offset === 0 ? 0 : await count());
  return capped(isCounted ? Number(rows[0]!.list_total) : offset + rows.length);
}

function capped(counted: number): Total {
  return { total: Math.min(counted, MAX_COUNTED), isMinimum: counted > MAX_COUNTED };
}

async function countRows(database: ListDatabase, query: KeyQuery, reader: Reader): Promise<number> {
  const { sql, values } = matchingKeys(database, query, MAX_COUNTED + 1);
  const [row] = await database.queryLong<Counted>(
    `SELECT COUNT(*) AS list_total FROM (${sql}) AS counted`,
    values,
    reader,
  );
  return Number(row!.list_total);
}

type KeyQuery = Pick<PageQuery<never, unknown>, 'table' | 'alias' | 'primaryKey' | 'order' | 'scope' | 'branches'>;

/** The columns by which a row is found again. */
function identity({ engine }: ListDatabase, primaryKey: readonly string[]): readonly string[] {
  // Every index of SQLite contains it, and it is shorter.
  return engine === 'sqlite' ? ['rowid'] : primaryKey;
}

/** The rows of some keys, in order. */
function rowsOfKeys<Row, Item>(
  database: ListDatabase,
  { table, alias, primaryKey, order, scope, columns, joins = '' }: PageQuery<Row, Item>,
  keys: Condition,
  isCounted: boolean,
): Condition {
  const same = identity(database, primaryKey).map((column) => `${alias}.${column} = on_page.row_${column}`);
  const within = scope === undefined ? undefined : scopeCondition(`${alias}.tenant_id`, scope);
  const selected = [columns, ...keyColumns(order), ...(isCounted ? ['on_page.list_total'] : [])];
  return {
    sql: `SELECT ${selected.join(', ')} FROM (${keys.sql}) AS on_page ${THEN_JOIN[database.engine]} ${useIndex(database, table, alias, 'PRIMARY')} ON ${same.join(' AND ')} ${joins}
      ${within === undefined ? '' : `WHERE ${within.sql}`} ${byKey(order)}`,
    values: [...keys.values, ...(within?.values ?? [])],
  };
}

/** The keys of a page, each with the number of keys of all pages. */
function countedKeys(database: ListDatabase, query: KeyQuery, size: number, offset: number): Condition {
  const { sql, values } = matchingKeys(database, query, MAX_COUNTED + 1);
  return {
    sql: `SELECT counted.*, COUNT(*) OVER () AS list_total FROM (${sql}) AS counted ${byKey(query.order)} LIMIT ? OFFSET ?`,
    values: [...values, size, offset],
  };
}

/** The keys of a page behind a position, or after `offset` rows. */
function pageKeys(
  database: ListDatabase,
  query: KeyQuery,
  size: number,
  offset: number,
  after: Key | undefined,
): Condition {
  const skipped = after === undefined ? offset : 0;
  const [only, ...others] = query.branches;
  // The engine skips in the index, without a copy of the keys before the page.
  if (others.length === 0) return branchKeys(database, query, only!, { limit: size, skipped }, after);
  const { sql, values } = matchingKeys(database, query, skipped + size, after);
  return {
    sql: `SELECT matching.* FROM (${sql}) AS matching ${byKey(query.order)} LIMIT ? OFFSET ?`,
    values: [...values, size, skipped],
  };
}

/** The first keys of each branch. */
function matchingKeys(database: ListDatabase, query: KeyQuery, limit: number, after?: Key): Condition {
  const parts = query.branches.map((branch) => branchKeys(database, query, branch, { limit, skipped: 0 }, after));
  const [only, ...others] = parts;
  if (others.length === 0) return only!;
  return {
    sql: parts.map(({ sql }, index) => `SELECT * FROM (${sql}) AS branch_${index}`).join(' UNION ALL '),
    values: parts.flatMap(({ values }) => values),
  };
}

function branchKeys(
  database: ListDatabase,
  { table, alias, primaryKey, order, scope }: KeyQuery,
  { index, matching }: Branch,
  { limit, skipped }: { readonly limit: number; readonly skipped: number },
  after: Key | undefined,
): Condition {
  const conditions: Condition[] = [
    ...(scope === undefined ? [] : [scopeCondition(`${alias}.tenant_id`, scope)]),
    ...matching,
    ...(after === undefined ? [] : [behind(order, after)]),
    { sql: database.whileWanted(alias), values: [] },
  ];
  const columns = [
    ...identity(database, primaryKey).map((column) => `${alias}.${column} AS row_${column}`),
    ...keyColumns(order),
  ];
  return {
    sql: `SELECT ${columns.join(', ')} FROM ${useIndex(database, table, alias, index)}
      WHERE ${conditions.map(({ sql }) => sql).join(' AND ')} ${byKey(order)} LIMIT ? OFFSET ?`,
    values: [...conditions.flatMap(({ values }): readonly SqlValue[] => values), limit, skipped],
  };
}
