import { addColumn, type Schema } from './schema/create-table.ts';

const WINDOW_MS = 900_000;

// The times of the last wrong codes of an account, at most five. Before, a count and the time of the first one were stored, and
// `failed_count` and `first_failed_at` are not read any more. Their codes count as given at the latest possible time.
export async function up(schema: Schema): Promise<void> {
  await addColumn(schema, 'account_factors', 'failed_times', {
    mysql: "VARCHAR(80) CHARACTER SET ascii COLLATE ascii_bin NOT NULL DEFAULT ''",
    sqlite: "TEXT NOT NULL DEFAULT ''",
  });
  for (const count of [1, 2, 3, 4]) {
    const times = Array.from({ length: count }, () => 't').join(',');
    await schema.execute(
      `UPDATE account_factors SET failed_times = REPLACE('${times}', 't', CAST(first_failed_at + ${WINDOW_MS - 1} AS CHAR))
        WHERE failed_count = ${count} AND first_failed_at IS NOT NULL AND locked_until IS NULL AND failed_times = ''`,
    );
  }
}
