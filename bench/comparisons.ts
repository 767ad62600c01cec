// All comparisons and figures, on one engine after the other.
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { pino } from 'pino';
import { connectDatabase } from '../src/platform/db/connect.ts';
import type { Comparison, Figure } from './compare.ts';
import { cleanupFigures } from './figures/cleanup.ts';
import { floodFigures } from './figures/flood.ts';
import { memoryFigures } from './figures/memory.ts';
import { orderFigures } from './figures/orders.ts';
import { startFigures } from './figures/start.ts';
import { startMariaDb } from './mariadb.ts';
import { apiKeyComparisons } from './rows/api-key.ts';
import { bearerComparisons } from './rows/bearer.ts';
import { dialectComparisons } from './rows/dialects.ts';
import { grantComparisons } from './rows/grant.ts';
import { growthComparisons, refreshComparisons } from './rows/refresh.ts';
import { grpcComparisons } from './rows/grpc.ts';
import { listComparisons } from './rows/list.ts';
import { loginComparisons } from './rows/login.ts';
import { openIdComparisons } from './rows/openid.ts';
import { slowDiskComparisons } from './rows/slow-disk.ts';
import { transportComparisons } from './rows/transports.ts';
import { seedProducts, seedSessions } from './seed.ts';
import { startService } from './service.ts';
import { LOAD_CORE, SERVER_CORE } from './program.ts';
import { startNode, type Engine, type Stand, type Stoppable } from './stand.ts';

export interface BenchOptions {
  /** Connections of the load generator, unless the comparison sets another number. */
  readonly connections: number;
  /** See Stand. */
  readonly scale: number;
  readonly wants: Stand['wants'];
  /** Folder for the CPU profile, which the service writes when it ends. */
  readonly profileFolder?: string | undefined;
}

export interface Measures {
  compare(comparison: Comparison): Promise<void>;
  measure(figure: Figure): Promise<void>;
}

const ROWS: readonly ((stand: Stand) => Promise<Comparison[]>)[] = [
  bearerComparisons,
  apiKeyComparisons,
  grantComparisons,
  dialectComparisons,
  slowDiskComparisons,
  listComparisons,
  refreshComparisons,
  loginComparisons,
  grpcComparisons,
  transportComparisons,
  openIdComparisons,
  growthComparisons,
];
const FIGURES: readonly ((stand: Stand) => readonly Figure[])[] = [
  startFigures,
  memoryFigures,
  floodFigures,
  orderFigures,
  cleanupFigures,
];

/** More than 1, so that a session with a request in progress is not the next in the queue. */
const SESSIONS_PER_CONNECTION = 4;

/** Starts the service on an engine, measures all rows with a wanted title, and stops all programs. */
export async function withComparisons(
  engine: Engine,
  { connections, scale, wants, profileFolder }: BenchOptions,
  { compare, measure }: Measures,
): Promise<void> {
  // This process reads the log lines of the service. On the service's core, it would interrupt it at each line.
  execFileSync('taskset', ['-a', '-c', '-p', String(LOAD_CORE), String(process.pid)], { stdio: 'ignore' });
  const started: Stoppable[] = [];
  const start = async <Started extends Stoppable>(starting: Promise<Started>): Promise<Started> => {
    const program = await starting;
    started.push(program);
    return program;
  };
  const stopSince = async (count: number) => {
    for (const program of started.splice(count).toReversed()) await program.stop();
  };
  try {
    const server = engine === 'mariadb' ? await start(startMariaDb(LOAD_CORE)) : undefined;
    const nodeFlags = profileFolder === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${profileFolder}`];
    const service = await start(
      startService({
        core: SERVER_CORE,
        databaseUrl: server?.url ?? 'sqlite:service.db',
        fromSources: profileFolder !== undefined,
        nodeFlags,
      }),
    );
    const databaseUrl = server?.url ?? `sqlite:${join(service.directory, 'service.db')}`;
    const database = connectDatabase({ url: databaseUrl, poolSize: 2, log: pino({ level: 'silent' }) });
    await start(Promise.resolve({ stop: () => database.close() }));
    const sessions = await seedSessions(database, connections * SESSIONS_PER_CONNECTION);
    await seedProducts(database);
    const byHand = await start(startNode('by-hand/server.ts', [databaseUrl, service.url]));
    const of = { engine, connections, scale, service, database, databaseUrl, sessions, byHand };
    const stand: Stand = { ...of, wants, start };
    const own = started.length;
    for (const rows of ROWS) {
      for (const comparison of await rows(stand)) if (wants(comparison)) await compare(comparison);
      await stopSince(own);
    }
    for (const figures of FIGURES) {
      for (const figure of figures(stand)) if (wants(figure)) await measure(figure);
      await stopSince(own);
    }
  } finally {
    await stopSince(0);
  }
}
