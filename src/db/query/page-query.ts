import type { Database } from '../types.ts';
import { builderOf, runQuery, type Query } from './builder.ts';

export interface PageQuery<Row, Item> {
  /** `table AS alias`. */
  readonly from: string;
  /** The unique column that defines the order, with its alias. */
  readonly key: string;
  readonly order: 'asc' | 'desc';
  /** Restricts every part of the statement to a scope. Not for the table of tenants. */
  readonly within?: (query: Query) => void;
  /** Adds the conditions, on columns of `from` only. */
  readonly matching: (query: Query) => unknown;
  /** Adds the columns and needed joins, which must not change the number of rows. */
  readonly select: (query: Query) => unknown;
  /** Converts a row of these columns to an item. */
  readonly read: (row: Row) => Item;
}

/** Returns one page of a list and the total number of items. */
export async function queryPage<Row, Item>(
  database: Pick<Database, 'engine' | 'query'>,
  { from, key, order, within = () => undefined, matching, select, read }: PageQuery<Row, Item>,
  { perPage, offset }: { readonly perPage: number; readonly offset: number },
): Promise<{ readonly items: readonly Item[]; readonly total: number }> {
  const knex = builderOf(database);
  const all = knex(from).modify(within).modify(matching);
  const [counted] = await runQuery<{ total: number | string }>(database, all.clone().count({ total: '*' }));
  const total = Number(counted!.total);
  if (offset >= total) return { items: [], total };
  // Only keys are skipped. The other columns are read only for the rows of the page.
  const keys = all.clone().select({ page_key: key }).orderBy(key, order).limit(perPage).offset(offset);
  const rows = await runQuery<Row>(
    database,
    knex(from).join(keys.as('on_page'), 'on_page.page_key', key).modify(within).modify(select).orderBy(key, order),
  );
  return { items: rows.map(read), total };
}
