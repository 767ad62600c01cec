import type { Database } from '../types.ts';

/** The columns of an index, or the primary key. */
export type Index = readonly string[] | 'PRIMARY';

/**
 * Returns the reference to a table in FROM that makes the engine use an index. Its statistics may suggest another one,
 * which reads all rows of a tenant or sorts them.
 */
export function useIndex({ engine }: Pick<Database, 'engine'>, table: string, alias: string, index: Index): string {
  // SQLite has no name for the primary key, and always uses it if no other index fits.
  if (index === 'PRIMARY') return `${table} ${alias}${engine === 'mysql' ? ' FORCE INDEX (PRIMARY)' : ''}`;
  // As the migrations name them.
  const name = `${table}_${index.join('_')}_index`;
  return `${table} ${alias} ${engine === 'sqlite' ? `INDEXED BY ${name}` : `FORCE INDEX (${name})`}`;
}
