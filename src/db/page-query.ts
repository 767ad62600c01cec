import type { Database } from './types.ts';

/** A query under composition. */
export type Query = ReturnType<Database['knex']>;

export interface PageQuery {
  /** `table AS alias`. */
  readonly from: string;
  /** The unique column that gives the order, with its alias. */
  readonly key: string;
  readonly order: 'asc' | 'desc';
  /** Adds the conditions; on the columns of `from` only. */
  readonly matching: (query: Query) => unknown;
  /** Adds the columns and, where they need it, joins; those must not change the number of rows. */
  readonly select: (query: Query) => unknown;
}

/** One page of a list, and how many rows there are on all pages. */
export async function queryPage<Row>(
  { knex }: Pick<Database, 'knex'>,
  { from, key, order, matching, select }: PageQuery,
  { perPage, offset }: { readonly perPage: number; readonly offset: number },
): Promise<{ readonly rows: readonly Row[]; readonly total: number }> {
  const all = knex(from).modify(matching);
  const [counted] = (await all.clone().count({ total: '*' })) as [{ total: number | string }];
  const total = Number(counted.total);
  if (offset >= total) return { rows: [], total };
  // Only the keys are skipped over; the rest of a row is read for those of the page alone.
  const keys = all.clone().select({ page_key: key }).orderBy(key, order).limit(perPage).offset(offset);
  const rows: Row[] = await knex(from)
    .join(keys.as('on_page'), 'on_page.page_key', key)
    .modify(select)
    .orderBy(key, order);
  return { rows, total };
}
