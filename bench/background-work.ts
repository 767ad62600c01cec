// Measures what background work costs the calls beside it: `npm run bench -- background-work`. 32 callers ask for access tokens, which
// writes audit records, beside bearer checks at fixed times. Each block runs with and without the job that seals the records. With
// --records 4000, a process without the rest of the service writes so many records per second instead (background-side.ts).
// Options: --base FOLDER (a checkout of another version, whose blocks alternate), --engine sqlite|mariadb, --seconds 6, --rounds 1.
import { execFile, execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { parseArgs, promisify } from 'node:util';
import { pino } from 'pino';
import type { connectDatabase } from '../src/platform/db/connect.ts';
import type { Database } from '../src/platform/db/types.ts';
import { measureLatency, WARM_UP_SECONDS, type Latency } from './figures/latency.ts';
import { LOOP_DELAY_FILE, type LoopDelay } from './loop-delay.ts';
import { startMariaDb } from './mariadb.ts';
import { LOAD_CORE, SERVER_CORE, cpuSeconds, type Program } from './program.ts';
import { spreadOf } from './results.ts';
import type { seedClients, seedSessions } from './seed.ts';
import type { startService } from './service.ts';
import { loadByWrk } from './wrk.ts';

const { values } = parseArgs({
  options: {
    base: { type: 'string' },
    engine: { type: 'string', default: 'sqlite' },
    seconds: { type: 'string', default: '6' },
    rounds: { type: 'string', default: '1' },
    records: { type: 'string' },
  },
});
const SECONDS = Number(values.seconds);
const CONNECTIONS = 32;
const CLIENTS = 200;
const SESSIONS = 128;
const CHECKS_PER_SECOND = 200;
const LOOP_DELAY = fileURLToPath(new URL('loop-delay.ts', import.meta.url));
const SIDE = fileURLToPath(new URL('background-side.ts', import.meta.url));
const run = promisify(execFile);

/** The programs of a version that start and fill its service. */
interface Version {
  readonly startService: typeof startService;
  readonly seedSessions: typeof seedSessions;
  readonly seedClients: typeof seedClients;
  readonly connectDatabase: typeof connectDatabase;
}

export interface Block {
  /** Reads at fixed times. */
  readonly checks: Latency;
  readonly loop: LoopDelay;
  /** Records per second that were written, and that were sealed. */
  readonly written: number;
  readonly sealed: number;
  /** The greatest age of a record without a seal, in seconds. */
  readonly lag: number;
  /** % of a core. */
  readonly cpu: number;
}

/** Measures a block of a version. */
type Measure = (isSealing: boolean) => Promise<Block>;

execFileSync('taskset', ['-a', '-c', '-p', String(LOAD_CORE), String(process.pid)], { stdio: 'ignore' });
const stop: (() => Promise<void>)[] = [];
try {
  const folders = [['now', join(import.meta.dirname, '..')]];
  if (values.base !== undefined) folders.push(['base', resolve(values.base)]);
  const versions = new Map<string, Measure>();
  for (const [name, folder] of folders)
    versions.set(name!, values.records === undefined ? await startVersion(folder!) : createSide(folder!));
  const blocks = new Map<string, Block[]>();
  for (let round = 0; round < Number(values.rounds); round += 1) {
    for (const [version, measure] of versions) {
      for (const isSealing of [true, false]) {
        const name = `${version}, ${isSealing ? 'with' : 'without'} seals`;
        blocks.set(name, [...(blocks.get(name) ?? []), await measure(isSealing)]);
      }
    }
  }
  const columns = [
    'records/s',
    'sealed/s',
    'longest wait for a seal, s',
    'checks: p50 / p99 / max, ms',
    'turns of the event loop: p99 / max, ms',
    'their CPU time: p99 / max, ms',
    'CPU, %',
  ];
  process.stdout.write(`${values.engine}, load average ${loadavg()[0]!.toFixed(1)}\n\n`);
  process.stdout.write(`| | ${columns.join(' | ')} |\n| --- |${' ---: |'.repeat(columns.length)}\n`);
  for (const [name, all] of blocks) process.stdout.write(rowText(name, all));
} finally {
  for (const end of stop.toReversed()) await end();
}

/** Starts the service of a version with a database of its own. */
async function startVersion(folder: string): Promise<Measure> {
  const load = (path: string) => import(pathToFileURL(join(folder, path)).href) as Promise<object>;
  const paths = ['bench/service.ts', 'bench/seed.ts', 'src/platform/db/connect.ts'];
  const version = Object.assign({}, ...(await Promise.all(paths.map(load)))) as Version;
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
  const tokens = sessions.map(({ accessToken }) => `Bearer ${accessToken}`);
  return async (isSealing) => {
    await setSealing(database, isSealing);
    const block = await measureService(service, database, { tokens, grants });
    await setSealing(database, true);
    for (let wait = 0; wait < 60; wait += 1) {
      const { written, sealed } = await countRecords(database);
      if (written === sealed) break;
      await sleep(500);
    }
    return block;
  };
}

/** Measures grants and checks. The warm-up is part of the load, not of the result. */
async function measureService(
  service: Program,
  database: Database,
  { tokens, grants }: { readonly tokens: readonly string[]; readonly grants: string },
): Promise<Block> {
  const moment = async () => ({
    ...(await countRecords(database)),
    at: performance.now() / 1_000,
    cpu: 100 * cpuSeconds(service.pid),
  });
  const granting = loadByWrk({
    core: LOAD_CORE,
    connections: CONNECTIONS,
    seconds: WARM_UP_SECONDS + SECONDS + 2,
    url: `${service.url}/api/v1/auth/token`,
    format: 'form',
    inputFile: grants,
  });
  const checking = measureLatency(service, {
    path: '/api/v1/auth/me',
    header: 'Authorization',
    values: tokens,
    perSecond: CHECKS_PER_SECOND,
    seconds: SECONDS,
  });
  await sleep(1_000 * WARM_UP_SECONDS);
  await readLoopDelay(service);
  const before = await moment();
  let isChecking = true;
  void checking.catch(() => undefined).then(() => (isChecking = false));
  let lag = 0;
  while (isChecking) {
    lag = Math.max(lag, await readLag(database));
    await sleep(250);
  }
  const checks = await checking;
  const after = await moment();
  const loop = await readLoopDelay(service);
  await granting;
  const perSecond = (key: 'written' | 'sealed' | 'cpu') => (after[key] - before[key]) / (after.at - before.at);
  return { checks, loop, lag, written: perSecond('written'), sealed: perSecond('sealed'), cpu: perSecond('cpu') };
}

/** Runs a process that writes, seals and reads in a new database. */
function createSide(folder: string): Measure {
  return async (isSealing) => {
    const directory = mkdtempSync(join(tmpdir(), 'bench-'));
    const server = values.engine === 'mariadb' ? await startMariaDb(LOAD_CORE) : undefined;
    try {
      const url = server?.url ?? `sqlite:${join(directory, 'records.db')}`;
      const program = [process.execPath, '--max-semi-space-size=16', SIDE];
      const args = [folder, url, values.records!, String(SECONDS), String(isSealing)];
      const { stdout } = await run('taskset', ['-c', `${SERVER_CORE},${LOAD_CORE}`, ...program, ...args]);
      return JSON.parse(stdout) as Block;
    } finally {
      await server?.stop();
      rmSync(directory, { recursive: true });
    }
  };
}

/** Takes the lease of the job away from the service, or gives it back. */
async function setSealing(database: Database, isSealing: boolean): Promise<void> {
  await database.execute('UPDATE job_leases SET holder = ?, expires_at = ? WHERE name = ?', [
    Buffer.alloc(16, 1),
    isSealing ? 0 : Date.now() + 3_600_000,
    Buffer.from('audit-seals'),
  ]);
  // The service keeps its lease so long.
  await sleep(3_000);
}

/** Returns the age of the oldest record without a seal, in seconds. */
async function readLag(database: Database): Promise<number> {
  const [row] = await database.query<{ at: number | null }>(
    'SELECT MIN(at) AS at FROM audit_records WHERE sequence IS NULL',
  );
  return row!.at === null ? 0 : (Date.now() - row!.at) / 1_000;
}

async function countRecords(database: Database): Promise<{ written: number; sealed: number }> {
  const [row] = await database.query<{ sealed: number | null; waiting: number }>(
    `SELECT (SELECT MAX(last_sequence) FROM audit_seals) AS sealed,
            (SELECT COUNT(*) FROM audit_records WHERE sequence IS NULL) AS waiting`,
  );
  const sealed = row!.sealed ?? 0;
  return { sealed, written: sealed + row!.waiting };
}

async function readLoopDelay({ pid, directory }: Program): Promise<LoopDelay> {
  process.kill(pid, 'SIGUSR2');
  await sleep(300);
  return JSON.parse(readFileSync(join(directory, LOOP_DELAY_FILE), 'utf8')) as LoopDelay;
}

function rowText(name: string, blocks: readonly Block[]): string {
  const median = (of: (block: Block) => number, digits = 0) => spreadOf(blocks.map(of)).median.toFixed(digits);
  const turns = (kind: 'elapsed' | 'cpu') =>
    (['p99', 'max'] as const).map((key) => median(({ loop }) => loop[kind][key], 1)).join(' / ');
  const cells = [
    median(({ written }) => written),
    median(({ sealed }) => sealed),
    median(({ lag }) => lag, 1),
    (['p50', 'p99', 'max'] as const).map((key) => median(({ checks }) => checks[key], 1)).join(' / '),
    turns('elapsed'),
    turns('cpu'),
    median(({ cpu }) => cpu),
  ];
  return `| ${[name, ...cells].join(' | ')} |\n`;
}
