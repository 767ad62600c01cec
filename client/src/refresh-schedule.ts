// Refreshes before expiry, only in visible tabs. So a forgotten tab does not extend a session forever.
import type { Grant } from './access-token.ts';
import { after } from './timers.ts';

const LONGEST_AHEAD_SECONDS = 60;
const SHARE_OF_LIFETIME = 5;

/** Tokens expire at whole seconds, so the lead is at least 1 s. Tabs have different leads, so that one refreshes for all. */
export function refreshTime({ expiresAt, lifetimeMs }: Grant, random: () => number = Math.random): number {
  const ahead = Math.min(LONGEST_AHEAD_SECONDS, Math.floor(lifetimeMs / 1000 / SHARE_OF_LIFETIME)) * 1000;
  return expiresAt - ahead * (0.5 + random() / 2);
}

export interface RefreshSchedule {
  /** Sets the time of the next refresh. Undefined means none. */
  set(at: number | undefined): void;
  close(): void;
}

const isSeen = () => typeof document === 'undefined' || document.visibilityState === 'visible';

/** Calls `refresh` at the set time. If the tab is hidden, offline or asleep then, it calls as soon as possible afterwards. */
export function createRefreshSchedule(refresh: () => void, online: () => void): RefreshSchedule {
  let at: number | undefined;
  let cancel = (): void => undefined;

  function check(): void {
    cancel();
    if (at === undefined) return;
    const left = at - Date.now();
    if (left > 0) cancel = after(left, check);
    else if (isSeen()) {
      at = undefined;
      refresh();
    }
  }
  const backOnline = () => {
    online();
    check();
  };

  const page = typeof document === 'undefined' ? undefined : globalThis;
  page?.addEventListener('online', backOnline);
  page?.addEventListener('pageshow', check);
  page?.document.addEventListener('visibilitychange', check);
  page?.document.addEventListener('resume', check);
  return {
    set(next) {
      at = next;
      check();
    },
    close() {
      at = undefined;
      cancel();
      page?.removeEventListener('online', backOnline);
      page?.removeEventListener('pageshow', check);
      page?.document.removeEventListener('visibilitychange', check);
      page?.document.removeEventListener('resume', check);
    },
  };
}
