import { setTimeout as sleep } from 'node:timers/promises';
import { isRolledBack } from './errors.ts';

const ATTEMPTS = 5;
/** Random, so that two processes do not meet again. */
const MAX_PAUSE_MS = 50;

/**
 * Runs a transaction again if the server has rolled it back, because another one has changed the same rows. For jobs, and for the start
 * of a process. Calls are not repeated: their callers do that, within their own deadline.
 *
 * @param transaction Begins a new transaction each time.
 */
export async function repeatRolledBack<T>(transaction: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await transaction();
    } catch (error) {
      if (!isRolledBack(error) || attempt === ATTEMPTS) throw error;
      await sleep(Math.random() * MAX_PAUSE_MS);
    }
  }
}
