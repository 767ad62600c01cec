// A tab may die between the sending of its refresh credential and the arrival of the next one. The request lives on (keepalive), and
// the browser stores the new cookie. A tab that exchanged the old cookie meanwhile would end the session: replay.

/** The service answers or gives up within 4 s; after that an exchange whose tab is gone changes nothing more. */
const SETTLED_AFTER_MS = 5_000;

/** Remembers, beyond the life of a tab, that an exchange is under way. */
export interface UnfinishedExchange {
  /** How long to wait until an exchange that a dead tab left behind is settled. */
  remainingMs(): number;
  begin(): void;
  end(): void;
}

export function createUnfinishedExchange(name: string, storage: Storage | undefined): UnfinishedExchange {
  const key = `${name}:started`;
  return {
    remainingMs() {
      const left = Number(storage?.getItem(key) ?? 0) + SETTLED_AFTER_MS - Date.now();
      return left > 0 && left <= SETTLED_AFTER_MS ? left : 0;
    },
    begin: () => storage?.setItem(key, String(Date.now())),
    end: () => storage?.removeItem(key),
  };
}
