// The lock of exchanges. create-lock.ts chooses its kind.
import { noResponse, type ApiError } from './api-error.ts';
import type { Channel } from './channel.ts';

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
