// Processes that migrate one database at the same time.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { pino } from 'pino';
import { expect, it } from 'vitest';
import { connectDatabase } from '../../src/platform/db/connect.ts';
import { pendingMigrations } from '../../src/platform/db/migrate.ts';
import { createEmptyDatabase, ENGINES } from '../support/databases.ts';

const WORKER = new URL('../support/migrate-process.ts', import.meta.url);

/** Returns how many migrations the process has applied. Rejects if it fails. */
async function migrateInProcess(url: string): Promise<number> {
  const child = fork(WORKER, [url], { execArgv: [] });
  let applied: number | undefined;
  child.on('message', (count: number) => (applied = count));
  const [code] = (await once(child, 'exit')) as [number | null];
  if (applied === undefined) throw new Error(`a process that migrates has ended with ${code}`);
  return applied;
}

it.each(ENGINES)('migrations are applied once when several processes start at the same time on %s', async (engine) => {
  const { url, remove } = await createEmptyDatabase(engine);
  const database = connectDatabase({ url, poolSize: 2, log: pino({ level: 'silent' }) });
  const pending = await pendingMigrations(database);
  const applied = await Promise.all([1, 2, 3].map(() => migrateInProcess(url)));
  expect(applied.toSorted((a, b) => a - b)).toEqual([0, 0, pending.length]);
  expect(await pendingMigrations(database)).toEqual([]);
  await database.close();
  await remove();
});
