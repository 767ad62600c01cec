// For browsers and pages without Web Locks (plain HTTP other than localhost, Firefox before 96, Safari before 15.4).
// It is loaded on demand and imports no code: bundlers would put shared code into a file of its own, which each page then loads.
import type { Lock, LockOptions } from './lock.ts';

/** Local storage reaches other processes with a delay. A tab must see the write of another tab at the same time. */
const SETTLE_MS = 150;
const POLL_MS = 50;
/** Added to the maximum hold. A frozen holder loses the lease after that time. */
const GRACE_MS = 5_000;

/** The functions of other modules that the lock needs. */
export interface LeaseTools {
  readonly sleep: (ms: number) => Promise<void>;
  /** The error when the maximum wait has passed. */
  readonly lockTimeout: () => Error;
}

/**
 * A lock by a lease in local storage. A tab writes its id, waits, and holds the lock if its id is still stored. Two tabs that
 * begin at the same time can both succeed if a write takes longer than the wait.
 */
export function createLeaseLock(
  storage: Storage,
  { name, waitMs, holdMs }: LockOptions,
  { sleep, lockTimeout }: LeaseTools,
): Lock {
  const key = `${name}:lease`;
  const leaseMs = holdMs + GRACE_MS;

  function isFree(): boolean {
    const until = Number(storage.getItem(key)?.split(' ')[1] ?? 0);
    const left = until - Date.now();
    // A clock that is set back must not extend a lease.
    return !(left > 0 && left <= leaseMs);
  }

  return {
    async run(work, signal) {
      const id = `${Date.now().toString(36)}${Math.random().toString(36).slice(2)}`;
      const isHeld = () => storage.getItem(key)?.split(' ')[0] === id;
      const giveUpAt = Date.now() + waitMs;
      while (Date.now() <= giveUpAt) {
        signal.throwIfAborted();
        if (!isFree()) {
          await sleep(POLL_MS * (1 + Math.random()));
          continue;
        }
        storage.setItem(key, `${id} ${Date.now() + leaseMs}`);
        await sleep(SETTLE_MS * (1 + Math.random()));
        if (!isHeld()) continue;
        try {
          return await work();
        } finally {
          if (isHeld()) storage.removeItem(key);
        }
      }
      throw lockTimeout();
    },
  };
}
