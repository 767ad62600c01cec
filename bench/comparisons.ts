// What is compared: the service on core 0 and its limit on core 0, loaded from core 1, where the database is too.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { pino } from 'pino';
import { connectDatabase } from '../src/db/connect.ts';
import type { Database } from '../src/db/types.ts';
import type { Comparison, Side } from './compare.ts';
import { startMariaDb } from './mariadb.ts';
import { startProgram, type Program } from './program.ts';
import { seedSessions } from './seed.ts';
import { COOKIE_NAME, startService } from './service.ts';
import { loadByWrk, type Load } from './wrk.ts';

export const ENGINES = ['mariadb', 'sqlite'] as const;
export type Engine = (typeof ENGINES)[number];

export interface BenchOptions {
  /** Connections of the load generator. */
  readonly connections: number;
  /** Where the service writes a CPU profile when it ends. */
  readonly profileFolder?: string | undefined;
}

const SERVER_CORE = 0;
const LOAD_CORE = 1;
/** A session whose answer is on its way must not be the next in the queue. */
const SESSIONS_PER_CONNECTION = 4;

/** The service on one engine, with everything it is loaded and compared with. */
interface Bench extends BenchOptions {
  readonly service: Program;
  readonly database: Database;
  /** Starts a program that ends with the bench. */
  start(program: Promise<Program>): Promise<Program>;
}

/** Starts the service on an engine, hands over one comparison after the other, and ends everything. */
export async function withComparisons(
  engine: Engine,
  options: BenchOptions,
  run: (comparison: Comparison) => Promise<void>,
): Promise<void> {
  const started: Program[] = [];
  const start = async (starting: Promise<Program>) => {
    const program = await starting;
    started.push(program);
    return program;
  };
  let database: Database | undefined;
  try {
    const server = engine === 'mariadb' ? await start(startMariaDb(LOAD_CORE)) : undefined;
    const databaseUrl = server?.url ?? 'sqlite:service.db';
    const nodeFlags =
      options.profileFolder === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${options.profileFolder}`];
    const service = await start(startService({ core: SERVER_CORE, databaseUrl, nodeFlags }));
    const url = server?.url ?? `sqlite:${join(service.directory, 'service.db')}`;
    database = connectDatabase({ url, poolSize: 2, log: pino({ level: 'silent' }) });
    const bench: Bench = { ...options, service, database, start };
    for (const comparison of await bearerComparisons(bench, engine)) await run(comparison);
    if (server) await run(await refreshComparison(bench, server.url));
  } finally {
    await database?.close();
    for (const program of started.toReversed()) await program.stop();
  }
}

/** What only checks an access token: `me` beside the limit, and forward authentication beside `me`. */
async function bearerComparisons(bench: Bench, engine: Engine): Promise<Comparison[]> {
  const { service, database, start, connections } = bench;
  const [me, verify] = ['/api/v1/auth/me', '/api/v1/auth/verify'] as const;
  const sessions = await seedSessions(database, connections * SESSIONS_PER_CONNECTION);
  const inputFile = join(service.directory, 'tokens');
  writeFileSync(inputFile, sessions.map(({ accessToken }) => `${accessToken}\n`).join(''));
  const headers = { authorization: `Bearer ${sessions[0]!.accessToken}` };
  const [body] = await Promise.all(
    [me, verify].map(async (path) => {
      const answer = await fetch(service.url + path, { headers });
      const text = await answer.text();
      if (answer.status !== 200) throw new Error(`${path} answers ${answer.status}: ${text}`);
      return text;
    }),
  );
  const bare = await start(startNode('bare-fastify.ts', [body!]));

  const side = (name: string, { pid, url }: Program, path: string): Side => ({
    name,
    pid,
    load: (seconds) =>
      loadByWrk({ core: LOAD_CORE, connections, seconds, url: url + path, script: 'bearer.lua', inputFile }),
  });
  return [
    {
      title: `GET /auth/me, ${engine}`,
      aim: engine === 'mariadb' ? 0.25 : 0.3,
      subject: side('service', service, me),
      limit: side('bare Fastify', bare, me),
    },
    {
      title: `GET /auth/verify, ${engine}`,
      aim: 1,
      subject: side('service', service, verify),
      limit: side('GET /auth/me', service, me),
    },
  ];
}

async function refreshComparison(bench: Bench, databaseUrl: string): Promise<Comparison> {
  const { service, database, start, connections } = bench;
  const inputFile = join(service.directory, 'cookies');
  const refresh = async (seconds: number): Promise<Load> => {
    // New sessions every time: the answers under way at the end of a block, and their cookies with them, are lost.
    const sessions = await seedSessions(database, connections * SESSIONS_PER_CONNECTION);
    writeFileSync(inputFile, sessions.map(({ credential }) => `${COOKIE_NAME}=${credential}\n`).join(''));
    const url = `${service.url}/api/v1/auth/refresh`;
    return loadByWrk({ core: LOAD_CORE, connections, seconds, url, script: 'refresh.lua', inputFile });
  };
  const update = await start(startNode('raw-update.ts', [databaseUrl, String(connections)]));
  return {
    title: 'POST /auth/refresh, mariadb',
    aim: 0.35,
    subject: { name: 'service', pid: service.pid, load: refresh },
    limit: {
      name: 'raw UPDATE',
      pid: update.pid,
      load: async (seconds) => {
        const answer = await fetch(`${update.url}/?seconds=${seconds}`);
        if (answer.status !== 200) throw new Error(`raw UPDATE: ${await answer.text()}`);
        return (await answer.json()) as Load;
      },
    },
  };
}

/** Starts a script of this folder that prints its URL. */
function startNode(script: string, args: readonly string[]): Promise<Program> {
  const path = fileURLToPath(new URL(script, import.meta.url));
  return startProgram({
    core: SERVER_CORE,
    command: () => [process.execPath, path, ...args],
    urlIn: (line) => /^http:\S+$/.exec(line)?.[0],
  });
}
