// Web Locks with a takeover from frozen tabs. The browser releases the lock of a closed tab, but not of a frozen one.
import { lockTimeout, type Lock, type LockOptions } from './lock.ts';
import { after, sleep } from './timers.ts';

/** Added to the maximum hold before a holder counts as frozen. */
const GRACE_MS = 5_000;
/** Spreads the waiting tabs, so that one takes over the lock and the others receive its message. */
const SPREAD = 0.25;
/** Time for which a takeover blocks other takeovers, so that other tabs receive its first message. */
const TAKE_OVER_MS = 100;

/**
 * Creates a lock by its name. A holder sends a message at each step and keeps the lock for at most `holdMs`. If a waiting tab
 * receives no message for longer, the holder is frozen, and the tab takes over the lock. Without messages, it waits for `waitMs`.
 */
export function createWebLock(locks: LockManager, { name, channel, waitMs, holdMs }: LockOptions): Lock {
  const shortest = channel.fence ? holdMs + GRACE_MS : waitMs / (1 + SPREAD);
  const patienceMs = () => Math.min(waitMs, shortest * (1 + SPREAD * Math.random()));

  /** Returns undefined if another tab takes over the lock at this time. */
  async function takeOver<T>(work: () => Promise<T>): Promise<{ value: T } | undefined> {
    let outcome: Promise<T> | undefined;
    await locks.request(`${name}:takeover`, { ifAvailable: true }, async (turn) => {
      if (!turn) return;
      outcome = locks.request(name, { steal: true }, work);
      outcome.catch(() => undefined);
      await sleep(TAKE_OVER_MS);
    });
    return outcome && { value: await outcome };
  }

  return {
    async run<T>(work: () => Promise<T>, signal: AbortSignal): Promise<T> {
      const giveUpAt = Date.now() + waitMs;
      for (;;) {
        signal.throwIfAborted();
        const wait = new AbortController();
        const silence = watchSilence(channel, patienceMs(), () => wait.abort('silence'));
        const cancelTimeout = after(giveUpAt - Date.now(), () => wait.abort('timeout'));
        const abandon = () => wait.abort(signal.reason);
        signal.addEventListener('abort', abandon);
        const stopWaiting = () => {
          silence();
          cancelTimeout();
          signal.removeEventListener('abort', abandon);
        };
        let granted = false;
        try {
          return await locks.request(name, { signal: wait.signal }, () => {
            granted = true;
            stopWaiting();
            return work();
          });
        } catch (error) {
          if (granted || signal.aborted) throw error;
          if (wait.signal.reason === 'timeout') throw lockTimeout();
        } finally {
          stopWaiting();
        }
        const taken = await takeOver(work);
        if (taken) return taken.value;
      }
    },
  };
}

/** Calls `run` after a time without messages. Returns a function that ends the watch. */
function watchSilence(channel: LockOptions['channel'], ms: number, run: () => void): () => void {
  let cancel = after(ms, run);
  const stopListening = channel.listen(() => {
    cancel();
    cancel = after(ms, run);
  });
  return () => {
    cancel();
    stopListening();
  };
}
