// Measures what background work costs the calls beside it: `npm run bench -- background-work`. Grants of access tokens, or a writer of
// records, fill the audit trail. Beside them, bearer checks at fixed times. Each block runs with and without the job that seals records.
// Options: --base FOLDER (a checkout of another version, whose blocks alternate), --engine sqlite|mariadb, --seconds 8, --rounds 2,
// --connections 32, --records 0 (records per second that are written directly, instead of grants).
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { loadavg } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { pino } from 'pino';
import { insertAuditRecords } from '../src/auth/audit/audit-store.ts';
import { UNLIMITED } from '../src/platform/clock.ts';
import type { connectDatabase } from '../src/platform/db/connect.ts';
import { newId } from '../src/platform/db/ids.ts';
import type { Database } from '../src/platform/db/types.ts';
import { measureLatency, type Latency } from './figures/latency.ts';
import { LOOP_DELAY_FILE, type LoopDelay } from './loop-delay.ts';
import { startMariaDb } from './mariadb.ts';
import { cpuSeconds, type Program } from './program.ts';
import { spreadOf } from './results.ts';
import type { seedClients, seedSessions } from './seed.ts';
import type { startService } from './service.ts';
import { LOAD_CORE, SERVER_CORE } from './stand.ts';
import { loadByWrk, type Load } from './wrk.ts';

const { values } = parseArgs({
  options: {
    base: { type: 'string' },
    engine: { type: 'string', default: 'sqlite' },
    seconds: { type: 'string', default: '8' },
    rounds: { type: 'string', default: '2' },
    connections: { type: 'string', default: '32' },
    records: { type: 'string', default: '0' },
  },
});
const SECONDS = Number(values.seconds);
const RECORDS_PER_SECOND = Number(values.records);
const WRITES_PER_SECOND = 20;
const CLIENTS = 200;
const SESSIONS = 128;
const CHECKS_PER_SECOND = 200;
const LOOP_DELAY = fileURLToPath(new URL('loop-delay.ts', import.meta.url));

/** The programs of a version that start and fill its service. */
interface Version {
  readonly startService: typeof startService;
  readonly seedSessions: typeof seedSessions;
  readonly seedClients: typeof seedClients;
  readonly connectDatabase: typeof connectDatabase;
}

/** A running service with its database. */
interface Stage {
  readonly name: string;
  readonly service: Program;
  readonly database: Database;
  readonly tokens: readonly string[];
  readonly grants: string;
}

interface Block {
  readonly checks: Latency;
  readonly loop: LoopDelay;
  /** Records per second that were written, and that were sealed. */
  readonly written: number;
  readonly sealed: number;
  /** The greatest age of a record without a seal, in seconds. */
  readonly lag: number;
  readonly cpu: number;
}

execFileSync('taskset', ['-a', '-c', '-p', String(LOAD_CORE), String(process.pid)], { stdio: 'ignore' });
const stop: (() => Promise<void>)[] = [];
try {
  const stages = [await start('now', join(import.meta.dirname, '..'))];
  if (values.base !== undefined) stages.push(await start('base', resolve(values.base)));
  const blocks = new Map<string, Block[]>();
  for (let round = 0; round < Number(values.rounds); round += 1) {
    for (const stage of stages) {
      for (const isSealing of [true, false]) {
        const name = `${stage.name}, ${isSealing ? 'with' : 'without'} seals`;
        blocks.set(name, [...(blocks.get(name) ?? []), await measure(stage, isSealing)]);
      }
    }
  }
  process.stdout.write(`${values.engine}, load average ${loadavg()[0]!.toFixed(1)}\n\n`);
  process.stdout.write(
    '| | records/s | sealed/s | lag, s | checks: p50 / p99 / max, ms | event loop: p99 / max, ms | CPU, % |\n',
  );
  process.stdout.write('| --- | ---: | ---: | ---: | ---: | ---: | ---: |\n');
  for (const [name, all] of blocks) process.stdout.write(rowText(name, all));
} finally {
  for (const end of stop.toReversed()) await end();
}

async function start(name: string, folder: string): Promise<Stage> {
  const version = await versionIn(folder);
  const server = values.engine === 'mariadb' ? await startMariaDb(LOAD_CORE) : undefined;
  if (server) stop.push(server.stop);
  const service = await version.startService({
    core: SERVER_CORE,
    databaseUrl: server?.url ?? 'sqlite:service.db',
    nodeFlags: ['--import', LOOP_DELAY],
  });
  stop.push(service.stop);
  const url = server?.url ?? `sqlite:${join(service.directory, 'service.db')}`;
  const database = version.connectDatabase({ url, poolSize: 2, log: pino({ level: 'silent' }) });
  stop.push(() => database.close());
  const sessions = await version.seedSessions(database, SESSIONS);
  const clients = await version.seedClients(database, CLIENTS);
  const grants = join(service.directory, 'grants');
  const bodyOf = ({ id, secret }: (typeof clients)[number]) =>
    `grant_type=client_credentials&client_id=${id}&client_secret=${secret}\n`;
  writeFileSync(grants, clients.map(bodyOf).join(''));
  return { name, service, database, tokens: sessions.map(({ accessToken }) => `Bearer ${accessToken}`), grants };
}

async function versionIn(folder: string): Promise<Version> {
  const load = (path: string) => import(pathToFileURL(join(folder, path)).href) as Promise<Record<string, unknown>>;
  const paths = ['bench/service.ts', 'bench/seed.ts', 'src/platform/db/connect.ts'];
  return Object.assign({}, ...(await Promise.all(paths.map(load)))) as Version;
}

/** Measures a block of load and checks. The warm-up of the checks is part of the load, not of the result. */
async function measure(stage: Stage, isSealing: boolean): Promise<Block> {
  const { service, database, tokens } = stage;
  await setSealing(database, isSealing);
  const warmUp = 3;
  const ending = new AbortController();
  const loading = RECORDS_PER_SECOND > 0 ? writeRecords(database, ending.signal) : grant(stage, warmUp + SECONDS + 2);
  const lags = watchLag(database, ending.signal);
  lags.catch(() => {});
  const load = { path: '/api/v1/auth/me', header: 'Authorization', values: tokens } as const;
  const checking = measureLatency(service, { ...load, perSecond: CHECKS_PER_SECOND, seconds: SECONDS });
  await sleep(1_000 * warmUp);
  await readLoopDelay(service);
  const before = { ...(await countRecords(database)), at: performance.now(), cpu: cpuSeconds(service.pid) };
  const checks = await checking;
  const after = { ...(await countRecords(database)), at: performance.now(), cpu: cpuSeconds(service.pid) };
  const loop = await readLoopDelay(service);
  ending.abort();
  await loading;
  const seconds = (after.at - before.at) / 1_000;
  const perSecond = (key: 'written' | 'sealed' | 'cpu') => (after[key] - before[key]) / seconds;
  const result = {
    checks,
    loop,
    written: perSecond('written'),
    sealed: perSecond('sealed'),
    lag: await lags,
    cpu: 100 * perSecond('cpu'),
  };
  await setSealing(database, true);
  await untilSealed(database);
  return result;
}

/** Takes the lease of the job away from the service, or gives it back. */
async function setSealing(database: Database, isSealing: boolean): Promise<void> {
  await database.execute('UPDATE job_leases SET holder = ?, expires_at = ? WHERE name = ?', [
    Buffer.alloc(16, 1),
    isSealing ? 0 : Date.now() + 3_600_000,
    Buffer.from('audit-seals'),
  ]);
  await sleep(3_000);
}

function grant({ service, grants }: Stage, seconds: number): Promise<Load> {
  const url = `${service.url}/api/v1/auth/token`;
  return loadByWrk({
    core: LOAD_CORE,
    connections: Number(values.connections),
    seconds,
    url,
    format: 'form',
    inputFile: grants,
  });
}

/** Writes records at the rate, as many other processes would. */
async function writeRecords(database: Database, signal: AbortSignal): Promise<void> {
  const began = performance.now();
  for (let write = 0; !signal.aborted; write += 1) {
    const wait = (1_000 * write) / WRITES_PER_SECOND - (performance.now() - began);
    if (wait > 0) await sleep(wait);
    const records = Array.from({ length: Math.round(RECORDS_PER_SECOND / WRITES_PER_SECOND) }, () => ({
      id: newId(),
      tenantId: 'acme',
      at: Date.now(),
      event: 'client.token-issued',
      accountId: newId(),
      username: 'ann@example.com',
      clientAddress: '192.0.2.1',
      requestId: newId(),
      details: { method: 'pwd' },
    }));
    await database.transaction(UNLIMITED, (tx) => insertAuditRecords(tx, records));
  }
}

/** Reads the age of the oldest record without a seal until the signal aborts. Returns the greatest, in seconds. */
async function watchLag(database: Database, signal: AbortSignal): Promise<number> {
  let greatest = 0;
  while (!signal.aborted) {
    const [row] = await database.query<{ at: number | null }>(
      'SELECT MIN(at) AS at FROM audit_records WHERE sequence IS NULL',
    );
    if (row!.at !== null) greatest = Math.max(greatest, (Date.now() - row!.at) / 1_000);
    await sleep(250);
  }
  return greatest;
}

async function countRecords(database: Database): Promise<{ written: number; sealed: number }> {
  const [row] = await database.query<{ sealed: number | null; waiting: number }>(
    `SELECT (SELECT MAX(last_sequence) FROM audit_seals) AS sealed,
            (SELECT COUNT(*) FROM audit_records WHERE sequence IS NULL) AS waiting`,
  );
  const sealed = row!.sealed ?? 0;
  return { sealed, written: sealed + row!.waiting };
}

async function untilSealed(database: Database): Promise<void> {
  for (let wait = 0; wait < 120; wait += 1) {
    const { written, sealed } = await countRecords(database);
    if (written === sealed) return;
    await sleep(250);
  }
}

async function readLoopDelay({ pid, directory }: Program): Promise<LoopDelay> {
  process.kill(pid, 'SIGUSR2');
  await sleep(300);
  return JSON.parse(readFileSync(join(directory, LOOP_DELAY_FILE), 'utf8')) as LoopDelay;
}

function rowText(name: string, blocks: readonly Block[]): string {
  const median = (of: (block: Block) => number, digits = 0) => spreadOf(blocks.map(of)).median.toFixed(digits);
  const checks = (['p50', 'p99', 'max'] as const).map((key) => median(({ checks: latency }) => latency[key], 1));
  const loop = (['p99', 'max'] as const).map((key) => median(({ loop: delay }) => delay[key], 1));
  const rates = [median(({ written }) => written), median(({ sealed }) => sealed), median(({ lag }) => lag, 1)];
  return `| ${[name, ...rates, checks.join(' / '), loop.join(' / '), median(({ cpu }) => cpu)].join(' | ')} |\n`;
}
