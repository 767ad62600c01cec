// Counts in Redis for all processes together. While Redis is out of reach each process counts by itself.
import type { Logger } from 'pino';
import { RateLimiterMemory, RateLimiterRedis } from 'rate-limiter-flexible';
import { createClient } from 'redis';
import { within } from '../db/within.ts';

export interface RedisLimiter {
  readonly limiter: RateLimiterRedis;
  /** Resolves once the first attempt to connect has come to an end, good or bad. */
  readonly tried: Promise<void>;
  close(): Promise<void>;
}

const CONNECT_LIMIT_MS = 2_000;
/** For one answer; a request waits this long before it is counted locally. */
const ANSWER_LIMIT_MS = 500;
/** A connection on which not even a ping is answered for so long is given up. */
const SILENCE_LIMIT_MS = 2_000;
const PING_INTERVAL_MS = 1_000;
const MAX_RETRY_MS = 2_000;

export function openRedisLimiter(
  url: string,
  limits: { readonly keyPrefix: string; readonly points: number; readonly duration: number },
  log: Logger,
): RedisLimiter {
  const client = createClient({
    url,
    disableOfflineQueue: true,
    pingInterval: PING_INTERVAL_MS,
    socket: {
      connectTimeout: CONNECT_LIMIT_MS,
      socketTimeout: SILENCE_LIMIT_MS,
      reconnectStrategy: (retries) => Math.min(100 * 2 ** retries, MAX_RETRY_MS),
    },
  });
  const tried = Promise.withResolvers<void>();
  let reachable = true;
  client.on('error', (error: Error & { code?: string }) => {
    tried.resolve();
    if (reachable)
      log.warn({ code: error.code }, 'the rate limit store in Redis is unreachable; each process limits by itself');
    reachable = false;
  });
  client.on('ready', () => {
    tried.resolve();
    if (!reachable) log.info('the rate limit store in Redis is reachable again');
    reachable = true;
  });
  client.connect().catch(() => tried.resolve());

  // What the limiter uses of a client: the client's own limits end only what it has not sent yet.
  const storeClient = {
    get isReady() {
      return client.isReady;
    },
    eval: (...call: Parameters<typeof client.eval>) => within(ANSWER_LIMIT_MS, client.eval(...call)),
  };
  const limiter = new RateLimiterRedis({
    ...limits,
    storeClient,
    useRedisPackage: true,
    rejectIfRedisNotReady: true,
    insuranceLimiter: new RateLimiterMemory(limits),
  });
  return {
    limiter,
    tried: tried.promise,
    async close() {
      if (client.isOpen) client.destroy();
    },
  };
}
