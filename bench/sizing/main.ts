// Measures sizes, rates and latencies of a MariaDB with many sessions: `npm run bench -- sizing --sessions 10000000`. The data is in a
// temporary folder: TMPDIR chooses its disk. Each million sessions need about 0.7 GB. See docs/scaling.md.
import { loadavg } from 'node:os';
import { parseArgs } from 'node:util';
import { pino } from 'pino';
import { connectDatabase } from '../../src/platform/db/connect.ts';
import { migrate } from '../../src/platform/db/migrate.ts';
import { startMariaDb } from '../mariadb.ts';
import { CALLERS } from './calls.ts';
import { resizeBufferPool } from './buffer-pool.ts';
import { fillTables, report } from './fill.ts';
import { measure } from './measurements.ts';
import { createPopulation, fillings } from './population.ts';
import { describeSizes } from './sizes.ts';

const { values } = parseArgs({
  options: {
    sessions: { type: 'string', default: '1000000' },
    /** Default: a tenth of the sessions. */
    accounts: { type: 'string' },
    tenants: { type: 'string', default: '10000' },
    /** Default: as many as sessions. */
    'audit-records': { type: 'string' },
    /** One size, or several to measure one after the other, such as `4G,1G`. */
    'buffer-pool': { type: 'string', default: '1G' },
    /** Of each measurement. */
    seconds: { type: 'string', default: '5' },
    /** Of reads before the measurements of a working set. */
    'warm-up': { type: 'string', default: '10' },
    /** Of a cleanup, at most. */
    'cleanup-seconds': { type: 'string', default: '20' },
    /** Fills the tables slowly, so that their indexes have the gaps of tables in operation. */
    'keep-indexes': { type: 'boolean', default: false },
  },
});

const sessions = Number(values.sessions);
const accounts = Number(values.accounts ?? sessions / 10);
const tenants = Math.min(Number(values.tenants), accounts);
const auditRecords = Number(values['audit-records'] ?? sessions);
const population = createPopulation({ sessions, accounts, tenants, auditRecords });

// The sizes of the log and of the sort buffers are not those of MariaDB's defaults. The durability is.
const [firstPool, ...otherPools] = values['buffer-pool'].split(',');
const server = await startMariaDb('0,1', [
  `--innodb-buffer-pool-size=${firstPool}`,
  '--innodb-log-file-size=1G',
  '--innodb-sort-buffer-size=64M',
]);
const log = pino({ level: 'warn' });
const database = connectDatabase({ url: server.url, poolSize: 10, log });
try {
  await migrate(database, log);
  const began = performance.now();
  const tables = fillings(population);
  await fillTables(tables, { url: server.url, tenants, keepIndexes: values['keep-indexes'] });
  const minutes = ((performance.now() - began) / 60_000).toFixed(1);
  print(
    `${population.sessions} sessions of ${population.accounts} accounts in ${tenants} tenants, filled in ${minutes} min`,
  );
  for (const table of tables) (await describeSizes(database, table)).forEach(print);
  await measurePool(firstPool!);
  for (const pool of otherPools) {
    await resizeBufferPool(server.url, pool);
    await measurePool(pool);
  }
} finally {
  await database.close();
  await server.stop();
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

async function measurePool(pool: string): Promise<void> {
  report(`measuring with a buffer pool of ${pool}`);
  print(`buffer pool ${pool}, ${CALLERS} callers, load average ${loadavg()[0]!.toFixed(1)}`);
  await measure(database, {
    population,
    seconds: Number(values.seconds),
    warmUpSeconds: Number(values['warm-up']),
    cleanupSeconds: Number(values['cleanup-seconds']),
    print,
  });
  print(`load average ${loadavg()[0]!.toFixed(1)}`);
}
