// Fills tables by SQL. Unless they keep their indexes, the secondary indexes are created after the rows, by sorting, which takes
// minutes where single insertions take hours.
import { createConnection, type Connection, type RowDataPacket } from 'mysql2/promise';
import type { Filling } from './population.ts';

const BATCH = 250_000;
/** As many connections as cores that the server has. */
const STREAMS = 2;
const PROGRESS_MS = 10_000;

interface FillOptions {
  readonly url: string;
  readonly tenants: number;
  /** Inserts into the indexes row by row and in the order of the ids, as the service does. */
  readonly keepIndexes: boolean;
}

export async function fillTables(fillings: readonly Filling[], options: FillOptions): Promise<void> {
  const connections = await Promise.all(Array.from({ length: STREAMS }, () => createConnection({ uri: options.url })));
  const [first] = connections as [Connection];
  try {
    // No commit of the filling must survive a crash.
    await first.query('SET GLOBAL innodb_flush_log_at_trx_commit = 2');
    // The rows fit together. An index of a foreign key could not be dropped otherwise.
    for (const connection of connections) await connection.query('SET SESSION foreign_key_checks = 0');
    for (const filling of fillings) {
      const indexes = options.keepIndexes ? [] : await dropIndexes(first, filling.table);
      await insertRows(options.keepIndexes ? [first] : connections, filling, options);
      await createIndexes(first, filling.table, indexes);
      await first.query(`ANALYZE TABLE ${filling.table}`);
    }
    await first.query('SET GLOBAL innodb_flush_log_at_trx_commit = 1');
  } finally {
    await Promise.all(connections.map((connection) => connection.end()));
  }
}

async function insertRows(
  connections: readonly Connection[],
  filling: Filling,
  { tenants, keepIndexes }: FillOptions,
): Promise<void> {
  const { table, rows, insert } = filling;
  const progress = createProgress();
  const perTenant = rows / tenants;
  // The order of the primary key fills its pages one after the other.
  const number = keepIndexes ? 'seq + 1' : `(seq % ${perTenant}) * ${tenants} + seq DIV ${perTenant} + 1`;
  const insertRange = async (connection: Connection, from: number, until: number) => {
    for (let first = from; first < until; first += BATCH) {
      const last = Math.min(first + BATCH, until) - 1;
      await connection.query(`${insert} (SELECT ${number} AS n FROM seq_${first}_to_${last}) AS numbers`);
      progress.add(last - first + 1, (count) => `${table}: ${count} of ${rows} rows`);
    }
  };
  const share = Math.ceil(rows / connections.length);
  await Promise.all(
    connections.map((connection, index) => insertRange(connection, index * share, Math.min((index + 1) * share, rows))),
  );
  report(`${table}: ${rows} rows in ${progress.seconds()} s`);
}

/** Drops the secondary indexes of a table and returns their definitions. */
async function dropIndexes(connection: Connection, table: string): Promise<readonly string[]> {
  const [[created]] = await connection.query<RowDataPacket[]>(`SHOW CREATE TABLE ${table}`);
  const definitions = [...(created!['Create Table'] as string).matchAll(/^ +((?:UNIQUE )?KEY `(\w+)` .+?),?$/gm)];
  const drops = definitions.map(([, , name]) => `DROP KEY ${name}`);
  if (drops.length > 0) await connection.query(`ALTER TABLE ${table} ${drops.join(', ')}`);
  return definitions.map(([, definition]) => definition!);
}

// One after the other: each needs temporary files as large as the index.
async function createIndexes(connection: Connection, table: string, definitions: readonly string[]): Promise<void> {
  for (const definition of definitions) {
    const progress = createProgress();
    await connection.query(`ALTER TABLE ${table} ADD ${definition}`);
    report(`${table}: ${definition} in ${progress.seconds()} s`);
  }
}

function createProgress() {
  const started = performance.now();
  let count = 0;
  let reportedAt = started;
  return {
    seconds: () => Math.round((performance.now() - started) / 1000),
    add(more: number, text: (count: number) => string) {
      count += more;
      if (performance.now() - reportedAt < PROGRESS_MS) return;
      reportedAt = performance.now();
      report(`${text(count)}, ${this.seconds()} s`);
    },
  };
}

export function report(line: string): void {
  process.stderr.write(`${line}\n`);
}
