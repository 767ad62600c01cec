// The account lock under parallel attempts, on both engines.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PASSWORD, seedAccount } from '../../support/accounts.ts';
import { holdVerifications, rememberPasswords } from '../../support/argon2.ts';
import { ENGINES } from '../../support/databases.ts';
import { deploy, type Deployment } from '../../support/deployment.ts';
import { problem } from '../../support/problems.ts';
import { restClient, type RestResponse, type RestClient } from '../../support/rest-client.ts';
import { ROUNDS } from '../../support/rounds.ts';

const MINUTES = 60_000;
const PATH = '/api/v1/auth/login';
const WRONG = problem(401, 'bad-credentials', PATH);
const LOCKED = problem(423, 'account-locked', PATH);

rememberPasswords();

describe.each(ENGINES)('%s', (engine) => {
  let deployment: Deployment;
  let rest: RestClient;

  beforeAll(async () => {
    deployment = await deploy({ engine, transport: 'local' });
    rest = restClient(deployment.url);
  });
  afterAll(() => deployment?.close());

  const wrong = (username: string) => rest.login({ username, password: 'wrong' });
  const right = (username: string) => rest.login({ username, password: PASSWORD });
  const events = async (accountId: string) => {
    await deployment.core.flush();
    const rows = await deployment.database.query<{ event: string; details: string }>(
      'SELECT event, details FROM audit_records WHERE account_id = ? ORDER BY id',
      [Buffer.from(accountId.replaceAll('-', ''), 'hex')],
    );
    return rows.map(({ event, details }) => ({ event, details: JSON.parse(details) }));
  };

  it('evaluates at most 5 of 50 parallel wrong passwords, and then locks the account', async () => {
    const { username, id } = await seedAccount(deployment.database);
    const responses = await Promise.all(Array.from({ length: 50 }, () => wrong(username)));
    expect(responses.filter(({ status }) => status === 401)).toHaveLength(5);
    expect(responses.filter(({ status }) => status === 423)).toHaveLength(45);
    for (const response of responses) expect(response).toEqual(response.status === 401 ? WRONG : LOCKED);
    expect(await right(username)).toEqual(LOCKED);
    deployment.clock.advance(60_000);
    const recorded = await events(id);
    const countOf = (name: string, reason?: string) =>
      recorded.filter(({ event, details }) => event === name && details.reason === reason).length;
    expect(countOf('account.locked')).toBe(1);
    expect(countOf('login.failed', 'BAD_CREDENTIALS')).toBe(5);
    expect(countOf('login.failed', 'ACCOUNT_LOCKED')).toBe(5);
    expect(recorded.filter(({ event }) => event === 'refusals.counted')).toMatchObject([
      { details: { kind: 'username', reason: 'ACCOUNT_LOCKED', count: 41 } },
    ]);
  });

  it('accepts 20 parallel correct passwords after 4 failures', async () => {
    const { username } = await seedAccount(deployment.database);
    for (let i = 0; i < 4; i += 1) expect(await wrong(username)).toEqual(WRONG);
    const responses = await Promise.all(Array.from({ length: 20 }, () => right(username)));
    expect(responses.map(({ status }) => status)).toEqual(Array<number>(20).fill(200));
    for (let i = 0; i < 4; i += 1) expect(await wrong(username)).toEqual(WRONG);
    expect((await right(username)).status).toBe(200);
  });

  it('accepts a correct password beside 4 parallel wrong ones', async () => {
    const { username } = await seedAccount(deployment.database);
    for (let round = 0; round < ROUNDS; round += 1) {
      const attempts: Promise<RestResponse>[] = Array.from({ length: 4 }, () => wrong(username));
      const [inside, ...outside] = await Promise.all([right(username), ...attempts]);
      expect(inside.status).toBe(200);
      for (const response of outside) expect(response).toEqual(WRONG);
      expect((await right(username)).status).toBe(200);
    }
  });

  it('unlocks by itself after the duration, and counts from 0', async () => {
    const { username, id } = await seedAccount(deployment.database);
    for (let i = 0; i < 5; i += 1) expect(await wrong(username)).toEqual(WRONG);
    expect(await right(username)).toEqual(LOCKED);
    deployment.clock.advance(15 * MINUTES - 1);
    expect(await right(username)).toEqual(LOCKED);
    expect(await wrong(username)).toEqual(LOCKED);
    deployment.clock.advance(1);
    for (let i = 0; i < 4; i += 1) expect(await wrong(username)).toEqual(WRONG);
    expect((await right(username)).status).toBe(200);
    expect((await events(id)).filter(({ event }) => event === 'account.locked')).toHaveLength(1);
  });

  it('locks again after it has unlocked', async () => {
    const { username } = await seedAccount(deployment.database);
    for (let i = 0; i < 5; i += 1) await wrong(username);
    deployment.clock.advance(15 * MINUTES);
    for (let i = 0; i < 5; i += 1) expect(await wrong(username)).toEqual(WRONG);
    expect(await right(username)).toEqual(LOCKED);
  });

  it('returns 503 if the queue of passwords is full, and counts no failure', async () => {
    const small = await deploy({
      engine,
      isPatient: true,
      transport: 'local',
      settings: { 'app.security.password.max-concurrent-hashes': '1', 'app.security.password.max-queued': '2' },
    });
    try {
      const accounts = await Promise.all(Array.from({ length: 12 }, () => seedAccount(small.database)));
      const client = restClient(small.url);
      const barrier = holdVerifications();
      const refused: RestResponse[] = [];
      const responses = accounts.map(async ({ username }) => {
        const response = await client.login({ username, password: PASSWORD });
        if (response.status !== 200) refused.push(response);
      });
      // One is evaluated and two wait.
      await expect.poll(() => refused).toHaveLength(9);
      barrier.lift();
      await Promise.all(responses);
      expect(refused).toHaveLength(9);
      for (const response of refused) {
        expect(response).toEqual(problem(503, 'authentication-service-unavailable', PATH));
        expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(0);
      }
      const rows = await small.database.query(
        "SELECT id FROM accounts WHERE login_failed_count > 0 OR attempt_slots <> ''",
      );
      expect(rows).toEqual([]);
    } finally {
      await small.close();
    }
  });
});
