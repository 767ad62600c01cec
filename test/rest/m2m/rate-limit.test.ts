// The limits of token requests per client id and address: one of grants, one of rejections.
import { describe, expect, it } from 'vitest';
import { ENGINES } from '../../support/databases.ts';
import { deploy, DIAGONAL, ON_SQLITE, type Deployment, type DeploymentOptions } from '../../support/deployment.ts';
import { eventually } from '../../support/eventually.ts';
import { seedClient, tokenClient, type MachineClient, type TokenClient } from './clients.ts';
import { formError, jsonError } from './oauth-errors.ts';

const POINTS = 5;

async function limited(
  kind: Pick<DeploymentOptions, 'engine' | 'transport'>,
  store: string,
  run: (tokens: TokenClient, client: MachineClient, deployment: Deployment) => Promise<void>,
): Promise<void> {
  const deployment = await deploy({
    ...kind,
    settings: {
      'app.security.m2m.rate-limit.store': store,
      'app.security.m2m.rate-limit.points': String(POINTS),
      'app.security.m2m.rate-limit.window': '60s',
      'app.http.trusted-proxies': '127.0.0.1',
    },
  });
  try {
    await run(tokenClient(deployment.url), await seedClient(deployment.database), deployment);
  } finally {
    await deployment.close();
  }
}

const from = (address: string) => ({ 'x-forwarded-for': address });

/** The engine matters to the store in the database alone. */
const STORES = [
  ...ON_SQLITE.map((kind) => ({ ...kind, store: 'memory' })),
  ...DIAGONAL.map((kind) => ({ ...kind, store: 'database' })),
];

describe.each(STORES)('$store, $engine over $transport', ({ store, ...kind }) => {
  it('accepts exactly the limit and returns Retry-After, in each format', () =>
    limited(kind, store, async (tokens, client) => {
      const ways = [tokens.byForm, tokens.byBasic, tokens.byJson];
      const responses = await Promise.all(Array.from({ length: 18 }, (_, i) => ways[i % 3]!(client)));
      expect(responses.filter(({ status }) => status === 200)).toHaveLength(POINTS);
      const refused = await Promise.all(ways.map((way) => way(client)));
      expect(refused[0]).toEqual(formError(429, 'temporarily_unavailable'));
      expect(refused[1]).toEqual(formError(429, 'temporarily_unavailable'));
      expect(refused[2]).toEqual(jsonError(429, 'temporarily_unavailable'));
      for (const { headers } of refused) {
        expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
        expect(Number(headers.get('retry-after'))).toBeLessThanOrEqual(60);
        expect(headers.get('www-authenticate')).toBeNull();
      }
    }));
});

describe.each(ENGINES)('%s', (engine) => {
  const kind = { engine, transport: 'local' } as const;

  it('counts every spelling of a client id as that client', () =>
    limited(kind, 'database', async (tokens, { id, secret }) => {
      const spellings = [id, id.toUpperCase(), ` ${id}`, `${id} `, id, id.toUpperCase(), ` ${id.toUpperCase()} `];
      const statuses: number[] = [];
      for (const spelling of spellings) statuses.push((await tokens.byForm({ id: spelling, secret })).status);
      expect(statuses).toEqual([200, 200, 200, 200, 200, 429, 429]);
    }));

  it('counts refusals of valid requests, audits none above the limit, and still grants with the valid secret', () =>
    limited(kind, 'database', async (tokens, client, { database, core, clock }) => {
      for (let i = 0; i < 2 * POINTS; i += 1) {
        const malformed = `grant_type=client_credentials&client_id=${client.id}&client_secret=x&scope=a`;
        expect((await tokens.post(malformed)).status).toBe(400);
      }
      for (let i = 0; i < POINTS; i += 1) {
        expect((await tokens.byForm({ ...client, secret: 'wrong' })).status).toBe(401);
      }
      const records = async () => {
        await core.flush();
        return (await database.query('SELECT id FROM audit_records')).length;
      };
      expect(await records()).toBe(POINTS);
      for (const way of [tokens.byForm, tokens.byBasic])
        expect(await way({ ...client, secret: 'wrong' })).toEqual(formError(429, 'temporarily_unavailable'));
      expect(await tokens.byJson({ ...client, secret: 'wrong' })).toEqual(jsonError(429, 'temporarily_unavailable'));
      expect(await records()).toBe(POINTS);
      expect((await tokens.byForm(client)).status).toBe(200);
      expect(await records()).toBe(POINTS + 1);
      expect((await tokens.post('grant_type=x')).status).toBe(400);
      clock.advance(60_000);
      expect(await records()).toBe(POINTS + 1);
    }));

  it('counts grants and refusals separately, each up to the limit', () =>
    limited(kind, 'memory', async (tokens, client) => {
      const status = async (secret: string) => (await tokens.byForm({ ...client, secret })).status;
      for (let i = 0; i < 3 * POINTS; i += 1) expect(await status('wrong')).toBe(i < POINTS ? 401 : 429);
      for (let i = 0; i < 3 * POINTS; i += 1) expect(await status(client.secret)).toBe(i < POINTS ? 200 : 429);
      expect((await tokens.byForm({ ...client, secret: 'wrong' }, from('192.0.2.9'))).status).toBe(401);
      expect((await tokens.byForm(client, from('192.0.2.9'))).status).toBe(200);
    }));

  it('limits the refusals of an unknown client id like those of a known one', () =>
    limited(kind, 'memory', async (tokens) => {
      const nobody = { id: 'nobody', secret: 'x' };
      for (let i = 0; i < POINTS; i += 1) expect((await tokens.byForm(nobody)).status).toBe(401);
      expect((await tokens.byForm(nobody)).status).toBe(429);
      expect((await tokens.byForm({ ...nobody, id: 'nobody-2' })).status).toBe(401);
    }));

  it('counts each client id and each address separately, an IPv6 network as one', () =>
    limited(kind, 'memory', async (tokens, client, { database }) => {
      const status = async (address: string, who = client) => (await tokens.byForm(who, from(address))).status;
      for (let i = 0; i < POINTS; i += 1) expect(await status('192.0.2.1')).toBe(200);
      expect(await status('192.0.2.1')).toBe(429);
      expect(await status('192.0.2.2')).toBe(200);
      expect(await status('192.0.2.1', await seedClient(database))).toBe(200);
      for (let i = 0; i < POINTS; i += 1) expect(await status(`2001:db8::${i}`)).toBe(200);
      expect(await status('2001:db8::ffff')).toBe(429);
      expect(await status('2001:db8:0:1::')).toBe(200);
    }));

  it('counts from 0 after the window', () =>
    limited(kind, 'database', async (tokens, client, { clock }) => {
      for (let i = 0; i < POINTS; i += 1) expect((await tokens.byForm(client)).status).toBe(200);
      clock.advance(59_999);
      expect((await tokens.byForm(client)).headers.get('retry-after')).toBe('1');
      clock.advance(1);
      expect((await tokens.byForm(client)).status).toBe(200);
    }));
});

it.each(['memory', 'database'])('%s: does not count a grant that could not be recorded', (store) =>
  limited({ engine: 'sqlite', transport: 'local' }, store, async (tokens, client, { database }) => {
    await database.execute(
      "CREATE TRIGGER refuse BEFORE INSERT ON audit_records BEGIN SELECT RAISE(ABORT, 'refused'); END",
    );
    for (let i = 0; i < POINTS; i += 1) expect((await tokens.byForm(client)).status).toBe(500);
    await database.execute('DROP TRIGGER refuse');
    // They are taken back after the response.
    const statuses: number[] = [];
    await eventually(async () => {
      statuses.push((await tokens.byForm(client)).status);
      expect(statuses.filter((status) => status === 200)).toHaveLength(POINTS);
    });
    expect((await tokens.byForm(client)).status).toBe(429);
  }),
);

it('the rate limit is off without a store', () =>
  limited({ engine: 'sqlite', transport: 'local' }, 'none', async (tokens, client) => {
    for (let i = 0; i < 3 * POINTS; i += 1) expect((await tokens.byForm(client)).status).toBe(200);
  }));
