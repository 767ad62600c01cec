import type { Query } from './page-query.ts';
import { tenantBytes } from './tenant-scope.ts';
import type { Database } from '../types.ts';

/** A column that a list is sorted by. */
export interface Sort {
  readonly column: string;
  readonly descending: boolean;
}

export interface TenantPageQuery<Row, Item> {
  /** A table whose primary key is (tenant_id, id). */
  readonly table: string;
  readonly columns: readonly string[];
  readonly tenantId: string;
  /** Adds the conditions beyond the tenant. */
  readonly matching?: (query: Query) => unknown;
  /** Not empty. The id settles ties, in the direction of the last column. */
  readonly sort: readonly Sort[];
  /** Columns of a unique key (tenant_id, column): they know no ties, and with the id their index would not serve. */
  readonly unique?: readonly string[];
  /** Reads a row of these columns. */
  readonly read: (row: Row) => Item;
  /** How many rows match, where that is known without counting them. */
  readonly total?: number | undefined;
}

/** One page of a tenant's rows, and how many there are on all pages. */
export async function queryTenantPage<Row, Item>(
  { knex }: Pick<Database, 'knex'>,
  {
    table,
    columns,
    tenantId,
    matching = () => undefined,
    sort,
    unique = [],
    read,
    total: known,
  }: TenantPageQuery<Row, Item>,
  { perPage, offset }: { readonly perPage: number; readonly offset: number },
): Promise<{ readonly items: readonly Item[]; readonly total: number }> {
  const tenant = tenantBytes(tenantId);
  const all = knex(table).where({ tenant_id: tenant }).modify(matching);
  const total = known ?? (await count(all.clone()));
  if (offset >= total) return { items: [], total };

  // The engine reads what it skips, so the second half is reached from the end.
  const size = Math.min(perPage, total - offset);
  const fromEnd = offset > total - offset - size;
  const order = withoutTies(sort, unique).map(({ column, descending }) => ({
    column,
    order: descending === fromEnd ? 'asc' : 'desc',
  }));
  // Only the ids are skipped over, in an index; the rest of a row is read for those of the page alone.
  const ids = all
    .select('id')
    .orderBy(order)
    .limit(size)
    .offset(fromEnd ? total - offset - size : offset);
  const rows: Row[] = await knex(table)
    .join(ids.as('on_page'), 'on_page.id', `${table}.id`)
    .where(`${table}.tenant_id`, tenant)
    .select(columns.map((column) => `${table}.${column}`))
    .orderBy(order.map(({ column, order: direction }) => ({ column: `${table}.${column}`, order: direction })));
  const items = rows.map(read);
  return { items: fromEnd ? items.toReversed() : items, total };
}

function withoutTies(sort: readonly Sort[], unique: readonly string[]): readonly Sort[] {
  const end = sort.findIndex(({ column }) => unique.includes(column));
  if (end !== -1) return sort.slice(0, end + 1);
  return [...sort, { column: 'id', descending: sort.at(-1)!.descending }];
}

async function count(rows: Query): Promise<number> {
  const [counted] = (await rows.count({ total: '*' })) as [{ total: number | string }];
  return Number(counted.total);
}
