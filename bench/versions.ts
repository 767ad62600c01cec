// Compares the CPU time of requests with that of another version: `npm run bench -- versions --base FOLDER`. FOLDER is a checkout of
// that version with its packages: `git worktree add FOLDER COMMIT`. Blocks of both services alternate. Options: --engine
// sqlite|mariadb, --pairs 15, --seconds 1, --connections 32, --only TEXT, --delay 1 (milliseconds between service and MariaDB).
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { loadavg } from 'node:os';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { pino } from 'pino';
import { Pool } from 'undici';
import type { connectDatabase } from '../src/platform/db/connect.ts';
import type { Database } from '../src/platform/db/types.ts';
import { compare, type Pair, type Side } from './compare.ts';
import { startDelayedProxy } from './delayed-proxy.ts';
import { startMariaDb } from './mariadb.ts';
import { LOAD_CORE, SERVER_CORE, type Program } from './program.ts';
import { spreadOf } from './results.ts';
import { grpcSide, type RpcLoad } from './grpc-side.ts';
import type { seedClients, seedProducts, seedSessions } from './seed.ts';
import { type COOKIE_NAME, rpcUrlOf, type startService } from './service.ts';
import { wrkSide } from './stand.ts';
import { loadByWrk, type Load } from './wrk.ts';

const { values } = parseArgs({
  options: {
    base: { type: 'string' },
    engine: { type: 'string', default: 'sqlite' },
    pairs: { type: 'string', default: '15' },
    seconds: { type: 'string', default: '1' },
    connections: { type: 'string', default: '32' },
    only: { type: 'string', default: '' },
    delay: { type: 'string', default: '0' },
  },
});
if (values.base === undefined) throw new Error('--base FOLDER is missing: a checkout of the other version');
const connections = Number(values.connections);
const SESSIONS = 128;
const CLIENTS = 200;
const LOGOUTS = 1_000;
const API = '/api/v1/auth';

/** The programs of a version that start and fill its service. */
interface Version {
  readonly startService: typeof startService;
  readonly cookieName: typeof COOKIE_NAME;
  readonly seedSessions: typeof seedSessions;
  readonly seedClients: typeof seedClients;
  readonly seedProducts: typeof seedProducts;
  readonly connectDatabase: typeof connectDatabase;
}

/** A running service with its database. */
interface Stage {
  readonly version: Version;
  readonly service: Program;
  readonly database: Database;
}

type Row = (stage: Stage) => Promise<Side>;

const ROWS: Readonly<Record<string, Row>> = {
  'GET /auth/me': async ({ version, service, database }) => {
    const sessions = await version.seedSessions(database, SESSIONS);
    const lines = sessions.map(({ accessToken }) => accessToken);
    return wrkSide('', service, { path: `${API}/me`, format: 'bearer', lines, connections });
  },
  'POST /auth/refresh': async ({ version, service, database }) => ({
    name: '',
    pid: service.pid,
    async load(seconds) {
      const inputFile = join(service.directory, 'cookies');
      const sessions = await version.seedSessions(database, SESSIONS);
      writeFileSync(inputFile, sessions.map(({ credential }) => `${version.cookieName}=${credential}\n`).join(''));
      const url = `${service.url}${API}/refresh`;
      return loadByWrk({ core: LOAD_CORE, connections, seconds, url, format: 'refresh', inputFile });
    },
  }),
  'POST /auth/token': async ({ version, service, database }) => {
    // Creates the tenant of the clients.
    await version.seedSessions(database, 1);
    const clients = await version.seedClients(database, CLIENTS);
    const lines = clients.map(
      ({ id, secret }) => `grant_type=client_credentials&client_id=${id}&client_secret=${secret}`,
    );
    return wrkSide('', service, { path: `${API}/token`, format: 'form', lines, connections });
  },
  'POST /auth/logout': async ({ version, service, database }) => ({
    name: '',
    pid: service.pid,
    // A session ends once, so the number of requests is fixed.
    load: async () => logOut(service.url, await version.seedSessions(database, LOGOUTS)),
  }),
  'gRPC Authenticate': async ({ version, service, database }) => {
    const [session] = await version.seedSessions(database, 1);
    const data = { bearerToken: session!.accessToken };
    return rpcSide(service, { rpc: 'authservice.identity.v1.IdentityService/Authenticate', data });
  },
  'gRPC GetMe': async ({ version, service, database }) => {
    const [session] = await version.seedSessions(database, 1);
    return rpcSide(service, { rpc: 'authservice.identity.v1.IdentityService/GetMe', token: session!.accessToken });
  },
  'gRPC ListProducts': async ({ version, service, database }) => {
    const [session] = await version.seedSessions(database, 1);
    await version.seedProducts(database);
    const rpc = 'authservice.business.v1.ProductService/ListProducts';
    return rpcSide(service, { rpc, data: { page: { perPage: 20 } }, token: session!.accessToken });
  },
  'gRPC IssueToken': async ({ version, service, database }) => {
    const [client] = await version.seedClients(database, 1);
    const rpc = 'authservice.clientcredentials.v1.ClientCredentialsService/IssueToken';
    return rpcSide(service, {
      rpc,
      data: { grantType: 'client_credentials', clientId: client!.id, clientSecret: client!.secret },
    });
  },
};

execFileSync('taskset', ['-a', '-c', '-p', String(LOAD_CORE), String(process.pid)], { stdio: 'ignore' });
const stop: (() => Promise<void>)[] = [];
try {
  const [now, base] = [await start(join(import.meta.dirname, '..')), await start(resolve(values.base))];
  const seconds = Number(values.seconds);
  const effort = { pairs: Number(values.pairs), seconds, warmUpSeconds: 2, warmUpRequests: 20_000 };
  process.stdout.write(
    `${values.engine}, load average ${loadavg()[0]!.toFixed(1)}\n\n` +
      `| | CPU time, new : old | Min–max | Pairs | µs CPU, old → new |\n| --- | ---: | ---: | ---: | ---: |\n`,
  );
  for (const [title, row] of Object.entries(ROWS)) {
    if (!title.includes(values.only)) continue;
    const sides = { subject: await row(now), limit: await row(base) };
    process.stdout.write(rowText(title, await compare({ title, aim: 1, ...sides }, effort)));
  }
  process.stdout.write(`\nload average ${loadavg()[0]!.toFixed(1)}\n`);
} finally {
  for (const end of stop.toReversed()) await end();
}

async function start(folder: string): Promise<Stage> {
  const version = await versionIn(folder);
  const server = values.engine === 'mariadb' ? await startMariaDb(LOAD_CORE) : undefined;
  if (server) stop.push(server.stop);
  const databaseUrl = server ? await delayed(server.url) : 'sqlite:service.db';
  const service = await version.startService({ core: SERVER_CORE, databaseUrl });
  stop.push(service.stop);
  const url = server?.url ?? `sqlite:${join(service.directory, 'service.db')}`;
  const database = version.connectDatabase({ url, poolSize: 2, log: pino({ level: 'silent' }) });
  stop.push(() => database.close());
  return { version, service, database };
}

/** Returns the address at which the service reaches the database. */
async function delayed(url: string): Promise<string> {
  const delayMs = Number(values.delay);
  if (delayMs === 0) return url;
  const address = new URL(url);
  const proxy = await startDelayedProxy(Number(address.port), delayMs);
  stop.push(proxy.stop);
  address.port = String(proxy.port);
  return address.href;
}

async function versionIn(folder: string): Promise<Version> {
  const load = (path: string) => import(pathToFileURL(join(folder, path)).href) as Promise<Record<string, unknown>>;
  const [service, seed, connect] = await Promise.all(
    ['bench/service.ts', 'bench/seed.ts', 'src/platform/db/connect.ts'].map(load),
  );
  return { ...seed, ...connect, ...service, cookieName: service!['COOKIE_NAME'] } as unknown as Version;
}

function rpcSide(service: Program, load: Omit<RpcLoad, 'concurrency'>): Side {
  return grpcSide('', service, rpcUrlOf(service), { ...load, concurrency: connections });
}

async function logOut(url: string, sessions: readonly { readonly accessToken: string }[]): Promise<Load> {
  const pool = new Pool(url, { connections });
  const began = performance.now();
  const waiting = [...sessions];
  const caller = async () => {
    for (let session = waiting.pop(); session; session = waiting.pop()) {
      const headers = { authorization: `Bearer ${session.accessToken}` };
      const { statusCode, body } = await pool.request({ path: `${API}/logout`, method: 'POST', headers });
      await body.dump();
      if (statusCode !== 200) throw new Error(`logout: ${statusCode}`);
    }
  };
  await Promise.all(Array.from({ length: connections }, caller));
  const seconds = (performance.now() - began) / 1_000;
  await pool.close();
  return { requests: sessions.length, seconds };
}

function rowText(title: string, pairs: readonly Pair[]): string {
  const cpuOf = ({ cpuSeconds, requests }: Pair['subject']) => (1e6 * cpuSeconds) / requests;
  const { median, min, max } = spreadOf(pairs.map(({ subject, limit }) => cpuOf(subject) / cpuOf(limit)));
  const [before, after] = (['limit', 'subject'] as const).map((side) =>
    spreadOf(pairs.map((pair) => cpuOf(pair[side]))).median.toFixed(0),
  );
  const cells = [`\`${title}\``, median.toFixed(2), `${min.toFixed(2)}–${max.toFixed(2)}`, pairs.length];
  return `| ${[...cells, `${before} → ${after}`].join(' | ')} |\n`;
}
