// The total number of rows of a list, read in the statement of its page.
import type { Condition } from './condition.ts';
import type { TenantStatements } from './tenant-scope.ts';

/** A SELECT of one number, with its values. */
export type Total = Condition;

/** The SELECT of a page, without its total. */
interface PageStatement<Row, Item> {
  readonly columns: string;
  /** The statement from FROM on. */
  readonly from: string;
  readonly values: Condition['values'];
  /** Rows before the page. */
  readonly offset: number;
  /** Converts a row of these columns to an item. */
  readonly read: (row: Row) => Item;
}

/** Reads a page and the total in one statement, so that both are from the same moment. */
export async function queryWithTotal<Row, Item>(
  scope: Pick<TenantStatements, 'query'>,
  { columns, from, values, offset, read }: PageStatement<Row, Item>,
  total: Total,
): Promise<{ readonly items: readonly Item[]; readonly total: number }> {
  const rows = await scope.query<Row & Counted>(`SELECT (${total.sql}) AS list_total, ${columns} ${from}`, [
    ...total.values,
    ...values,
  ]);
  const [first] = rows;
  if (first !== undefined) return { items: rows.map(read), total: Number(first.list_total) };
  // A page beyond the end has no row with the total.
  return { items: [], total: offset === 0 ? 0 : await queryTotal(scope, total) };
}

export async function queryTotal(scope: Pick<TenantStatements, 'query'>, { sql, values }: Total): Promise<number> {
  const [row] = await scope.query<Counted>(`SELECT (${sql}) AS list_total`, values);
  return Number(row!.list_total);
}

/** Servers send sums as decimals. */
interface Counted {
  readonly list_total: number | string;
}
