// Rate limits: in memory, in the database or in Redis.
import type { Logger } from 'pino';
import type { Clock, Deadline } from '../clock.ts';
import type { Database } from '../db/types.ts';
import type { Metric } from '../metric.ts';
import { createMemoryLimit } from './memory-limit.ts';
import { checkInDatabase, consumeInDatabase } from './rate-limit-store.ts';
import { createRedisLimiter } from './redis-limiter.ts';

export interface RateLimit {
  /** Counts one event. Returns how long to wait in milliseconds if it is over the limit, else undefined. */
  consume(key: string, deadline: Deadline): Promise<number | undefined>;
  /** Returns how long to wait in milliseconds if the limit is used up, else undefined. Counts nothing. */
  check(key: string): Promise<number | undefined>;
  close(): Promise<void>;
}

/** A limit that counts its decisions. */
interface CountedRateLimit extends RateLimit {
  readonly metrics: readonly Metric[];
}

interface RateLimitOptions {
  /** Prefix that separates the keys of several limits in one store. */
  readonly name: string;
  /** `none`, `memory`, `database` or a `redis://` URL. */
  readonly store: string;
  /** Maximum number of events per window. */
  readonly points: number;
  readonly windowMs: number;
  readonly database: Database;
  readonly clock: Clock;
  readonly log: Logger;
}

/** Creates the limit; undefined for the store `none`. */
export function createRateLimit(options: RateLimitOptions): CountedRateLimit | undefined {
  return options.store === 'none' ? undefined : countDecisions(options.name, createLimit(options));
}

function createLimit(options: RateLimitOptions): RateLimit {
  const { name, store, points, windowMs, database, clock } = options;
  if (store === 'memory') {
    const memory = createMemoryLimit({ points, windowMs, clock });
    return {
      consume: async (key) => memory.consume(key),
      check: async (key) => memory.check(key),
      close: async () => {},
    };
  }
  if (store !== 'database') return createInRedis(options);
  const address = (key: string) => ({ key: `${name}:${key}`, points, now: clock() });
  return {
    consume: (key, deadline) => consumeInDatabase(database, { ...address(key), windowMs, deadline }),
    check: (key) => checkInDatabase(database, address(key)),
    close: async () => {},
  };
}

/** Counts in Redis. If Redis is unavailable, this process counts in its own memory. */
function createInRedis({ name, store, points, windowMs, clock, log }: RateLimitOptions): RateLimit {
  const redis = createRedisLimiter(store, { keyPrefix: name, points, duration: windowMs / 1000 }, log);
  const memory = createMemoryLimit({ points, windowMs, clock });

  return {
    async consume(key) {
      const counted = await redis.count(key, 1);
      if (counted === undefined) return memory.consume(key);
      return counted.consumedPoints > points ? counted.msBeforeNext : undefined;
    },
    async check(key) {
      const counted = await redis.count(key, 0);
      if (counted === undefined) return memory.check(key);
      return counted.consumedPoints >= points ? counted.msBeforeNext : undefined;
    },
    close: redis.close,
  };
}

/** Counts how often a limit allows and refuses an event. */
function countDecisions(name: string, limit: RateLimit): CountedRateLimit {
  const counts = { allowed: 0, refused: 0 };
  const count = (waitMs: number | undefined) => {
    counts[waitMs === undefined ? 'allowed' : 'refused'] += 1;
    return waitMs;
  };
  return {
    consume: async (key, deadline) => count(await limit.consume(key, deadline)),
    check: async (key) => count(await limit.check(key)),
    close: () => limit.close(),
    metrics: [
      {
        name: 'rate_limit_decisions_total',
        help: 'Decisions of the rate limits, by limit.',
        type: 'counter',
        labelNames: ['limit', 'decision'],
        read: () => Object.entries(counts).map(([decision, value]) => ({ labels: { limit: name, decision }, value })),
      },
    ],
  };
}
