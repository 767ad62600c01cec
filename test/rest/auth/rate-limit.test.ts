// The limit of failed logins per network, in each store.
import { describe, expect, it } from 'vitest';
import { createTestDatabase, ENGINES } from '../../support/databases.ts';
import { deploy, type Deployment } from '../../support/deployment.ts';
import { problem } from '../../support/problems.ts';
import { restClient } from '../../support/rest-client.ts';
import { rememberPasswords } from '../../support/argon2.ts';

rememberPasswords();

const PATH = '/api/v1/auth/login';
const WINDOW_MS = 60_000;

const limited = (store: string) => ({
  'app.security.login.rate-limit.store': store,
  'app.security.login.rate-limit.points': '5',
  'app.security.login.rate-limit.window': '60s',
  'app.http.trusted-proxies': '127.0.0.1',
});

// A username that does not exist is refused without a hash under maximal disclosure.
const attempt = ({ url }: Deployment, address: string) =>
  restClient(url).login({ username: 'nobody', password: 'x' }, { 'x-forwarded-for': address });

/** The engine matters to the store in the database alone. */
const STORES = [
  { engine: 'sqlite', store: 'memory' } as const,
  ...ENGINES.map((engine) => ({ engine, store: 'database' }) as const),
];

describe.each(STORES)('$engine, $store', ({ engine, store }) => {
  it('serves exactly the limit of one address, and other addresses beside it', async () => {
    const deployment = await deploy({ engine, transport: 'grpc', settings: limited(store) });
    try {
      const responses = await Promise.all(Array.from({ length: 20 }, () => attempt(deployment, '192.0.2.1')));
      expect(responses.filter(({ status }) => status === 401)).toHaveLength(5);
      const refused = responses.filter(({ status }) => status === 429);
      expect(refused).toHaveLength(15);
      for (const response of refused) {
        expect(response).toEqual(problem(429, 'too-many-requests', PATH));
        expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(50);
        expect(Number(response.headers.get('retry-after'))).toBeLessThanOrEqual(60);
      }
      expect((await attempt(deployment, '192.0.2.2')).status).toBe(401);
      for (let i = 1; i <= 5; i += 1) expect((await attempt(deployment, `2001:db8::${i}`)).status).toBe(401);
      expect((await attempt(deployment, '2001:db8::6')).status).toBe(429);
      expect((await attempt(deployment, '2001:db8:0:1::6')).status).toBe(401);
    } finally {
      await deployment.close();
    }
  });
});

describe.each(ENGINES)('database store on %s', (engine) => {
  it('counts several processes together, and from 0 after the window', async () => {
    const shared = await createTestDatabase(engine);
    const first = await deploy({ engine, transport: 'local', databaseUrl: shared.url, settings: limited('database') });
    const second = await deploy({
      engine,
      transport: 'local',
      databaseUrl: shared.url,
      settings: limited('database'),
      clock: first.clock,
    });
    try {
      const spread = () =>
        Promise.all(Array.from({ length: 12 }, (_, i) => attempt(i % 2 ? first : second, '192.0.2.1')));
      expect((await spread()).filter(({ status }) => status === 401)).toHaveLength(5);
      first.clock.advance(WINDOW_MS - 1);
      expect((await attempt(second, '192.0.2.1')).status).toBe(429);
      first.clock.advance(1);
      expect((await spread()).filter(({ status }) => status === 401)).toHaveLength(5);
    } finally {
      await first.close();
      await second.close();
      await shared.drop();
    }
  });
});
