// Web Locks, and what to do about a tab that froze while it holds one: the browser releases the lock of a tab that is gone, never
// that of a tab that stands still.
import { lockTimeout, type Lock, type LockOptions } from './lock.ts';
import { after, sleep } from './timers.ts';

/** Added to the longest hold before a holder counts as frozen. */
const GRACE_MS = 5_000;
/** Spreads the tabs that wait, so that one of them takes the lock over and the others hear of it. */
const SPREAD = 0.25;
/** How long a tab that took the lock over keeps others from doing the same: they hear its first message meanwhile. */
const TAKE_OVER_MS = 100;

/**
 * A lock by its name. A holder tells the others of each step and keeps the lock no longer than `holdMs`. If a waiting tab hears
 * nothing for longer, the holder is frozen, and the tab takes the lock. Without messages that time is the longest wait.
 */
export function createWebLock(locks: LockManager, { name, channel, waitMs, holdMs }: LockOptions): Lock {
  const shortest = channel.carriesTokens ? holdMs + GRACE_MS : waitMs / (1 + SPREAD);
  const patienceMs = () => Math.min(waitMs, shortest * (1 + SPREAD * Math.random()));

  /** Undefined if another tab takes the lock over at this moment. */
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

/** Runs once no message came for a time; returns what ends the watch. */
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
