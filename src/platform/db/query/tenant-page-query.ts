// Queries one page of a tenant's rows. The SQL text depends only on the kind of list, never on values. So
// each statement is prepared once and reused.
import type { Database } from '../types.ts';
import type { Condition } from './condition.ts';
import type { Page } from './page.ts';
import { tenantReads, tenantScope } from './tenant-scope.ts';
import { queryTotal, queryWithTotal, type Total } from './total.ts';

/** A column by which a list is sorted. */
export interface Sort {
  readonly column: string;
  readonly descending: boolean;
}

interface TenantPageQuery<Row, Item> {
  /** A table whose primary key is (tenant_id, id). In columns and conditions, its alias is `p`. */
  readonly table: string;
  /** SQL of the columns of a row. */
  readonly columns: string;
  readonly tenantId: string;
  /** Conditions on a row beyond the tenant. */
  readonly matching?: readonly Condition[];
  /** Not empty. The id breaks ties, in the direction of the last column. */
  readonly sort: readonly Sort[];
  /** Columns of a unique key (tenant_id, column). They have no ties, and their index could not be used with the id. */
  readonly unique?: readonly string[];
  /** Further columns that an index has in the order of a page. Default: created_at. */
  readonly indexed?: readonly string[];
  /** Converts a row of these columns to an item. */
  readonly read: (row: Row, tenantId: string) => Item;
  /** Reads the number of matching rows, if they need not be counted. */
  readonly total?: Total | undefined;
}

/** Up to this offset, one statement reads the page and the total: to skip the rows costs less than a second statement. */
const MAX_NEAR_ROWS = 1_000;

/** Returns one page of a tenant's rows and the total number of rows. */
export async function queryTenantPage<Row, Item>(
  db: Pick<Database, 'query' | 'execute' | 'queryLong' | 'whileWanted'>,
  {
    table,
    columns,
    tenantId,
    matching = [],
    sort,
    unique = [],
    indexed = ['created_at'],
    read: readRow,
    total: known,
  }: TenantPageQuery<Row, Item>,
  { perPage, offset, reader }: Pick<Page, 'perPage' | 'offset' | 'reader'>,
): Promise<{ readonly items: readonly Item[]; readonly total: number }> {
  const order = withoutTies(sort, unique);
  const isIndexed = [...unique, ...indexed].includes(order[0]!.column);
  const isNear = known !== undefined && offset <= MAX_NEAR_ROWS;
  // An index has the rows of the page in its order: those of the tenant, or those of a status by creation.
  const isShort = isNear && isIndexed && (matching.length === 0 || order[0]!.column === 'created_at');
  const scope = isShort ? tenantScope(db, tenantId) : tenantReads(db, tenantId, reader);
  const conditions = [
    'p.tenant_id = :tenant',
    ...matching.map(({ sql }) => sql),
    ...(isShort ? [] : [db.whileWanted('p')]),
  ];
  const rows = `${table} p WHERE ${conditions.join(' AND ')}`;
  const values = matching.flatMap((condition) => condition.values);
  const read = (row: Row) => readRow(row, tenantId);
  const pageFrom = (sorted: string, skipped: number) =>
    skipped === 0 && isIndexed
      ? `FROM ${rows} ORDER BY ${sorted} LIMIT ? OFFSET ?`
      : // Only the ids are skipped or sorted; the rest of a row is read for those of the page alone. SQLite would compute
        // the columns of all rows that it sorts, with their subqueries.
        `FROM ${table} p
           JOIN (SELECT p.id AS page_id FROM ${rows} ORDER BY ${sorted} LIMIT ? OFFSET ?) AS on_page ON page_id = p.id
          WHERE p.tenant_id = :tenant ORDER BY ${sorted}`;
  // Other pages are counted first: a search that finds nothing would read all rows twice.
  if (isNear) {
    const from = pageFrom(orderOf(order, false), offset);
    return queryWithTotal(scope, { columns, from, values: [...values, perPage, offset], offset, read }, known);
  }

  const total = await queryTotal(scope, known ?? { sql: `SELECT COUNT(*) FROM ${rows}`, values });
  if (offset >= total) return { items: [], total };
  // The engine reads the rows that it skips, so pages in the second half are read from the end.
  const size = Math.min(perPage, total - offset);
  const fromEnd = offset > total - offset - size;
  const skipped = fromEnd ? total - offset - size : offset;
  const found = await scope.query<Row>(`SELECT ${columns} ${pageFrom(orderOf(order, fromEnd), skipped)}`, [
    ...values,
    size,
    skipped,
  ]);
  const items = found.map(read);
  return { items: fromEnd ? items.toReversed() : items, total };
}

function orderOf(sort: readonly Sort[], fromEnd: boolean): string {
  return sort.map(({ column, descending }) => `p.${column} ${descending === fromEnd ? 'ASC' : 'DESC'}`).join(', ');
}

function withoutTies(sort: readonly Sort[], unique: readonly string[]): readonly Sort[] {
  const end = sort.findIndex(({ column }) => unique.includes(column));
  if (end !== -1) return sort.slice(0, end + 1);
  return [...sort, { column: 'id', descending: sort.at(-1)!.descending }];
}
