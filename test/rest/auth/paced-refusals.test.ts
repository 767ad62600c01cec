// Under minimal disclosure, a refused credential takes at least 10 ms, so that its time does not tell why. Others do not wait.
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { generateApiKey } from '../../../src/auth/api-key/key-format.ts';
import { seedAccount } from '../../support/accounts.ts';
import { deploy, DIAGONAL, type Deployment } from '../../support/deployment.ts';
import { restClient, type RestClient } from '../../support/rest-client.ts';
import { seedSession, type SeededSession } from '../../support/sessions.ts';
import { ENABLED, meBy } from '../api-key/api-keys.ts';
import { seedClient, tokenClient } from '../m2m/clients.ts';

const INTERVAL_MS = 10;
const ROUNDS = 10;

describe.each(DIAGONAL)('$engine over $transport', (kind) => {
  let deployment: Deployment;
  let rest: RestClient;
  let session: SeededSession;
  let client: { readonly id: string };
  beforeAll(async () => {
    deployment = await deploy({ ...kind, settings: { ...ENABLED, 'app.api.error-disclosure.mode': 'minimal' } });
    rest = restClient(deployment.url);
    session = await seedSession(deployment, await seedAccount(deployment.database));
    client = await seedClient(deployment.database);
    expect((await rest.logout({ accessToken: session.accessToken })).status).toBe(200);
  });
  afterAll(() => deployment?.close());

  const shortest = async (call: () => Promise<{ readonly status: number }>): Promise<number> => {
    const durations: number[] = [];
    for (let round = 0; round < ROUNDS; round += 1) {
      const started = performance.now();
      expect((await call()).status).toBe(401);
      durations.push(performance.now() - started);
    }
    return Math.min(...durations);
  };

  it.each<[string, () => Promise<{ readonly status: number }>]>([
    ['a refresh token of a revoked session', () => rest.refresh(session.cookie)],
    ['a forged refresh token', () => rest.refresh('MY_SHOP_REFRESH=garbage')],
    ['an unknown API key', () => meBy(deployment.url, generateApiKey().key)],
    ['an unknown client', () => tokenClient(deployment.url).byForm({ id: randomUUID(), secret: 'x' })],
    ['a wrong client secret', () => tokenClient(deployment.url).byForm({ ...client, secret: 'x' })],
  ])('%s', async (_, call) => {
    expect(await shortest(call)).toBeGreaterThanOrEqual(INTERVAL_MS);
  });

  it('but not a refresh without a token', async () => {
    expect(await shortest(() => rest.refresh())).toBeLessThan(INTERVAL_MS);
  });
});
