// A second service beside that of the stand, with other settings or other rows.
import { join } from 'node:path';
import { pino } from 'pino';
import { connectDatabase } from '../src/platform/db/connect.ts';
import type { Database } from '../src/platform/db/types.ts';
import { startMariaDb } from './mariadb.ts';
import { LOAD_CORE, SERVER_CORE, type Program } from './program.ts';
import { seedSessions, type Session } from './seed.ts';
import { startService, type ServiceOptions } from './service.ts';
import { type Stand } from './stand.ts';

export interface ExtraService {
  readonly service: Program;
  readonly database: Database;
  readonly databaseUrl: string;
  readonly sessions: readonly Session[];
}

/** Starts a service with a database of its own, which has as many sessions as that of the stand. Ends with the stand. */
export async function startExtraService(
  { engine, sessions, start }: Stand,
  options: Pick<ServiceOptions, 'settings' | 'env'> = {},
): Promise<ExtraService> {
  const server = engine === 'mariadb' ? await start(startMariaDb(LOAD_CORE)) : undefined;
  const service = await start(
    startService({ core: SERVER_CORE, databaseUrl: server?.url ?? 'sqlite:service.db', ...options }),
  );
  const databaseUrl = server?.url ?? `sqlite:${join(service.directory, 'service.db')}`;
  const database = connectDatabase({ url: databaseUrl, poolSize: 2, log: pino({ level: 'silent' }) });
  await start(Promise.resolve({ stop: () => database.close() }));
  const seeded = await seedSessions(database, sessions.length);
  return { service, database, databaseUrl, sessions: seeded };
}
