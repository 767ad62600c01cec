// Under minimal disclosure, a refused credential takes at least 10 ms, so that its time does not tell why. Others do not wait. Neither
// the engine nor the transport decides it.
import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { generateApiKey } from '../../../src/auth/api-key/key-format.ts';
import { seedAccount } from '../../support/accounts.ts';
import { deploy, ON_SQLITE, type Deployment } from '../../support/deployment.ts';
import { restClient, type RestClient } from '../../support/rest-client.ts';
import { seedSession, type SeededSession } from '../../support/sessions.ts';
import { ENABLED, meBy } from '../api-key/api-keys.ts';
import { seedClient, tokenClient } from '../m2m/clients.ts';

const INTERVAL_MS = 10;
/** A refusal that does not wait reads the clock a few times. */
const STEP_MS = 0.02;

describe.each(ON_SQLITE)('under minimal disclosure', (kind) => {
  let deployment: Deployment;
  let rest: RestClient;
  let session: SeededSession;
  let client: { readonly id: string };
  /** The time of `performance`. It advances by one step at each reading, so it shows a wait on a machine of any speed. */
  let time = 0;

  beforeAll(async () => {
    deployment = await deploy({ ...kind, settings: { ...ENABLED, 'app.api.error-disclosure.mode': 'minimal' } });
    rest = restClient(deployment.url);
    session = await seedSession(deployment, await seedAccount(deployment.database));
    client = await seedClient(deployment.database);
    expect((await rest.logout({ accessToken: session.accessToken })).status).toBe(200);
  });
  beforeEach(() => {
    vi.spyOn(performance, 'now').mockImplementation(() => (time += STEP_MS));
  });
  afterEach(() => {
    vi.restoreAllMocks();
  });
  afterAll(() => deployment?.close());

  const durationOf = async (call: () => Promise<{ readonly status: number }>): Promise<number> => {
    const started = time;
    expect((await call()).status).toBe(401);
    return time - started;
  };

  it.each<[string, () => Promise<{ readonly status: number }>]>([
    ['a refresh token of a revoked session', () => rest.refresh(session.cookie)],
    ['a forged refresh token', () => rest.refresh('MY_SHOP_REFRESH=garbage')],
    ['an unknown API key', () => meBy(deployment.url, generateApiKey().key)],
    ['an unknown client', () => tokenClient(deployment.url).byForm({ id: randomUUID(), secret: 'x' })],
    ['a wrong client secret', () => tokenClient(deployment.url).byForm({ ...client, secret: 'x' })],
  ])('waits before it refuses %s', async (_, call) => {
    expect(await durationOf(call)).toBeGreaterThanOrEqual(INTERVAL_MS);
  });

  it('does not wait before it refuses a refresh without a token', async () => {
    expect(await durationOf(() => rest.refresh())).toBeLessThan(INTERVAL_MS);
  });
});
