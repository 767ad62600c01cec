// Published passwords in PROD, in minimal disclosure: refused like a wrong password, also if the account has one.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { UNLIMITED } from '../../../src/platform/clock.ts';
import { createPasswordHasher } from '../../../src/auth/identity/authentication/password-hasher.ts';
import { seedAccount } from '../../support/accounts.ts';
import { deploy, type Deployment } from '../../support/deployment.ts';
import { restClient } from '../../support/rest-client.ts';

const SAMPLE = 'change-me-please';

describe.each(['A', 'B'])('profile %s', (profile) => {
  let deployment: Deployment;
  beforeAll(async () => {
    const settings = {
      'app.env': 'PROD',
      'app.api.error-disclosure.mode': 'minimal',
      'app.security.auth-profile': profile,
      'app.security.login.rate-limit.store': 'none',
    };
    deployment = await deploy({ engine: 'sqlite', transport: 'local', settings });
    const hasher = createPasswordHasher({ maxConcurrent: 1, maxQueued: 1, maxMemoryBytes: 2 ** 30 });
    const hash = await hasher.hash(SAMPLE, { clientAddress: 'test', deadline: UNLIMITED });
    for (const username of ['ann@acme.test', 'bob@acme.test']) await seedAccount(deployment.database, { username });
    await deployment.database.execute('UPDATE accounts SET password_hash = ? WHERE username = ?', [
      hash,
      Buffer.from('ann@acme.test'),
    ]);
  });
  afterAll(() => deployment?.close());

  const login = async (username: string, password: string) => {
    const { status, body, headers } = await restClient(deployment.url).login({ username, password });
    const { timestamp: _timestamp, ...told } = body as Record<string, unknown>;
    return { status, told, names: [...headers.keys()].toSorted() };
  };

  it('returns the response of a wrong password, and locks as often', async () => {
    const wrong = await login('bob@acme.test', 'a wrong password');
    expect(wrong.status).toBe(401);
    for (const [username, password] of [
      ['ann@acme.test', SAMPLE],
      ['bob@acme.test', SAMPLE],
      ['nobody@acme.test', SAMPLE],
    ] as const)
      expect(await login(username, password)).toEqual(wrong);
    for (let attempt = 2; attempt <= 5; attempt += 1) await login('ann@acme.test', SAMPLE);
    const [row] = await deployment.database.query<{ locked: number }>(
      'SELECT locked_until IS NOT NULL AS locked FROM accounts WHERE username = ?',
      [Buffer.from('ann@acme.test')],
    );
    expect(row!.locked).toBe(1);
  });
});
