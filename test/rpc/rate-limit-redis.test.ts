// The rate limit in a real Redis: shared, and with a local limit while Redis is unreachable.
import { randomUUID } from 'node:crypto';
import { pino } from 'pino';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { ClientCredentialsServiceService } from '../../proto/gen/authservice/clientcredentials/v1/client_credentials_service.ts';
import { UNLIMITED } from '../../src/platform/clock.ts';
import type { Database } from '../../src/platform/db/types.ts';
import { createRateLimit, type RateLimit } from '../../src/platform/limits/rate-limit.ts';
import { RpcError } from '../../src/platform/rpc/errors/rpc-error.ts';
import { testClock } from '../support/clock.ts';
import { createTestDatabase } from '../support/databases.ts';
import { deploy, type Deployment } from '../support/deployment.ts';
import { freezeTime, passTime, untilSettled } from '../support/frozen-time.ts';
import { redisUrl, startRedisServer, type RedisServer } from '../support/redis-server.ts';
import { seedClient } from '../rest/m2m/clients.ts';

const POINTS = 10;
const WINDOW_MS = 60_000;

interface OpenLimit extends RateLimit {
  readonly lines: string[];
}

interface Options {
  readonly points?: number;
  readonly windowMs?: number;
  readonly clock?: () => number;
}

function open(store: string, name: string, options: Options = {}): OpenLimit {
  const lines: string[] = [];
  const log = pino({ level: 'info' }, { write: (line: string) => void lines.push(line) });
  const database = undefined as unknown as Database;
  const limit = createRateLimit({
    name,
    store,
    points: POINTS,
    windowMs: WINDOW_MS,
    database,
    clock: testClock().now,
    log,
    ...options,
  })!;
  return { ...limit, lines };
}

const admitted = async (limits: readonly RateLimit[], attempts: number, key = 'key') => {
  const waits = await Promise.all(
    Array.from({ length: attempts }, (_, i) => limits[i % limits.length]!.consume(key, UNLIMITED)),
  );
  return waits.filter((wait) => wait === undefined).length;
};

/** Awaits what needs no time. Otherwise the limit of the socket, which is real time, would end a wait for a frozen Redis. */
async function withoutTime<T>(work: Promise<T>): Promise<T> {
  let isEnded = false;
  const ended = work.finally(() => (isEnded = true));
  await untilSettled(() => Number(isEnded));
  expect(isEnded).toBe(true);
  return ended;
}

// In frozen time: on a busy machine, a process would count by itself after half a second.
describe('with a reachable Redis', () => {
  let redis: Awaited<ReturnType<typeof redisUrl>>;
  let limits: OpenLimit[] = [];

  beforeAll(async () => {
    redis = await redisUrl();
  });
  afterEach(async () => {
    vi.useRealTimers();
    await Promise.all(limits.map((limit) => limit.close()));
    limits = [];
  });
  afterAll(() => redis?.stop());

  const opened = (name: string, count: number, options = {}) =>
    (limits = Array.from({ length: count }, () => open(redis.url, name, options)));

  it('accepts exactly the limit of several processes together, from the first request on', async () => {
    freezeTime();
    const shared = opened(randomUUID(), 4);
    expect(await admitted(shared, 60)).toBe(POINTS);
    expect(await admitted(shared, 60, 'another')).toBe(POINTS);
    expect(shared.flatMap(({ lines }) => lines)).toEqual([]);
  });

  it('reports how long to wait, and counts from 0 after that', async () => {
    freezeTime();
    const clock = testClock();
    const [limit] = opened(randomUUID(), 1, { points: 1, windowMs: 1_000, clock: clock.now });
    expect(await limit!.consume('key', UNLIMITED)).toBeUndefined();
    const wait = await limit!.consume('key', UNLIMITED);
    expect(wait).toBeGreaterThan(0);
    expect(wait).toBeLessThanOrEqual(1_000);
    // The process remembers a refusal by its own clock. The window ends by the clock of Redis.
    while ((await limit!.consume('key', UNLIMITED)) !== undefined) clock.advance(1_000);
  });

  it('takes back an event that it has counted, also after others were refused', async () => {
    freezeTime();
    const [limit] = opened(randomUUID(), 1);
    const { giveBack } = await limit!.consumeForNow('key', UNLIMITED);
    expect(await admitted([limit!], 60)).toBe(POINTS - 1);
    await giveBack();
    expect(await admitted([limit!], 60)).toBe(1);
    const refused = await limit!.consumeForNow('key', UNLIMITED);
    expect(refused.waitMs).toBeGreaterThan(0);
    await refused.giveBack();
    expect(await admitted([limit!], 60)).toBe(0);
  });

  it('takes back nothing from a later window', async () => {
    freezeTime();
    const name = randomUUID();
    const clock = testClock();
    const [first] = opened(name, 1, { points: 1, windowMs: 1_000, clock: clock.now });
    const { giveBack } = await first!.consumeForNow('key', UNLIMITED);
    while ((await first!.check('key')) !== undefined);
    clock.advance(1_000);
    // A longer window in place of the next one, so that it is certainly later than the event's.
    const later = open(redis.url, name, { points: 1, windowMs: WINDOW_MS });
    limits.push(later);
    expect(await later.consume('key', UNLIMITED)).toBeUndefined();
    await giveBack();
    expect(await later.check('key')).toBeGreaterThan(0);
  });

  it('keeps limits of different names apart', async () => {
    const one = open(redis.url, randomUUID());
    const other = open(redis.url, randomUUID());
    limits = [one, other];
    freezeTime();
    expect([await admitted([one], 20), await admitted([other], 20)]).toEqual([POINTS, POINTS]);
  });

  it('limits the grants of two cores together', async () => {
    const { url, database, drop } = await createTestDatabase('sqlite');
    const settings = {
      'app.security.m2m.rate-limit.store': redis.url,
      'app.security.m2m.rate-limit.points': String(POINTS),
    };
    const cores: Deployment[] = [];
    for (let i = 0; i < 2; i += 1) {
      cores.push(await deploy({ engine: 'sqlite', transport: 'grpc', databaseUrl: url, settings }));
    }
    const client = await seedClient(database, { username: randomUUID() });
    const request = { grantType: 'client_credentials', clientId: client.id, clientSecret: client.secret };
    const clients = cores.map((core) => core.client(ClientCredentialsServiceService));
    freezeTime();
    const results = await Promise.allSettled(Array.from({ length: 30 }, (_, i) => clients[i % 2]!.issueToken(request)));
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(POINTS);
    for (const result of results) {
      if (result.status === 'fulfilled') continue;
      expect(result.reason).toBeInstanceOf(RpcError);
      expect(result.reason.status.reason).toBe('TOO_MANY_REQUESTS');
      expect(result.reason.status.retryAfterMs).toBeGreaterThan(0);
    }
    vi.useRealTimers();
    for (const core of cores) await core.close();
    await drop();
  });
});

describe('when Redis dies', () => {
  let redis: RedisServer;
  let limits: OpenLimit[];

  beforeEach(async () => {
    redis = await startRedisServer();
    limits = [open(redis.url, 'test'), open(redis.url, 'test')];
  });
  afterEach(async () => {
    vi.useRealTimers();
    await Promise.all(limits.map((limit) => limit.close()));
    await redis.kill();
  });

  const messages = ({ lines }: OpenLimit) => lines.map((line) => JSON.parse(line).msg as string);
  const DEAD = 'rate limit store in Redis does not respond, each process counts by itself';
  const BACK = 'rate limit store in Redis responds again';

  it('limits in each process separately, logs it once, and limits together when Redis is back', async () => {
    freezeTime();
    expect(await admitted(limits, 4, 'before')).toBe(4);
    await redis.kill();
    expect(await admitted(limits, 60)).toBe(2 * POINTS);
    await redis.restart();
    await expect
      .poll(
        async () => {
          for (const limit of limits) await limit.consume(randomUUID(), UNLIMITED);
          return limits.map(messages);
        },
        { timeout: 10_000 },
      )
      .toEqual([
        [DEAD, BACK],
        [DEAD, BACK],
      ]);
    expect(await admitted(limits, 60, 'after')).toBe(POINTS);
    for (const { lines } of limits) expect(lines.join()).not.toContain(redis.url);
  });

  it('waits only briefly for a frozen Redis', async () => {
    await admitted(limits, 2, 'before');
    freezeTime();
    redis.freeze();
    let isCounted = false;
    const counted = admitted(limits, 60).finally(() => (isCounted = true));
    // All requests are sent by then.
    await passTime(0);
    await passTime(499);
    expect(isCounted).toBe(false);
    await passTime(1);
    expect(await withoutTime(counted)).toBe(2 * POINTS);
    // From then on, no time passes at all.
    expect(await withoutTime(admitted(limits, 2, 'later'))).toBe(2);
    redis.thaw();
    while (messages(limits[0]!).length < 2) {
      await limits[0]!.consume(randomUUID(), UNLIMITED);
      await passTime(1);
    }
    expect(messages(limits[0]!)).toEqual([DEAD, BACK]);
  });

  it('limits in the process from the start if Redis was never reachable', async () => {
    await redis.kill();
    const lonely = open(redis.url, 'test');
    limits.push(lonely);
    expect(await admitted([lonely], 30)).toBe(POINTS);
    expect(messages(lonely)).toEqual([DEAD]);
  });
});
