// Limits of requests per key in a fixed window, kept in memory, in the database or in Redis.
import type { Logger } from 'pino';
import { RateLimiterMemory, RateLimiterRes, type RateLimiterAbstract } from 'rate-limiter-flexible';
import type { Clock, Deadline } from '../clock.ts';
import type { Database } from '../db/types.ts';
import { consumeInDatabase } from './rate-limit-store.ts';
import { openRedisLimiter } from './redis-limiter.ts';

export interface RateLimit {
  /** Counts one request. Returns how long to wait when it is over the limit, in milliseconds; undefined when admitted. */
  consume(key: string, deadline: Deadline): Promise<number | undefined>;
  close(): Promise<void>;
}

export interface RateLimitOptions {
  /** Separates the keys of several limits in one store. */
  readonly name: string;
  /** `none`, `memory`, `database` or a `redis://` URL. */
  readonly store: string;
  /** Requests admitted per window. */
  readonly points: number;
  readonly windowMs: number;
  readonly database: Database;
  readonly clock: Clock;
  readonly log: Logger;
}

/** Opens the limit; undefined for the store `none`. */
export function openRateLimit(options: RateLimitOptions): RateLimit | undefined {
  const { name, store, points, windowMs, database, clock, log } = options;
  const limits = { keyPrefix: name, points, duration: windowMs / 1000 };
  if (store === 'none') return undefined;
  if (store === 'memory') return { consume: consumeFrom(new RateLimiterMemory(limits)), close: async () => {} };
  if (store === 'database') {
    return {
      consume: (key, deadline) =>
        consumeInDatabase(database, { key: `${name}:${key}`, points, windowMs, now: clock(), deadline }),
      close: async () => {},
    };
  }
  const redis = openRedisLimiter(store, limits, log);
  const consume = consumeFrom(redis.limiter);
  return {
    async consume(key, deadline) {
      // Else the requests of the first moment would be counted by each process for itself.
      await redis.tried;
      return consume(key, deadline);
    },
    close: redis.close,
  };
}

function consumeFrom(limiter: RateLimiterAbstract): RateLimit['consume'] {
  return async (key) => {
    try {
      await limiter.consume(key);
      return undefined;
    } catch (refusal) {
      if (refusal instanceof RateLimiterRes) return refusal.msBeforeNext;
      throw refusal;
    }
  };
}
