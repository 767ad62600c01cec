// Queries one page of a tenant's rows. The SQL text depends only on the kind of list, never on values. So
// each statement is prepared once and reused.
import type { Condition } from './condition.ts';
import { tenantScope, type TenantStatements } from './tenant-scope.ts';
import type { SqlValue, Statements } from '../types.ts';

/** A column by which a list is sorted. */
export interface Sort {
  readonly column: string;
  readonly descending: boolean;
}

export interface TenantPageQuery<Row, Item> {
  /** A table whose primary key is (tenant_id, id). */
  readonly table: string;
  readonly columns: readonly string[];
  readonly tenantId: string;
  /** Conditions on a row beyond the tenant. */
  readonly matching?: readonly Condition[];
  /** Not empty. The id breaks ties, in the direction of the last column. */
  readonly sort: readonly Sort[];
  /** Columns of a unique key (tenant_id, column). They have no ties, and their index could not be used with the id. */
  readonly unique?: readonly string[];
  /** Converts a row of these columns to an item. */
  readonly read: (row: Row) => Item;
  /** The number of matching rows, if known without counting. */
  readonly total?: number | undefined;
}

/** Returns one page of a tenant's rows and the total number of rows. */
export async function queryTenantPage<Row, Item>(
  db: Statements,
  { table, columns, tenantId, matching = [], sort, unique = [], read, total: known }: TenantPageQuery<Row, Item>,
  { perPage, offset }: { readonly perPage: number; readonly offset: number },
): Promise<{ readonly items: readonly Item[]; readonly total: number }> {
  const scope = tenantScope(db, tenantId);
  const rows = `${table} WHERE ${['tenant_id = :tenant', ...matching.map(({ sql }) => sql)].join(' AND ')}`;
  const values = matching.flatMap((condition) => condition.values);
  const total = known ?? (await count(scope, rows, values));
  if (offset >= total) return { items: [], total };

  // The engine reads the rows that it skips, so pages in the second half are read from the end.
  const size = Math.min(perPage, total - offset);
  const fromEnd = offset > total - offset - size;
  const skipped = fromEnd ? total - offset - size : offset;
  const order = orderOf(withoutTies(sort, unique), fromEnd);
  const page = [...values, size, skipped];
  const found = await scope.query<Row>(
    skipped === 0
      ? `SELECT ${columns.join(', ')} FROM ${rows} ORDER BY ${order('')} LIMIT ? OFFSET ?`
      : // Only the ids are skipped, in an index; the rest of a row is read for those of the page alone.
        `SELECT ${columns.map((column) => `p.${column}`).join(', ')} FROM ${table} p
          JOIN (SELECT id FROM ${rows} ORDER BY ${order('')} LIMIT ? OFFSET ?) AS on_page ON on_page.id = p.id
         WHERE p.tenant_id = :tenant ORDER BY ${order('p.')}`,
    page,
  );
  const items = found.map(read);
  return { items: fromEnd ? items.toReversed() : items, total };
}

function orderOf(sort: readonly Sort[], fromEnd: boolean): (alias: string) => string {
  const directed = sort.map(({ column, descending }) => ({ column, way: descending === fromEnd ? 'ASC' : 'DESC' }));
  return (alias) => directed.map(({ column, way }) => `${alias}${column} ${way}`).join(', ');
}

function withoutTies(sort: readonly Sort[], unique: readonly string[]): readonly Sort[] {
  const end = sort.findIndex(({ column }) => unique.includes(column));
  if (end !== -1) return sort.slice(0, end + 1);
  return [...sort, { column: 'id', descending: sort.at(-1)!.descending }];
}

async function count(scope: TenantStatements, rows: string, values: readonly SqlValue[]): Promise<number> {
  const [counted] = await scope.query<{ total: number | string }>(`SELECT COUNT(*) AS total FROM ${rows}`, values);
  return Number(counted!.total);
}
