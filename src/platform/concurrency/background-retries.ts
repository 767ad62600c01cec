import type { Clock } from '../clock.ts';
import { sleep as realSleep, type Sleep } from '../timing.ts';

/** Work that runs in the background and is repeated until it succeeds. */
export interface BackgroundRetries {
  /** Runs `work`, not before `notBefore` (Unix milliseconds). Resolves to true when it has succeeded, to false if it was given up. */
  run(work: () => Promise<unknown>, notBefore: number): Promise<boolean>;
  /** Lets each work run once more, not before its time, then gives it up. Resolves when all have ended. */
  stop(): Promise<void>;
}

const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 1_000;

export function createBackgroundRetries(options: {
  /** Whether the work may succeed later. */
  readonly isTemporary: (error: unknown) => boolean;
  /** Reports work that was given up. */
  readonly onGiveUp: (error: unknown) => void;
  /** Default: the machine's clock. */
  readonly clock?: Clock;
  readonly sleep?: Sleep;
}): BackgroundRetries {
  const { isTemporary, onGiveUp, clock = Date.now, sleep = realSleep } = options;
  const open = new Set<Promise<boolean>>();
  const stopping = new AbortController();

  async function repeat(work: () => Promise<unknown>, notBefore: number): Promise<boolean> {
    await sleep(Math.max(notBefore - clock(), 0));
    for (let pause = FIRST_PAUSE_MS; ; pause = Math.min(2 * pause, LONGEST_PAUSE_MS)) {
      const isLast = stopping.signal.aborted;
      try {
        await work();
        return true;
      } catch (error) {
        if (isLast || !isTemporary(error)) {
          onGiveUp(error);
          return false;
        }
      }
      await sleep(pause, stopping.signal);
    }
  }

  return {
    run(work, notBefore) {
      const running = repeat(work, notBefore).finally(() => open.delete(running));
      open.add(running);
      return running;
    },
    async stop() {
      stopping.abort();
      await Promise.all(open);
    },
  };
}
