import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import { SettingError } from '../setting-error.ts';
import { whyHopeless } from './errors.ts';
import type { Database } from './types.ts';

const PING_TIMEOUT_MS = 2_000;
const PAUSE_MS = 500;
const REPORT_EVERY_MS = 5_000;

/**
 * Waits until the database responds. Logs the first failure and then about every 5 s. Rejects at the timeout with
 * the last failure, and at an abort with the signal's reason. Rejects at once if waiting cannot help.
 */
export async function waitForDatabase(
  database: Database,
  options: {
    /** Maximum wait in milliseconds. Default: unlimited. */
    readonly timeoutMs?: number;
    readonly log: Logger;
    /** Stops the wait. */
    readonly signal?: AbortSignal;
  },
): Promise<void> {
  const { timeoutMs = Infinity, log, signal } = options;
  const { address } = database;
  const started = performance.now();
  let reportedAt: number | undefined;
  for (;;) {
    signal?.throwIfAborted();
    try {
      await database.ping(PING_TIMEOUT_MS);
      if (reportedAt !== undefined) log.info(`the database answers: ${address}`);
      return;
    } catch (error) {
      const hopeless = whyHopeless(error);
      if (hopeless !== undefined) throw new SettingError(`${address} cannot be used: ${hopeless}`, { cause: error });
      const now = performance.now();
      if (now - started >= timeoutMs) throw error;
      if (reportedAt === undefined || now - reportedAt >= REPORT_EVERY_MS) {
        const reason = error instanceof Error ? error.message : String(error);
        log.warn(`waiting for the database ${address}: ${reason}`);
        reportedAt = now;
      }
      await sleep(PAUSE_MS, undefined, signal && { signal });
    }
  }
}
