// A cache of an access token.

export interface Issued {
  readonly token: string;
  readonly lifetimeSeconds: number;
}

export interface Tokens {
  /** Returns a valid token. */
  get(): Promise<string>;
  /** Joins a running renewal, or starts one. */
  renewOnce(): Promise<string>;
}

/** The wait after a failed renewal, while the old token is still valid. */
const PAUSE_MS = 500;

/**
 * Caches an access token. It renews the token in the last quarter of its lifetime. Parallel callers share one renewal. A failed
 * renewal is not kept: callers get the old token while it is valid, and the next caller tries again. Without a first token, the
 * first call gets one.
 */
export function createTokens(renew: () => Promise<Issued>, first?: Issued): Tokens {
  let current = { token: '', renewAt: 0, expiresAt: 0 };
  let renewing: Promise<string> | undefined;
  if (first) set(first);

  function set({ token, lifetimeSeconds }: Issued): void {
    const now = performance.now();
    current = { token, renewAt: now + lifetimeSeconds * 750, expiresAt: now + lifetimeSeconds * 1_000 };
  }

  async function renewNow(): Promise<string> {
    try {
      set(await renew());
    } catch (error) {
      const now = performance.now();
      if (now >= current.expiresAt) throw error;
      current.renewAt = now + PAUSE_MS;
    }
    return current.token;
  }

  const renewOnce = () => (renewing ??= renewNow().finally(() => (renewing = undefined)));
  return {
    renewOnce,
    async get() {
      const { token, renewAt, expiresAt } = current;
      return performance.now() < Math.min(renewAt, expiresAt) ? token : renewOnce();
    },
  };
}
