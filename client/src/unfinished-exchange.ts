// A refresh may outlive the tab that sent it, and its own time limit: the browser goes on (keepalive) and stores the new cookie.
// A tab that exchanged the old cookie meanwhile would end the session: replay.

/** The service answers or gives up within 4 s; after that an exchange whose tab is gone changes nothing more. */
const SETTLED_AFTER_MS = 5_000;
const STAMP_EVERY_MS = 1_000;

/** Remembers, beyond the life of a tab, that an exchange is under way. */
export interface UnfinishedExchange {
  /** How long to wait, as far as is known now, until an exchange of any tab is settled. */
  remainingMs(): number;
  begin(): void;
  /** The answer is there. */
  end(): void;
  /** There will be no answer, so what the service did is unknown. */
  leave(): void;
}

export function createUnfinishedExchange(name: string, storage: Storage | undefined): UnfinishedExchange {
  const key = `${name}:started`;
  let own = 0;
  let stamping: ReturnType<typeof setInterval> | undefined;

  function stamp(at: number): void {
    own = at;
    if (at) storage?.setItem(key, String(at));
    else storage?.removeItem(key);
  }
  function leave(): void {
    clearInterval(stamping);
  }
  return {
    remainingMs() {
      const left = Number(storage ? storage.getItem(key) : own) + SETTLED_AFTER_MS - Date.now();
      return left > 0 && left <= SETTLED_AFTER_MS ? left : 0;
    },
    begin() {
      clearInterval(stamping);
      stamp(Date.now());
      stamping = setInterval(() => stamp(Date.now()), STAMP_EVERY_MS);
      (stamping as unknown as { unref?: () => void }).unref?.();
    },
    end() {
      leave();
      stamp(0);
    },
    leave,
  };
}
