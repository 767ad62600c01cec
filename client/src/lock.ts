// One exchange at a time in a browser: by Web Locks, otherwise by a lease in local storage, otherwise within this tab only.
import { noResponse, type ApiError } from './api-error.ts';
import type { Channel } from './channel.ts';
import { sleep } from './timers.ts';
import { createWebLock } from './web-lock.ts';

export interface Lock {
  /**
   * Runs the work while no other tab runs work. An abort ends the wait, but not the work. The maximum wait ends with the code
   * `refresh-lock-timeout`.
   */
  run<T>(work: () => Promise<T>, signal: AbortSignal): Promise<T>;
}

export interface LockOptions {
  readonly name: string;
  readonly channel: Channel;
  readonly storage: Storage | undefined;
  /** Maximum wait for the lock. */
  readonly waitMs: number;
  /** Maximum hold of a tab that is not frozen, without the second for its messages. */
  readonly holdMs: number;
}

/** Creates the best lock that this browser supports. */
export function createLock(options: LockOptions): Lock {
  const locks = (globalThis as { navigator?: { locks?: LockManager } }).navigator?.locks;
  if (locks) return createWebLock(locks, options);
  return options.storage ? loadLeaseLock(options.storage, options) : createLocalLock();
}

/** Few browsers need it, so a page loads it only there. */
function loadLeaseLock(storage: Storage, options: LockOptions): Lock {
  return {
    async run(work, signal) {
      const { createLeaseLock } = await import('./lease-lock.ts');
      return createLeaseLock(storage, options, { sleep, lockTimeout }).run(work, signal);
    },
  };
}

/** A lock within this tab. */
export function createLocalLock(): Lock {
  let last: Promise<unknown> = Promise.resolve();
  return {
    run(work, signal) {
      const turn = last.then(() => {
        signal.throwIfAborted();
        return work();
      });
      last = turn.catch(() => undefined);
      return turn;
    },
  };
}

export const lockTimeout = (): ApiError =>
  noResponse('refresh-lock-timeout', 'Another tab held the refresh lock for too long');
