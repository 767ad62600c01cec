// Waiting for a SQLite file that another process has locked. SQLite's own way, busy_timeout, would block the event loop.
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import { isLocked, toSafeError, unavailable } from '../errors.ts';

/** What an attempt comes to that found the file locked: it has changed nothing. */
export const LOCKED = Symbol('locked');

/** Those who wait for the file, in the order in which they came. */
export interface LockQueue {
  /** Whether anybody waits, which is to be served first. */
  readonly isWaiting: boolean;
  /**
   * What the attempt comes to, made again and again for as long as it finds the file locked. Only the first in the queue tries,
   * so that a crowd costs no more than one. Rejects with DependencyUnavailableError once `timeoutMs` have passed, never during
   * an attempt, and makes no further one then.
   */
  run<T>(attempt: () => Promise<T | typeof LOCKED>, timeoutMs: number): Promise<T>;
}

/** Makes the attempt of the one who waits. False where the file is still locked. */
type Waiter = () => Promise<boolean>;

// Short, since they cost one process one failed statement each, and a process that writes all the time leaves but short gaps.
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
        // Never in step with another process that waits in the same way.
        await sleep(pauseMs * (0.5 + Math.random() / 2));
        pauseMs = Math.min(2 * pauseMs, LAST_PAUSE_MS);
      } else {
        // Whoever comes off the network has waited too, while one of these wrote.
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

/** What the work returns; LOCKED where another process has the file, and what else SQLite throws as a safe error. */
export function unlessLocked<T>(work: () => T, phase?: 'connecting' | 'connected'): T | typeof LOCKED {
  try {
    return work();
  } catch (error) {
    if (isLocked(error)) return LOCKED;
    throw toSafeError(error, phase);
  }
}
