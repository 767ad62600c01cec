// All comparisons, on one engine after the other.
import { join } from 'node:path';
import { pino } from 'pino';
import { connectDatabase } from '../src/db/connect.ts';
import type { Database } from '../src/db/types.ts';
import type { Comparison } from './compare.ts';
import { startMariaDb } from './mariadb.ts';
import type { Program } from './program.ts';
import { bearerComparisons } from './rows/bearer.ts';
import { grantComparisons } from './rows/grant.ts';
import { listComparisons } from './rows/list.ts';
import { refreshComparisons } from './rows/refresh.ts';
import { seedProducts } from './seed-products.ts';
import { seedSessions } from './seed.ts';
import { startService } from './service.ts';
import { LOAD_CORE, SERVER_CORE, startNode, type Engine, type Stand } from './stand.ts';

export interface BenchOptions {
  /** Connections of the load generator, unless the comparison sets another number. */
  readonly connections: number;
  /** Folder for the CPU profile, which the service writes when it ends. */
  readonly profileFolder?: string | undefined;
}

const ROWS = [bearerComparisons, grantComparisons, listComparisons, refreshComparisons];

/** More than 1, so that a session with a request in progress is not the next in the queue. */
const SESSIONS_PER_CONNECTION = 4;

/** Starts the service on an engine, calls `run` with one comparison after the other, and stops all programs. */
export async function withComparisons(
  engine: Engine,
  { connections, profileFolder }: BenchOptions,
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
    const nodeFlags = profileFolder === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${profileFolder}`];
    const service = await start(
      startService({ core: SERVER_CORE, databaseUrl: server?.url ?? 'sqlite:service.db', nodeFlags }),
    );
    const databaseUrl = server?.url ?? `sqlite:${join(service.directory, 'service.db')}`;
    database = connectDatabase({ url: databaseUrl, poolSize: 2, log: pino({ level: 'silent' }) });
    const sessions = await seedSessions(database, connections * SESSIONS_PER_CONNECTION);
    await seedProducts(database);
    const byHand = await start(startNode('by-hand/server.ts', [databaseUrl, service.url]));
    const stand: Stand = { engine, connections, service, database, databaseUrl, sessions, byHand, start };
    for (const comparisons of ROWS) {
      for (const comparison of await comparisons(stand)) await run(comparison);
    }
  } finally {
    await database?.close();
    for (const program of started.toReversed()) await program.stop();
  }
}
