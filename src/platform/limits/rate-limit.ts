// Rate limits: in memory, in the database or in Redis.
import type { Logger } from 'pino';
import type { Clock, Deadline } from '../clock.ts';
import type { Database } from '../db/types.ts';
import type { Metric } from '../metric.ts';
import { createMemoryLimit } from './memory-limit.ts';
import { checkInDatabase, consumeInDatabase, consumeUniformly, giveBackInDatabase } from './rate-limit-store.ts';
import { createRedisLimiter } from './redis-limiter.ts';
import { createRememberedRefusals } from './remembered-refusals.ts';

export interface RateLimit {
  /** Counts one event. Returns how long to wait in milliseconds if it is over the limit, else undefined. */
  consume(key: string, deadline: Deadline): Promise<number | undefined>;
  /** Counts one event, as `consume` does. The event can be taken back. */
  consumeForNow(key: string, deadline: Deadline): Promise<Counted>;
  /**
   * Counts one event, as `consume` does. In the database, the same statements run for each key and count, so neither duration nor load
   * reveals how often the key was counted before.
   */
  consumeUniformly(key: string, deadline: Deadline): Promise<number | undefined>;
  /** Returns how long to wait in milliseconds if the limit is used up, else undefined. Counts nothing. */
  check(key: string): Promise<number | undefined>;
  close(): Promise<void>;
}

/** A counted event. */
export interface Counted {
  /** How long to wait in milliseconds if the event is over the limit. */
  readonly waitMs: number | undefined;
  /** Takes the event back, unless it is over the limit or its window has ended. Call it once. */
  readonly giveBack: () => Promise<void>;
}

/** A limit, before its decisions are counted. */
type Limit = Pick<RateLimit, 'consumeForNow' | 'consume' | 'consumeUniformly' | 'check' | 'close'>;

/** How its store counts. */
interface StoredLimit extends Pick<RateLimit, 'check' | 'close'> {
  readonly consume: RateLimit['consumeForNow'];
  readonly consumeUniformly?: RateLimit['consumeUniformly'];
}

/** How long an event that can be taken back refuses further ones unasked. Another process may have taken one back. */
const REFUSED_FOR_NOW_MS = 1_000;

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
  if (options.store === 'none') return undefined;
  return countDecisions(options.name, rememberRefusals(createLimit(options), options));
}

/** Refuses the events of a used-up key without asking its store, so that a flood of them causes no statements. */
function rememberRefusals(limit: StoredLimit, { store, clock }: RateLimitOptions): Limit {
  const refusals = createRememberedRefusals(clock);
  async function ask(key: string, deadline: Deadline, maxMs: number): Promise<Counted> {
    const known = refusals.waitOf(key);
    if (known !== undefined) return counted(known, nothing);
    const { waitMs, giveBack } = await limit.consume(key, deadline);
    // A limit in memory answers from memory anyway.
    if (waitMs !== undefined && store !== 'memory') refusals.add(key, waitMs, maxMs);
    return counted(waitMs, () => {
      refusals.forget(key);
      return giveBack();
    });
  }
  const consume: RateLimit['consume'] = async (key, deadline) => (await ask(key, deadline, Infinity)).waitMs;
  return {
    consume,
    consumeForNow: (key, deadline) => ask(key, deadline, REFUSED_FOR_NOW_MS),
    consumeUniformly: limit.consumeUniformly ?? consume,
    check: async (key) => refusals.waitOf(key) ?? limit.check(key),
    close: () => limit.close(),
  };
}

function createLimit(options: RateLimitOptions): StoredLimit {
  const { name, store, points, windowMs, database, clock } = options;
  if (store === 'memory') {
    const memory = createMemoryLimit({ points, windowMs, clock });
    return {
      consume: async (key) => countedInMemory(memory.consume(key)),
      check: async (key) => memory.check(key),
      close: async () => {},
    };
  }
  if (store !== 'database') return createInRedis(options);
  const address = (key: string) => ({ key: `${name}:${key}`, points, now: clock() });
  return {
    async consume(key, deadline) {
      const event = { ...address(key), windowMs };
      const waitMs = await consumeInDatabase(database, { ...event, deadline });
      return counted(waitMs, () => giveBackInDatabase(database, event));
    },
    consumeUniformly: (key, deadline) => consumeUniformly(database, { ...address(key), windowMs, deadline }),
    check: (key) => checkInDatabase(database, address(key)),
    close: async () => {},
  };
}

/** Counts in Redis. If Redis is unavailable, this process counts in its own memory. */
function createInRedis({ name, store, points, windowMs, clock, log }: RateLimitOptions): StoredLimit {
  const redis = createRedisLimiter(store, { keyPrefix: name, points, duration: windowMs / 1000 }, log);
  const memory = createMemoryLimit({ points, windowMs, clock });

  return {
    async consume(key) {
      const count = await redis.count(key, 1);
      if (count === undefined) return countedInMemory(memory.consume(key));
      const endsAt = clock() + count.msBeforeNext;
      const waitMs = count.consumedPoints > points ? count.msBeforeNext : undefined;
      return counted(waitMs, () => redis.giveBack(key, endsAt - clock()));
    },
    async check(key) {
      const count = await redis.count(key, 0);
      if (count === undefined) return memory.check(key);
      return count.consumedPoints >= points ? count.msBeforeNext : undefined;
    },
    close: redis.close,
  };
}

const nothing = async (): Promise<void> => {};

function counted(waitMs: number | undefined, giveBack: Counted['giveBack']): Counted {
  return { waitMs, giveBack: waitMs === undefined ? giveBack : nothing };
}

function countedInMemory(outcome: number | (() => void)): Counted {
  return typeof outcome === 'number' ? counted(outcome, nothing) : counted(undefined, async () => outcome());
}

/** Counts how often a limit allows and refuses an event. */
function countDecisions(name: string, limit: Limit): CountedRateLimit {
  const counts = { allowed: 0, refused: 0 };
  const count = (waitMs: number | undefined) => {
    counts[waitMs === undefined ? 'allowed' : 'refused'] += 1;
    return waitMs;
  };
  return {
    consume: async (key, deadline) => count(await limit.consume(key, deadline)),
    async consumeForNow(key, deadline) {
      const event = await limit.consumeForNow(key, deadline);
      count(event.waitMs);
      return event;
    },
    consumeUniformly: async (key, deadline) => count(await limit.consumeUniformly(key, deadline)),
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
