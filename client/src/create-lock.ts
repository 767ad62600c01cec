// One exchange at a time in a browser: by Web Locks, otherwise by a lease in local storage, otherwise within this tab only.
import { createLocalLock, lockTimeout, type Lock, type LockOptions } from './lock.ts';
import { sleep } from './timers.ts';
import { createWebLock } from './web-lock.ts';

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
