// Limits of requests per key in a fixed window, kept in memory, in the database or in Redis.
import { createRequire } from 'node:module';
import type { Logger } from 'pino';
import { RateLimiterMemory, RateLimiterRedis, RateLimiterRes, type RateLimiterAbstract } from 'rate-limiter-flexible';
import type * as Redis from 'redis';
import type { Clock, Deadline } from '../clock.ts';
import type { Database } from '../db/types.ts';
import { consumeInDatabase } from './rate-limit-store.ts';

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
  const { name, store, points, windowMs, database, clock } = options;
  const limits = { keyPrefix: name, points, duration: windowMs / 1000 };
  if (store === 'none') return undefined;
  if (store === 'memory') return limitOf(new RateLimiterMemory(limits), async () => {});
  if (store === 'database') {
    return {
      consume: (key, deadline) =>
        consumeInDatabase(database, { key: `${name}:${key}`, points, windowMs, now: clock(), deadline }),
      close: async () => {},
    };
  }
  return openRedisLimit(options, limits);
}

function openRedisLimit(
  { store, log }: RateLimitOptions,
  limits: { keyPrefix: string; points: number; duration: number },
): RateLimit {
  // Loaded here because it costs a fifth of the start, and most processes have no Redis.
  const { createClient } = createRequire(import.meta.url)('redis') as typeof Redis;
  const client = createClient({
    url: store,
    disableOfflineQueue: true,
    socket: { connectTimeout: 2_000, reconnectStrategy: (retries) => Math.min(100 * 2 ** retries, 2_000) },
  });
  let reachable = true;
  client.on('error', (error: Error & { code?: string }) => {
    if (reachable)
      log.warn({ code: error.code }, 'the rate limit store in Redis is unreachable; each process limits by itself');
    reachable = false;
  });
  client.on('ready', () => {
    if (!reachable) log.info('the rate limit store in Redis is reachable again');
    reachable = true;
  });
  client.connect().catch(() => {});
  const limiter = new RateLimiterRedis({
    ...limits,
    storeClient: client,
    useRedisPackage: true,
    rejectIfRedisNotReady: true,
    insuranceLimiter: new RateLimiterMemory(limits),
  });
  return limitOf(limiter, async () => client.destroy());
}

function limitOf(limiter: RateLimiterAbstract, close: () => Promise<void>): RateLimit {
  return {
    async consume(key) {
      try {
        await limiter.consume(key);
        return undefined;
      } catch (refusal) {
        if (refusal instanceof RateLimiterRes) return refusal.msBeforeNext;
        throw refusal;
      }
    },
    close,
  };
}
