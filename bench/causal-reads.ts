// Measures what statements cost that see the earlier changes of all nodes of a cluster: `npm run bench -- causal-reads`. Three
// nodes on this machine. Options: --cluster galera|group, --reads 4000 and --updates 1000, of each kind and caller.
import { parseArgs } from 'node:util';
import { createConnection, type Connection } from 'mysql2/promise';
import { startGalera } from '../test/cluster/galera.ts';
import { startMysqlGroup } from '../test/group/mysql-group.ts';

const { values } = parseArgs({
  options: {
    cluster: { type: 'string', default: 'galera' },
    reads: { type: 'string', default: '4000' },
    updates: { type: 'string', default: '1000' },
  },
});
const ROWS = 1_000;
const CALLERS = [1, 16] as const;
const KINDS = ['plain', 'causal'] as const;
/** Sets up the session of each kind. */
const SESSIONS = {
  galera: { plain: 'wsrep_sync_wait = 0', causal: 'wsrep_sync_wait = 7' },
  group: { plain: "group_replication_consistency = 'EVENTUAL'", causal: "group_replication_consistency = 'BEFORE'" },
} as const;
/** The statements to measure. The writer on the other node changes the first half of the rows. */
const STATEMENTS = {
  reads: 'SELECT value FROM bench.rows_of_bench WHERE id = ? + ?',
  updates: 'UPDATE bench.rows_of_bench SET value = value + 1 WHERE id = ? + ?',
} as const;
type StatementName = keyof typeof STATEMENTS;
const NAMES = Object.keys(STATEMENTS) as StatementName[];

const sessions = values.cluster === 'group' ? SESSIONS.group : SESSIONS.galera;
const { reader, writer, stop } = await startCluster();
try {
  const setup = await createConnection(writer);
  await setup.query('CREATE DATABASE bench');
  await setup.query('CREATE TABLE bench.rows_of_bench (id INT PRIMARY KEY, value INT) ENGINE = InnoDB');
  await setup.query(
    `INSERT INTO bench.rows_of_bench WITH RECURSIVE s AS (SELECT 1 AS id UNION ALL SELECT id + 1 FROM s WHERE id < ${ROWS}) SELECT id, 0 FROM s`,
  );
  for (const isWriting of [false, true]) {
    const over = new AbortController();
    const writing = isWriting ? writeUntil(setup, over.signal) : undefined;
    for (const [callers, name] of CALLERS.flatMap((count) => NAMES.map((each) => [count, each] as const))) {
      const times = await Promise.all(Array.from({ length: callers }, () => timesOf(name, reader)));
      const [plain, causal] = KINDS.map((kind) => median(times.flatMap((own) => own[kind])));
      process.stdout.write(
        `${isWriting ? 'one writer' : 'no other writes'}, ${name} of ${callers}: ` +
          `${plain!.toFixed(0)} µs plain, ${causal!.toFixed(0)} µs causal, ratio ${(causal! / plain!).toFixed(2)}\n`,
      );
    }
    over.abort();
    await writing;
  }
  await setup.end();
} finally {
  await stop();
}

/** Starts three nodes. Galera's writer uses another node than the reader. A group has one primary for both. */
async function startCluster() {
  if (values.cluster !== 'group') {
    const { nodes, stop: stopNodes } = await startGalera();
    return { reader: nodes[0]!.url, writer: nodes[1]!.url, stop: stopNodes };
  }
  const group = await startMysqlGroup();
  const { url } = await group.primary();
  return { reader: url, writer: url, stop: group.stop };
}

/** Returns the microseconds of each statement, by kind. The kinds alternate, so that other load on the machine meets both. */
async function timesOf(name: StatementName, url: string): Promise<Record<(typeof KINDS)[number], number[]>> {
  const connections = await Promise.all(KINDS.map(() => createConnection(url)));
  for (const [index, kind] of KINDS.entries()) await connections[index]!.query(`SET SESSION ${sessions[kind]}`);
  const times = { plain: [] as number[], causal: [] as number[] };
  for (let count = 0; count < Number(values[name]); count += 1) {
    for (const [index, kind] of KINDS.entries()) {
      const started = performance.now();
      await connections[index]!.execute(STATEMENTS[name], [ROWS / 2 + 1, count % (ROWS / 2)]);
      times[kind].push(1_000 * (performance.now() - started));
    }
  }
  await Promise.all(connections.map((connection) => connection.end()));
  return times;
}

async function writeUntil(connection: Connection, over: AbortSignal): Promise<void> {
  for (let count = 1; !over.aborted; count += 1)
    await connection.execute('UPDATE bench.rows_of_bench SET value = ? WHERE id = ?', [
      count,
      1 + (count % (ROWS / 2)),
    ]);
}

function median(numbers: readonly number[]): number {
  return numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)]!;
}
