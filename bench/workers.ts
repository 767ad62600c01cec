// Measures what a second worker gains: `npm run bench -- workers`. Services with 1 and with 2 workers on one MariaDB take turns. Load
// generator, database and services share all processors, as nothing else is possible on a machine with two. So the CPU time of
// a request is printed too. Options: --pairs 7, --seconds 3.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { pino } from 'pino';
import { connectDatabase } from '../src/platform/db/connect.ts';
import { freePort } from '../test/support/free-port.ts';
import { startMariaDb } from './mariadb.ts';
import { cpuSeconds, type Program } from './program.ts';
import { seedClients, seedSessions } from './seed.ts';
import { startService } from './service.ts';
import { loadByWrk, type RequestFormat } from './wrk.ts';

const { values } = parseArgs({
  options: { pairs: { type: 'string', default: '7' }, seconds: { type: 'string', default: '3' } },
});
const ALL_CORES = '0,1';
const WORKERS = [1, 2] as const;
const CONNECTIONS = 64;
const ROWS = 200;

interface Figures {
  readonly perSecond: number;
  /** Microseconds of CPU time of all processes of the service, for a request. */
  readonly cpu: number;
}

const mariadb = await startMariaDb(ALL_CORES);
const services: Program[] = [];
const database = connectDatabase({ url: mariadb.url, poolSize: 2, log: pino({ level: 'silent' }) });
try {
  for (const workers of WORKERS) services.push(await startWithWorkers(workers));
  const sessions = await seedSessions(database, ROWS);
  const clients = await seedClients(database, ROWS);
  await measure(
    'GET /auth/me',
    '/api/v1/auth/me',
    'bearer',
    sessions.map(({ accessToken }) => accessToken),
  );
  const grant = ({ id, secret }: (typeof clients)[number]) =>
    `grant_type=client_credentials&client_id=${id}&client_secret=${secret}`;
  await measure('POST /auth/token', '/api/v1/auth/token', 'form', clients.map(grant));
} finally {
  await database.close();
  for (const { stop } of [...services, mariadb]) await stop();
}

async function startWithWorkers(workers: number): Promise<Program> {
  const [http, management] = [await freePort(), await freePort()];
  return startService({
    core: ALL_CORES,
    databaseUrl: mariadb.url,
    settings: {
      'app.workers': String(workers),
      'app.http.port': String(http),
      'app.management.port': String(management),
      'app.rpc.enabled': 'false',
      'app.security.m2m.rate-limit.store': 'none',
    },
  });
}

async function measure(title: string, path: string, format: RequestFormat, lines: readonly string[]): Promise<void> {
  const inputFile = join(services[0]!.directory, format);
  writeFileSync(inputFile, lines.map((line) => `${line}\n`).join(''));
  const run = async ({ pid, url }: Program, seconds: number): Promise<Figures> => {
    const before = cpuOf(pid);
    const load = await loadByWrk({
      core: ALL_CORES,
      connections: CONNECTIONS,
      seconds,
      url: url + path,
      format,
      inputFile,
    });
    return { perSecond: load.requests / load.seconds, cpu: (1e6 * (cpuOf(pid) - before)) / load.requests };
  };
  for (const service of services) await run(service, Number(values.seconds));
  const pairs: Figures[][] = [];
  for (let index = 0; index < Number(values.pairs); index += 1) {
    const pair: Figures[] = [];
    for (const service of services) pair.push(await run(service, Number(values.seconds)));
    pairs.push(pair);
  }
  const ratios = pairs.map(([one, two]) => two!.perSecond / one!.perSecond).toSorted((a, b) => a - b);
  for (const [index, workers] of WORKERS.entries()) {
    const own = pairs.map((pair) => pair[index]!);
    const perSecond = median(own.map((figures) => figures.perSecond));
    const cpu = median(own.map((figures) => figures.cpu));
    process.stdout.write(`${title}, ${workers} workers: ${perSecond.toFixed(0)}/s, ${cpu.toFixed(0)} µs of CPU time\n`);
  }
  process.stdout.write(
    `${title}, ratio: ${median(ratios).toFixed(2)} (${ratios[0]!.toFixed(2)} to ${ratios.at(-1)!.toFixed(2)})\n`,
  );
}

/** Returns the CPU time of a process and its children, in seconds. */
function cpuOf(pid: number): number {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean);
  return [String(pid), ...children].reduce((total, each) => total + cpuSeconds(Number(each)), 0);
}

function median(numbers: readonly number[]): number {
  return numbers.toSorted((a, b) => a - b)[numbers.length >> 1]!;
}
