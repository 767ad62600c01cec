// Measures what many grants cost: `npm run bench -- grants`. Two services, each on a MariaDB of its own with many and with few grants of random
// accounts, take turns: logins of an application, refreshes, and refreshes of sessions beside the cleanup of grants. Options: --grants 10000000,
// --few 10000, --expired 300000, --pairs 7, --seconds 3, --pool 4G (InnoDB's buffer pool), --only TEXT, --url of a database, which is filled
// if it is empty, and kept, --fill to do only that.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { loadavg } from 'node:os';
import { parseArgs } from 'node:util';
import { pino } from 'pino';
import { connectDatabase } from '../../src/platform/db/connect.ts';
import { migrate } from '../../src/platform/db/migrate.ts';
import type { Database } from '../../src/platform/db/types.ts';
import { insertTenant } from '../../src/auth/tenancy/tenant-store.ts';
import { compare, type Pair, type Side } from '../compare.ts';
import { startMariaDb } from '../mariadb.ts';
import { PROVIDER_SETTINGS, seedApplication } from '../openid/service-provider.ts';
import { cpuSeconds, LOAD_CORE, SERVER_CORE } from '../program.ts';
import { spreadOf } from '../results.ts';
import { TENANT_ID } from '../seed.ts';
import { startService } from '../service.ts';
import { measureCleanup } from './cleanup.ts';
import { accountsOf, APPLICATION_ID, fillGrants } from './fill.ts';
import { flowSide, refreshSide } from './sides.ts';
import type { Stage } from './stage.ts';

const { values } = parseArgs({
  options: {
    grants: { type: 'string', default: '10000000' },
    few: { type: 'string', default: '10000' },
    expired: { type: 'string', default: '300000' },
    pairs: { type: 'string', default: '7' },
    seconds: { type: 'string', default: '3' },
    pool: { type: 'string', default: '4G' },
    only: { type: 'string', default: '' },
    url: { type: 'string' },
    fill: { type: 'boolean', default: false },
  },
});

const log = pino({ level: 'warn' });
const stop: (() => Promise<void>)[] = [];
// This process must not disturb the services.
execFileSync('taskset', ['-a', '-c', '-p', String(LOAD_CORE), String(process.pid)], { stdio: 'ignore' });
try {
  const many = await fill(Number(values.grants), values.url);
  if (!values.fill) {
    const few = await fill(Number(values.few), undefined);
    await measure(await start(many), await start(few));
  }
} finally {
  for (const end of stop.toReversed()) await end();
}

interface Filled {
  readonly grants: number;
  readonly url: string;
  readonly database: Database;
}

async function fill(grants: number, kept: string | undefined): Promise<Filled> {
  const server =
    kept === undefined ? await startMariaDb(LOAD_CORE, [`--innodb-buffer-pool-size=${values.pool}`]) : undefined;
  if (server) stop.push(server.stop);
  const url = kept ?? server!.url;
  const database = connectDatabase({ url, poolSize: 2, log });
  stop.push(() => database.close());
  await migrate(database, log);
  const [any] = await database.query('SELECT id FROM grants LIMIT 1');
  if (any === undefined) {
    await insertTenant(database, { id: TENANT_ID, name: 'Acme Flowers', status: 'ACTIVE', createdAt: Date.now() });
    await fillGrants(url, grants);
  }
  return { grants, url, database };
}

async function start({ grants, url, database }: Filled): Promise<Stage> {
  // A kept database has keys that an earlier run has encrypted.
  for (const table of ['secret_keys', 'signing_keys', 'id_signing_keys', 'applications'])
    await database.execute(`DELETE FROM ${table}`);
  const service = await startService({ core: SERVER_CORE, databaseUrl: url, settings: PROVIDER_SETTINGS });
  stop.push(service.stop);
  const [server] = await database.query<{ file: string }>('SELECT @@pid_file AS file');
  const pid = Number(readFileSync(server!.file, 'utf8'));
  return {
    grants,
    accounts: accountsOf(grants),
    service,
    database,
    seeded: await seedApplication(database, APPLICATION_ID),
    databaseCpu: () => cpuSeconds(pid),
  };
}

async function measure(many: Stage, few: Stage): Promise<void> {
  const effort = {
    pairs: Number(values.pairs),
    seconds: Number(values.seconds),
    warmUpSeconds: 3,
    warmUpRequests: 5_000,
  };
  print(
    `${many.grants} grants beside ${few.grants}, MariaDB, buffer pool of ${values.pool}, load average ${loadavg()[0]!.toFixed(1)}\n`,
  );
  print('| | Rate, many : few | Min–max | CPU, service | CPU, MariaDB | /s, many | µs, service and MariaDB |');
  print('| --- | ---: | ---: | ---: | ---: | ---: | ---: |');
  for (const [title, sideOf] of Object.entries({ 'code flow': flowSide, refresh: refreshSide })) {
    if (!title.includes(values.only)) continue;
    const subject = counting(await sideOf(many), many);
    const limit = counting(await sideOf(few), few);
    print(rowOf(title, await compare({ title, aim: 1, subject, limit }, effort), subject, limit));
  }
  if ('cleanup'.includes(values.only)) print(await measureCleanup(many, few, Number(values.expired)));
  print(`\nload average ${loadavg()[0]!.toFixed(1)}`);
}

interface CountingSide extends Side {
  /** CPU time of MariaDB in a load, microseconds per request. */
  readonly databaseMicroseconds: number[];
}

function counting(side: Side, { databaseCpu }: Stage): CountingSide {
  const databaseMicroseconds: number[] = [];
  return {
    ...side,
    databaseMicroseconds,
    async load(seconds) {
      const before = databaseCpu();
      const load = await side.load(seconds);
      databaseMicroseconds.push((1e6 * (databaseCpu() - before)) / load.requests);
      return load;
    },
  };
}

function rowOf(title: string, pairs: readonly Pair[], subject: CountingSide, limit: CountingSide): string {
  const rate = ({ requests, seconds }: Pair['subject']) => requests / seconds;
  const cpu = ({ requests, cpuSeconds: seconds }: Pair['subject']) => (1e6 * seconds) / requests;
  const median = (numbers: readonly number[]) => spreadOf(numbers).median;
  const rates = spreadOf(pairs.map((pair) => rate(pair.subject) / rate(pair.limit)));
  const ofDatabase = [subject, limit].map((side) => median(side.databaseMicroseconds.slice(-pairs.length))) as [
    number,
    number,
  ];
  const ofService = (['subject', 'limit'] as const).map((side) => median(pairs.map((pair) => cpu(pair[side])))) as [
    number,
    number,
  ];
  const cells = [
    title,
    rates.median.toFixed(2),
    `${rates.min.toFixed(2)}–${rates.max.toFixed(2)}`,
    median(pairs.map((pair) => cpu(pair.subject) / cpu(pair.limit))).toFixed(2),
    (ofDatabase[0] / ofDatabase[1]).toFixed(2),
    median(pairs.map((pair) => rate(pair.subject))).toFixed(0),
    `${ofService[0].toFixed(0)} and ${ofDatabase[0].toFixed(0)}`,
  ];
  return `| ${cells.join(' | ')} |`;
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}
