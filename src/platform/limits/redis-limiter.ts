// Counts events in Redis, shared by all processes.
import { createRequire } from 'node:module';
import type { Logger } from 'pino';
import type * as Flexible from 'rate-limiter-flexible';
import type * as Redis from 'redis';
import { within } from '../db/errors.ts';

const CONNECT_LIMIT_MS = 2_000;
/**
 * Maximum wait for one response. After it, the request is counted locally. No further command is sent until the
 * response arrives.
 */
const RESPONSE_TIMEOUT_MS = 500;
/** A connection without traffic for this long is closed. */
const SILENCE_LIMIT_MS = 2_000;
const PING_INTERVAL_MS = 1_000;
const MAX_RETRY_MS = 2_000;

/**
 * Takes one of the counted events back, if the key still has the window of the event. The library counts refused events
 * too, beyond the limit.
 */
const GIVE_BACK = `local count = tonumber(redis.call('get', KEYS[1]) or '0')
local limit, longest = tonumber(ARGV[1]), tonumber(ARGV[2])
if count < 1 or redis.call('pttl', KEYS[1]) > longest then return {count, 0} end
return {redis.call('decrby', KEYS[1], count - math.min(count, limit) + 1), 0}`;

export function createRedisLimiter(
  url: string,
  limits: { readonly keyPrefix: string; readonly points: number; readonly duration: number },
  log: Logger,
) {
  // Loaded here because they take a fifth of the start time, and most processes do not use Redis.
  const load = createRequire(import.meta.url);
  const { createClient } = load('redis') as typeof Redis;
  const { RateLimiterRedis, RateLimiterRes } = load('rate-limiter-flexible') as typeof Flexible;
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
  const reportFailure = ({ name, code = name }: Error & { code?: string }) => {
    tried.resolve();
    if (works) log.warn({ code }, 'rate limit store in Redis does not respond, each process counts by itself');
    works = false;
  };
  const reportSuccess = () => {
    if (!works) log.info('rate limit store in Redis responds again');
    works = true;
  };
  client.on('error', reportFailure);
  client.on('ready', () => tried.resolve());
  client.connect().catch(reportFailure);

  // The part of a client that the limiter uses. The client's own timeouts apply only to commands not yet sent.
  let overdue = 0;
  const storeClient = {
    get isReady() {
      return client.isReady && overdue === 0;
    },
    async eval(...call: Parameters<typeof client.eval>) {
      const response = client.eval(...call);
      try {
        const result = await within(RESPONSE_TIMEOUT_MS, response);
        reportSuccess();
        return result;
      } catch (error) {
        reportFailure(error as Error);
        overdue += 1;
        const settled = () => void (overdue -= 1);
        response.then(settled, settled);
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
    /** Counts events. Resolves to the state of the key, or to undefined if Redis is unavailable. */
    async count(key: string, events: number): Promise<Flexible.RateLimiterRes | undefined> {
      // Without this wait, each process would count its first requests by itself.
      await tried.promise;
      try {
        return await limiter.consume(key, events);
      } catch (refusal) {
        return refusal instanceof RateLimiterRes ? refusal : undefined;
      }
    },
    /** Takes one event back whose window ends within this time. It stays counted if Redis does not respond. */
    async giveBack(key: string, withinMs: number): Promise<void> {
      if (!storeClient.isReady) return;
      const given = { keys: [limiter.getKey(key)], arguments: [String(limits.points), String(withinMs)] };
      await storeClient.eval(GIVE_BACK, given).catch(() => {});
    },
    async close(): Promise<void> {
      if (client.isOpen) client.destroy();
    },
  };
}
