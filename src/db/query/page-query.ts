import type { Database } from '../types.ts';
import { builderOf, runQuery, type Query } from './builder.ts';

export interface PageQuery<Row, Item> {
  /** `table AS alias`. */
  readonly from: string;
  /** The unique column that gives the order, with its alias. */
  readonly key: string;
  readonly order: 'asc' | 'desc';
  /** Keeps every part of the statement within a scope; not for the table of tenants. */
  readonly within?: (query: Query) => void;
  /** Adds the conditions; on the columns of `from` only. */
  readonly matching: (query: Query) => unknown;
  /** Adds the columns and, where they need it, joins; those must not change the number of rows. */
  readonly select: (query: Query) => unknown;
  /** Reads a row of these columns. */
  readonly read: (row: Row) => Item;
}

/** One page of a list, and how many items there are on all pages. */
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
  // Only the keys are skipped over; the rest of a row is read for those of the page alone.
  const keys = all.clone().select({ page_key: key }).orderBy(key, order).limit(perPage).offset(offset);
  const rows = await runQuery<Row>(
    database,
    knex(from).join(keys.as('on_page'), 'on_page.page_key', key).modify(within).modify(select).orderBy(key, order),
  );
  return { items: rows.map(read), total };
}
