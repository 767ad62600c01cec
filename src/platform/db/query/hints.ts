// Hints for the engines: indexes, the order of joins, and pairs.
import type { Database } from '../types.ts';
import type { Condition } from './condition.ts';

/** The columns of an index, the primary key, or a unique key of a column. */
export type Index = readonly string[] | 'PRIMARY' | `UNIQUE ${string}`;

/**
 * Returns the reference to a table in FROM that makes the engine use an index. Its statistics may suggest another one,
 * which reads all rows of a tenant or sorts them.
 */
export function useIndex({ engine }: Pick<Database, 'engine'>, table: string, alias: string, index: Index): string {
  // SQLite has no name for the primary key and for unique keys, and always uses them if no other index fits.
  if (typeof index === 'string') {
    const key = index === 'PRIMARY' ? index : indexName(table, index.split(' ').slice(1), 'unique');
    return `${table} ${alias}${engine === 'mysql' ? ` FORCE INDEX (${key})` : ''}`;
  }
  const name = indexName(table, index, 'index');
  return `${table} ${alias} ${engine === 'sqlite' ? `INDEXED BY ${name}` : `FORCE INDEX (${name})`}`;
}

/**
 * Returns a condition that is always true, for the filters of a list that reads an index forwards. It names a column that
 * the index lacks. So MariaDB from 10.8 on tests the filters inside the index, and passes only matching rows to the
 * layer above, which takes a third of the time. To other servers it is a comment.
 *
 * @param column A number that is not negative, with the alias of its table.
 */
export function testedInIndex(column: string): Condition {
  return { sql: `TRUE /*M!100800 AND ${column} >= 0 */`, values: [] };
}

/**
 * Names a table in `UPDATE … SET … WHERE` so that InnoDB uses the primary key given in the condition. Otherwise its
 * optimizer may choose a secondary index with the same first column, for example for a tenant's only row. InnoDB then
 * locks the index entry before the row. Other transactions lock the row first, which causes deadlocks. SQLite treats the hint as a comment.
 */
export function byPrimaryKey(table: string): string {
  return `${table} /*! FORCE INDEX (PRIMARY) */`;
}

/**
 * Returns the condition that two columns (`a.tenant_id, a.id`) match one of `count` pairs. Its syntax lets each engine
 * use its index.
 */
export function pairsIn(engine: Database['engine'], columns: string, count: number): string {
  const pair = `(${columns
    .split(',')
    .map(() => '?')
    .join(',')})`;
  const pairs = Array<string>(count).fill(pair).join(',');
  return `(${columns}) IN (${engine === 'sqlite' ? 'VALUES ' : ''}${pairs})`;
}

/** Names a table in FROM so that InnoDB uses a unique index. SQLite treats the hint as a comment. */
export function byUniqueIndex(table: string, columns: readonly string[]): string {
  return `${table} /*! FORCE INDEX (${indexName(table, columns, 'unique')}) */`;
}

/** Returns the name that the migrations give an index. */
function indexName(table: string, columns: readonly string[], kind: 'index' | 'unique'): string {
  return `${table}_${columns.join('_')}_${kind}`;
}

/** Joins two tables in this order. Otherwise the engine may begin with all rows of the second. */
export const THEN_JOIN: Readonly<Record<Database['engine'], string>> = { sqlite: 'CROSS JOIN', mysql: 'STRAIGHT_JOIN' };
