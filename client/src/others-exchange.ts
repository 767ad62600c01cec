// The exchange of another tab. The lock and the messages take different ways through the browser: on a busy machine, a tab gets the
// lock before the message with the result of the tab that had it.
import type { Channel } from './channel.ts';
import { after } from './timers.ts';

/** Maximum wait for the message of a tab that may have been closed. */
const LATE_MS = 1_000;

export interface OthersExchange {
  /** Resolves when the outcome of the exchange that another tab has begun has arrived, at the latest after a second. */
  outcome(): Promise<void>;
}

/** @param longestMs Maximum duration of an exchange. A tab that reports nothing for longer is frozen or closed. */
export function followOthersExchange(channel: Channel, longestMs: number): OthersExchange {
  let begunAt: number | undefined;
  let arrived = (): void => undefined;
  channel.listen(({ type }) => {
    begunAt = type === 'started' ? Date.now() : undefined;
    if (type !== 'started') arrived();
  });
  return {
    async outcome() {
      const waitMs = begunAt === undefined ? 0 : Math.min(LATE_MS, begunAt + longestMs - Date.now());
      if (waitMs > 0) {
        await new Promise<void>((resolve) => {
          const cancel = after(waitMs, resolve);
          arrived = () => {
            cancel();
            resolve();
          };
        });
      }
      begunAt = undefined;
    },
  };
}
