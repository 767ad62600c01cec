// Counts in Redis for all processes together.
import { createRequire } from 'node:module';
import type { Logger } from 'pino';
import { RateLimiterRedis } from 'rate-limiter-flexible';
import type * as Redis from 'redis';
import { within } from '../db/within.ts';

export interface RedisLimiter {
  /** Rejects with RateLimiterRes over the limit, with anything else if Redis does not answer. */
  readonly limiter: RateLimiterRedis;
  /** Resolves once the first attempt to connect has come to an end, good or bad. */
  readonly tried: Promise<void>;
  close(): Promise<void>;
}

const CONNECT_LIMIT_MS = 2_000;
/** For one answer; a request waits this long before it is counted locally, and no further one is sent until it has come. */
const ANSWER_LIMIT_MS = 500;
/** A connection on which nothing moves for so long is given up. */
const SILENCE_LIMIT_MS = 2_000;
const PING_INTERVAL_MS = 1_000;
const MAX_RETRY_MS = 2_000;

export function createRedisLimiter(
  url: string,
  limits: { readonly keyPrefix: string; readonly points: number; readonly duration: number },
  log: Logger,
): RedisLimiter {
  // Loaded here because it costs a fifth of the start, and most processes have no Redis.
  const { createClient } = createRequire(import.meta.url)('redis') as typeof Redis;
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
  let works = true;
  const failed = ({ name, code = name }: Error & { code?: string }) => {
    tried.resolve();
    if (works) log.warn({ code }, 'the rate limit store in Redis does not answer; each process limits by itself');
    works = false;
  };
  const answered = () => {
    if (!works) log.info('the rate limit store in Redis answers again');
    works = true;
  };
  client.on('error', failed);
  client.on('ready', () => tried.resolve());
  client.connect().catch(failed);

  // What the limiter uses of a client. The client's own time limits end only what it has not sent yet.
  let overdue = 0;
  const storeClient = {
    get isReady() {
      return client.isReady && overdue === 0;
    },
    async eval(...call: Parameters<typeof client.eval>) {
      const answer = client.eval(...call);
      try {
        const result = await within(ANSWER_LIMIT_MS, answer);
        answered();
        return result;
      } catch (error) {
        failed(error as Error);
        overdue += 1;
        const settled = () => void (overdue -= 1);
        answer.then(settled, settled);
        throw error;
      }
    },
  };
  const limiter = new RateLimiterRedis({
    ...limits,
    storeClient,
    useRedisPackage: true,
    rejectIfRedisNotReady: true,
  });
  return {
    limiter,
    tried: tried.promise,
    async close() {
      if (client.isOpen) client.destroy();
    },
  };
}
