import type { Database } from '../../src/platform/db/types.ts';
import type { Filling } from './population.ts';

const PAGE_BYTES = 16_384;

/** Describes the sizes of a table's file and of its indexes, for each row. The primary key contains the rows. */
export async function describeSizes(database: Database, { table, rows }: Filling): Promise<readonly string[]> {
  const [file] = await database.query<{ bytes: number }>(
    'SELECT file_size AS bytes FROM information_schema.innodb_sys_tablespaces WHERE name = CONCAT(DATABASE(), ?)',
    [`/${table}`],
  );
  const indexes = await database.query<{ name: string; bytes: number }>(
    `SELECT index_name AS name, stat_value * ${PAGE_BYTES} AS bytes FROM mysql.innodb_index_stats
      WHERE database_name = DATABASE() AND table_name = ? AND stat_name = 'size'`,
    [table],
  );
  const line = (name: string, bytes: number) =>
    `  ${name.padEnd(66)} ${(bytes / 1e6).toFixed(0).padStart(6)} MB ${(bytes / rows).toFixed(0).padStart(5)} bytes per row`;
  return [line(`${table}, ${rows} rows`, file!.bytes), ...indexes.map(({ name, bytes }) => line(`  ${name}`, bytes))];
}
