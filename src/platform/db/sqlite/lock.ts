// Waits for a SQLite file that another process has locked. SQLite's busy_timeout would block the event loop.
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import { isLocked, toSafeError, unavailable } from '../errors.ts';

/** The result of an attempt that found the file locked. It has changed nothing. */
export const LOCKED = Symbol('locked');

/** The attempts that wait for the file, in order of arrival. */
export interface LockQueue {
  /** Whether an attempt waits, which must run first. */
  readonly isWaiting: boolean;
  /**
   * Repeats an attempt while the file is locked and returns its result. Only the first in the queue is tried, so many
   * waiting attempts cost no more than one. Rejects with DependencyUnavailableError after `timeoutMs` milliseconds,
   * never during an attempt; the attempt is not repeated then.
   */
  run<T>(attempt: () => Promise<T | typeof LOCKED>, timeoutMs: number): Promise<T>;
}

/** Runs a waiting attempt. Returns false if the file is still locked. */
type Waiter = () => Promise<boolean>;

// Short pauses: an attempt costs only one failed statement, and a process that writes continuously leaves only short
// gaps.
const FIRST_PAUSE_MS = 2;
const LAST_PAUSE_MS = 10;

export function createLockQueue(): LockQueue {
  const waiters = new Set<Waiter>();
  let serving = false;

  async function serve(): Promise<void> {
    serving = true;
    let pauseMs = FIRST_PAUSE_MS;
    let locked = true;
    while (waiters.size > 0) {
      if (locked) {
        // Random, so that two waiting processes do not stay synchronised.
        await sleep(pauseMs * (0.5 + Math.random() / 2));
        pauseMs = Math.min(2 * pauseMs, LAST_PAUSE_MS);
      } else {
        // Lets requests that arrived during the write be read first.
        await nextTurn();
        pauseMs = FIRST_PAUSE_MS;
      }
      const [first] = waiters;
      if (first === undefined) break;
      locked = !(await first());
      if (!locked) waiters.delete(first);
    }
    serving = false;
  }

  function wait<T>(attempt: () => Promise<T | typeof LOCKED>, timeoutMs: number): Promise<T> {
    return new Promise((resolve, reject) => {
      const giveUpAt = performance.now() + timeoutMs;
      const giveUp = () => {
        waiters.delete(waiter);
        reject(unavailable('locked by another process'));
      };
      const limit = () => setTimeout(giveUp, Math.max(0, giveUpAt - performance.now()));
      let timer = limit();
      const waiter = async () => {
        clearTimeout(timer);
        try {
          const result = await attempt();
          if (result === LOCKED) {
            timer = limit();
            return false;
          }
          resolve(result);
        } catch (error) {
          reject(error);
        }
        return true;
      };
      waiters.add(waiter);
      if (!serving) void serve();
    });
  }

  return {
    get isWaiting() {
      return waiters.size > 0;
    },
    async run(attempt, timeoutMs) {
      if (waiters.size === 0) {
        const result = await attempt();
        if (result !== LOCKED) return result;
      }
      return wait(attempt, timeoutMs);
    },
  };
}

/**
 * Returns the work's result, or LOCKED if another process has locked the file. Throws other errors of SQLite as safe
 * errors.
 */
export function unlessLocked<T>(work: () => T, phase?: 'connecting' | 'connected'): T | typeof LOCKED {
  try {
    return work();
  } catch (error) {
    if (isLocked(error)) return LOCKED;
    throw toSafeError(error, phase);
  }
}
