// A refresh can outlive its tab and its time limit: the browser continues it (keepalive) and stores the new cookie. If another
// tab sent the old cookie meanwhile, this replay would end the session.

import { after } from './timers.ts';

/** The service responds or stops within 4 s. After that, an exchange of a closed tab changes nothing. */
const SETTLED_AFTER_MS = 5_000;
const STAMP_EVERY_MS = 1_000;

/** Stores that an exchange is running, also after its tab is closed. */
export interface UnfinishedExchange {
  /** Remaining wait in milliseconds until the exchanges of all tabs have ended. */
  remainingMs(): number;
  begin(): void;
  /** The response has arrived. */
  end(): void;
  /** There will be no response, so the outcome is unknown. */
  leave(): void;
}

export function createUnfinishedExchange(name: string, storage: Storage | undefined): UnfinishedExchange {
  const key = `${name}:started`;
  let own = 0;
  let stopStamping = (): void => undefined;

  function stamp(at: number): void {
    own = at;
    if (at) storage?.setItem(key, String(at));
    else storage?.removeItem(key);
  }
  function keepStamping(): void {
    stamp(Date.now());
    stopStamping = after(STAMP_EVERY_MS, keepStamping);
  }
  return {
    remainingMs() {
      const left = Number(storage ? storage.getItem(key) : own) + SETTLED_AFTER_MS - Date.now();
      return left > 0 && left <= SETTLED_AFTER_MS ? left : 0;
    },
    begin() {
      stopStamping();
      keepStamping();
    },
    end() {
      stopStamping();
      stamp(0);
    },
    leave: () => stopStamping(),
  };
}
