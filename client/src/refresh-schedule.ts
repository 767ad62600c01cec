// When to refresh ahead of expiry: only in tabs that are seen, so that a forgotten tab does not prolong a session for ever.
import type { Grant } from './access-token.ts';
import { after } from './timers.ts';

const LONGEST_AHEAD_SECONDS = 60;
const SHARE_OF_LIFETIME = 5;

/** Tokens expire at whole seconds, so less than one is not ahead. Tabs differ, so that the first saves the others the work. */
export function refreshTime({ expiresAt, lifetimeMs }: Grant, random: () => number = Math.random): number {
  const ahead = Math.min(LONGEST_AHEAD_SECONDS, Math.floor(lifetimeMs / 1000 / SHARE_OF_LIFETIME)) * 1000;
  return expiresAt - ahead * (0.5 + random() / 2);
}

export interface RefreshSchedule {
  /** Sets the time of the next refresh; undefined: none. */
  set(at: number | undefined): void;
  close(): void;
}

const isSeen = () => typeof document === 'undefined' || document.visibilityState === 'visible';

/** Calls `refresh` at the set time, or as soon after it as the tab is seen, the machine awake and the browser online. */
export function createRefreshSchedule(refresh: () => void, online: () => void): RefreshSchedule {
  let at: number | undefined;
  let cancel = () => {};

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
