import { createBackground } from '../../src/platform/jobs/background.ts';
import type { Database, Statements } from '../../src/platform/db/types.ts';
import type { Timing } from '../../src/platform/timing.ts';

/** Returns a database of a process without calls. All statements take no time, match one row and find none. */
export function idleDatabase(engine: Database['engine'], timing: Timing) {
  const statements: Statements = { query: async () => [], execute: async () => 1 };
  const database: Partial<Database> = {
    ...statements,
    engine,
    poolState: () => ({ used: 0, idle: 0, waiting: 0, max: 4 }),
    transaction: (_deadline, work) => work(statements),
  };
  const calls = { areWaiting: () => false, isLoopBusy: () => false };
  return createBackground(database as Database, timing, calls);
}
