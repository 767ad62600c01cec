// Queries one page of a list of administration. Rows are counted up to a limit, so that a list costs about the same however
// long it is. One statement reads the keys of the counted rows, and all columns of those on the page.
import type { Database, Reader } from '../types.ts';
import { composeOnce, loadBuilder, type Builder, type Part, type Query } from './builder.ts';
import type { Condition } from './condition.ts';
import { THEN_JOIN, useIndex, type Index } from './hints.ts';
import { behind, byKey, keyColumns, keyOf, type ListOrder } from './list-order.ts';
import { MAX_SKIPPED, type CursorPage, type Found, type Key, type Total } from './page.ts';
import { scopeCondition, type AdminScope } from './tenant-scope.ts';

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
  await loadBuilder();
  if (after === undefined && offset > MAX_SKIPPED) return findTooFar(database, query, reader);
  // One more row than the page has shows whether there is a next page.
  const size = perPage + 1;
  const isCounted = after === undefined && offset + size <= MAX_COUNTED;
  const page = pageOf(database, query, {
    size,
    skipped: after === undefined ? offset : 0,
    after: after?.key,
    isCounted,
  });
  const rows = await database.queryLong<Row & Counted>(page.sql, page.values, reader);
  const total = after?.total ?? (await totalOf(rows, isCounted, offset, () => countRows(database, query, reader)));
  const last = rows.length > perPage ? rows[perPage - 1] : undefined;
  const next = last && { key: keyOf(query.order, last), offset: offset + perPage, total };
  return { items: rows.slice(0, perPage).map(query.read), ...total, next };
}

/** Returns a page behind MAX_SKIPPED items, which is empty or too far. */
async function findTooFar<Row, Item>(
  database: ListDatabase,
  query: PageQuery<Row, Item>,
  reader: Reader,
): Promise<Found<Item>> {
  const first = pageOf(database, query, { size: 1, skipped: MAX_SKIPPED, after: undefined, isCounted: false });
  const rows = await database.queryLong(first.sql, first.values, reader);
  const total = capped(await countRows(database, query, reader));
  return { items: [], ...total, next: undefined, ...(rows.length > 0 && { isTooFar: true }) };
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
  const all = rangeOf(query, MAX_COUNTED + 1, 0);
  const branches = branchesOf(database, query, undefined);
  const keys = composeOnce(database, shapeOf('keys', query), [...partsOf(branches), all], (knex, part) =>
    keysOf(knex, part, database, query, branches, all),
  );
  const count = `SELECT COUNT(*) AS list_total FROM (${keys.sql}) AS counted`;
  const [row] = await database.queryLong<Counted>(count, keys.values, reader);
  return Number(row!.list_total);
}

type KeyQuery = Pick<PageQuery<never, unknown>, 'table' | 'alias' | 'primaryKey' | 'order' | 'scope' | 'branches'>;

/** The part of a text that its conditions do not tell. */
function shapeOf(kind: string, { table, order, branches }: KeyQuery): string {
  const sorted = order.key.map(({ column }) => column).join();
  return [kind, table, sorted, ...branches.map(({ index, matching }) => `${index.toString()}:${matching.length}`)].join(
    ' ',
  );
}

/** The columns by which a row is found again. */
function identity({ engine }: ListDatabase, primaryKey: readonly string[]): readonly string[] {
  // Every index of SQLite contains it, and it is shorter.
  return engine === 'sqlite' ? ['rowid'] : primaryKey;
}

/** A page of keys of a list. */
interface Slice {
  readonly size: number;
  readonly skipped: number;
  /** The position before the page, instead of rows to skip. */
  readonly after: Key | undefined;
  /** Whether each row has the number of keys of all pages. */
  readonly isCounted: boolean;
}

/** The rows of a page, in order. */
function pageOf<Row, Item>(
  database: ListDatabase,
  query: PageQuery<Row, Item>,
  { size, skipped, after, isCounted }: Slice,
): Condition {
  const { table, alias, primaryKey, order, scope, columns, joins = '' } = query;
  const isOne = query.branches.length === 1;
  const page = rangeOf(query, size, skipped);
  // Of a single branch that is not counted, the engine skips in the index, without a copy of the keys before the page.
  const inBranch = isCounted ? rangeOf(query, MAX_COUNTED + 1, 0) : isOne ? page : rangeOf(query, skipped + size, 0);
  const within = scope === undefined ? undefined : scopeCondition(`${alias}.tenant_id`, scope);
  const branches = branchesOf(database, query, after);
  const parts = [...partsOf(branches), ...(within ? [within] : []), ...new Set([page, inBranch])];
  const kind = `${isCounted ? 'counted' : 'page'} ${after === undefined ? '' : 'after'} ${columns} ${joins}`;
  return composeOnce(database, shapeOf(kind, query), parts, (knex, part) => {
    const matching = keysOf(knex, part, database, query, branches, inBranch);
    const counted = isCounted ? [knex.raw('COUNT(*) OVER () AS list_total')] : [];
    const keys =
      inBranch === page
        ? matching
        : knex
            .select('matching.*', ...counted)
            .from(matching.as('matching'))
            .orderByRaw(part(page));
    const same = identity(database, primaryKey).map((column) => `${alias}.${column} = on_page.row_${column}`);
    const rows = knex
      .select(knex.raw([columns, ...keyColumns(order), ...(isCounted ? ['on_page.list_total'] : [])].join(', ')))
      .from(keys.as('on_page'))
      .joinRaw(
        `${THEN_JOIN[database.engine]} ${useIndex(database, table, alias, 'PRIMARY')} ON ${same.join(' AND ')} ${joins}`,
      )
      .orderByRaw(byKey(order));
    return within === undefined ? rows : rows.whereRaw(part(within));
  });
}

/** The order of a list with a range of its rows. */
function rangeOf({ order }: KeyQuery, limit: number, skipped: number): Condition {
  return { sql: `${byKey(order)} LIMIT ? OFFSET ?`, values: [limit, skipped] };
}

/** The conditions of a branch. */
interface Conditions {
  readonly index: Index;
  readonly conditions: readonly Condition[];
}

function branchesOf(
  database: ListDatabase,
  { alias, order, scope, branches }: KeyQuery,
  after: Key | undefined,
): Conditions[] {
  return branches.map(({ index, matching }) => ({
    index,
    conditions: [
      ...(scope === undefined ? [] : [scopeCondition(`${alias}.tenant_id`, scope)]),
      // Before the filters: of two bounds of a column, SQLite seeks the first, and reads all rows up to the other one.
      ...(after === undefined ? [] : [behind(order, after)]),
      ...matching,
      { sql: database.whileWanted(alias), values: [] },
    ],
  }));
}

function partsOf(branches: readonly Conditions[]): readonly Condition[] {
  return branches.flatMap(({ conditions }) => conditions);
}

/** The keys of a range of each branch. */
function keysOf(
  knex: Builder,
  part: Part,
  database: ListDatabase,
  { table, alias, primaryKey, order }: KeyQuery,
  branches: readonly Conditions[],
  range: Condition,
): Query {
  const columns = [
    ...identity(database, primaryKey).map((column) => `${alias}.${column} AS row_${column}`),
    ...keyColumns(order),
  ].join(', ');
  const [only, ...others] = branches.map(({ index, conditions }) => {
    const keys = knex.select(knex.raw(columns)).from(knex.raw(useIndex(database, table, alias, index)));
    for (const condition of conditions) keys.whereRaw(part(condition));
    return keys.orderByRaw(part(range));
  });
  if (others.length === 0) return only!;
  const [first, ...more] = [only!, ...others].map((keys, index) => knex.select('*').from(keys.as(`branch_${index}`)));
  return first!.unionAll(more);
}
