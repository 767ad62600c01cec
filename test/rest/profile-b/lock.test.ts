// The account lock in Profile B. Under minimal disclosure it does not reveal which accounts exist.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { idToBytes } from '../../../src/platform/db/ids.ts';
import type { Account } from '../../../src/auth/access/account.ts';
import { LOGIN_DECOYS_CLEANUP } from '../../../src/auth/identity/authentication/account-lock.ts';
import { cleanup } from '../../../src/platform/jobs/cleanup.ts';
import { PASSWORD, seedAccount, type Seed } from '../../support/accounts.ts';
import { holdVerifications, rememberPasswords } from '../../support/argon2.ts';
import { authError } from '../../support/auth-errors.ts';
import { ENGINES } from '../../support/databases.ts';
import { deploy, ON_SQLITE, type Deployment } from '../../support/deployment.ts';
import { addGateway, type AddedGateway } from '../../support/gateways.ts';
import { problem } from '../../support/problems.ts';
import { restClient, type RestResponse, type RestClient } from '../../support/rest-client.ts';
import { tokenClient, type TokenClient } from '../../support/token-client.ts';

const LOGIN = '/api/v1/auth/login';
const MINUTES = 60_000;
const HOURS = 60 * MINUTES;
const WRONG = authError(401, 'AUTH_INVALID_CREDENTIALS', LOGIN);
const LOCKED = authError(423, 'AUTH_ACCOUNT_LOCKED', LOGIN);

let names = 0;
const unknownName = () => `nobody-${(names += 1)}@acme.test`;

describe.each(ON_SQLITE)('maximal disclosure: $engine', ({ engine }) => {
  rememberPasswords();
  let deployment: Deployment;
  let rest: TokenClient;

  beforeAll(async () => {
    deployment = await deploy({ engine, transport: 'grpc', settings: { 'app.security.auth-profile': 'B' } });
    rest = tokenClient(deployment.url);
  });
  afterAll(() => deployment?.close());

  const stateOf = async ({ id }: Account) => {
    const [row] = await deployment.database.query(
      'SELECT login_failed_count, locked_until FROM accounts WHERE id = ?',
      [idToBytes(id)],
    );
    return row;
  };

  it('locks at the fifth failure, which returns 401, for 15 minutes and any password', async () => {
    const account = await seedAccount(deployment.database);
    const { username } = account;
    for (let i = 0; i < 5; i += 1) {
      expect(await stateOf(account)).toEqual({ login_failed_count: i, locked_until: null });
      expect(await rest.login({ username, password: 'wrong' })).toEqual(WRONG);
    }
    const lockedUntil = deployment.clock.now() + 15 * MINUTES;
    expect(await stateOf(account)).toEqual({ login_failed_count: 5, locked_until: lockedUntil });
    for (const password of ['wrong', PASSWORD]) expect(await rest.login({ username, password })).toEqual(LOCKED);
    deployment.clock.advance(15 * MINUTES - 1);
    expect(await rest.login({ username, password: PASSWORD })).toEqual(LOCKED);
    expect(await stateOf(account)).toEqual({ login_failed_count: 5, locked_until: lockedUntil });
    deployment.clock.advance(1);
    expect((await rest.login({ username, password: PASSWORD })).status).toBe(200);
    expect(await stateOf(account)).toEqual({ login_failed_count: 0, locked_until: null });
  });

  it('starts counting from 0 after a successful login', async () => {
    const { username } = await seedAccount(deployment.database);
    for (let round = 0; round < 3; round += 1) {
      for (let i = 0; i < 4; i += 1) expect(await rest.login({ username, password: 'wrong' })).toEqual(WRONG);
      expect((await rest.login({ username, password: PASSWORD })).status).toBe(200);
    }
  });

  it('does not end open sessions', async () => {
    const { username } = await seedAccount(deployment.database);
    const { accessToken, refreshToken } = await rest.open(username);
    for (let i = 0; i < 5; i += 1) await rest.login({ username, password: 'wrong' });
    expect(await rest.login({ username, password: PASSWORD })).toEqual(LOCKED);
    expect((await rest.me(accessToken)).status).toBe(200);
    expect((await rest.refresh(refreshToken)).status).toBe(200);
  });

  it('does not lock an unknown username', async () => {
    const username = unknownName();
    for (let i = 0; i < 7; i += 1)
      expect(await rest.login({ username, password: 'x' })).toEqual(authError(401, 'AUTH_USER_NOT_FOUND', LOGIN));
  });

  it.each<[what: string, seed: () => Seed]>([
    ['disabled', () => ({ disabled: true })],
    ['expired', () => ({ accountExpiresAt: deployment.clock.now() })],
    ['a service account', () => ({ interactive: false })],
    ['of a suspended tenant', () => ({ tenantId: 'stopped' })],
    ['with an expired password', () => ({ credentialsExpireAt: deployment.clock.now() })],
  ])('returns 401 AUTH_ACCOUNT_DISABLED for an account %s', async (_what, seed) => {
    const { username, tenantId } = await seedAccount(deployment.database, seed());
    if (tenantId === 'stopped') await suspend(deployment, tenantId);
    const refused = authError(401, 'AUTH_ACCOUNT_DISABLED', LOGIN);
    for (let i = 0; i < 7; i += 1) expect(await rest.login({ username, password: PASSWORD })).toEqual(refused);
  });
});

describe.each(ON_SQLITE)('minimal disclosure: $engine', ({ engine }) => {
  rememberPasswords();
  let deployment: Deployment;
  let gatewayA: AddedGateway;
  let rest: TokenClient;
  let a: RestClient;

  beforeAll(async () => {
    const settings = { 'app.api.error-disclosure.mode': 'minimal' };
    deployment = await deploy({
      engine,
      transport: 'local',
      settings: { ...settings, 'app.security.auth-profile': 'B' },
    });
    gatewayA = await addGateway(deployment, settings);
    rest = tokenClient(deployment.url);
    a = restClient(gatewayA.url);
  });
  afterAll(async () => {
    await gatewayA?.close();
    await deployment?.close();
  });

  /** Every kind of username that must look the same, with a password that does not let it in. */
  async function everyKind(): Promise<{ what: string; username: string; password: string }[]> {
    const now = deployment.clock.now();
    const seeds: [string, Seed, string][] = [
      ['a user', {}, 'wrong'],
      ['a disabled user', { disabled: true }, PASSWORD],
      ['an expired user', { accountExpiresAt: now }, PASSWORD],
      ['a user with an expired password', { credentialsExpireAt: now }, PASSWORD],
      ['a service account', { interactive: false }, 'wrong'],
      ['a user of a suspended tenant', { tenantId: `stopped-${names}` }, PASSWORD],
    ];
    const known = await Promise.all(
      seeds.map(async ([what, seed, password]) => {
        const { username, tenantId } = await seedAccount(deployment.database, seed);
        if (tenantId?.startsWith('stopped')) await suspend(deployment, tenantId);
        return { what, username, password };
      }),
    );
    return [...known, { what: 'nobody', username: unknownName(), password: PASSWORD }];
  }

  it('returns the same bytes for known and unknown usernames, before and after the lock', async () => {
    const kinds = await everyKind();
    const expected = [...Array<unknown>(5).fill(WRONG), LOCKED, LOCKED];
    const round = async () => {
      const bodies = await Promise.all(
        kinds.map(async ({ what, username, password }) => {
          const bytes: string[] = [];
          for (const expectedResponse of expected) {
            const response = await rest.login({ username, password });
            expect(response, what).toEqual(expectedResponse);
            bytes.push(bytesOf(response));
          }
          return bytes.join('\n');
        }),
      );
      expect(new Set(bodies).size).toBe(1);
    };
    await round();
    deployment.clock.advance(15 * MINUTES - 1);
    for (const { username, password, what } of kinds)
      expect(await rest.login({ username, password }), what).toEqual(LOCKED);
    deployment.clock.advance(1);
    await round();
  });

  it('returns the same 401 in Profile A, locked or not', async () => {
    const kinds = await everyKind();
    const bodies = new Set<string>();
    for (const { username, password, what } of kinds) {
      for (let i = 0; i < 7; i += 1) {
        const response = await a.login({ username, password });
        expect(response, what).toEqual(problem(401, 'bad-credentials', LOGIN));
        bodies.add(bytesOf(response));
      }
    }
    expect(bodies.size).toBe(1);
    const user = kinds[0]!;
    expect(bytesOf(await a.login({ username: user.username, password: PASSWORD }))).toBe([...bodies][0]);
  });

  it('counts a username in any letter case and with blanks as one', async () => {
    const username = unknownName();
    for (const name of [username, username.toUpperCase(), ` ${username}`, `${username}\t`, username])
      expect(await rest.login({ username: name, password: 'x' })).toEqual(WRONG);
    expect(await rest.login({ username: username.toUpperCase(), password: 'x' })).toEqual(LOCKED);
  });

  it('stays locked if the tenant is suspended meanwhile', async () => {
    const { username, tenantId } = await seedAccount(deployment.database, { tenantId: 'meanwhile' });
    for (let i = 0; i < 5; i += 1) await rest.login({ username, password: 'wrong' });
    await suspend(deployment, tenantId!);
    expect(await rest.login({ username, password: PASSWORD })).toEqual(LOCKED);
  });

  it('keeps failures of an unknown username for a day after the last one, across cleanups', async () => {
    const username = unknownName();
    const attempt = () => rest.login({ username, password: 'x' });
    const clean = () =>
      cleanup({ database: deployment.database, clock: deployment.clock.now, targets: [LOGIN_DECOYS_CLEANUP] });
    for (let i = 0; i < 4; i += 1) {
      expect(await attempt()).toEqual(WRONG);
      deployment.clock.advance(23 * HOURS);
      await clean();
    }
    expect(await attempt()).toEqual(WRONG);
    deployment.clock.advance(14 * MINUTES);
    await clean();
    expect(await attempt()).toEqual(LOCKED);
    deployment.clock.advance(25 * HOURS);
    await clean();
    expect(await deployment.database.query('SELECT expires_at FROM login_decoys')).toEqual([]);
  });
});

describe.each(ENGINES)('minimal disclosure, parallel attempts: %s', (engine) => {
  rememberPasswords();
  const settings = { 'app.security.auth-profile': 'B', 'app.api.error-disclosure.mode': 'minimal' };
  let deployment: Deployment;
  let rest: TokenClient;

  beforeAll(async () => {
    deployment = await deploy({ engine, transport: 'local', settings });
    rest = tokenClient(deployment.url);
  });
  afterAll(() => deployment?.close());

  it('locks an unknown username after 12 parallel attempts, like a user', async () => {
    const { username } = await seedAccount(deployment.database);
    for (const name of [username, unknownName()]) {
      const responses = await Promise.all(
        Array.from({ length: 12 }, () => rest.login({ username: name, password: 'wrong' })),
      );
      expect(responses.filter(({ status }) => status === 401)).toHaveLength(5);
      for (const response of responses) expect(response).toEqual(response.status === 401 ? WRONG : LOCKED);
    }
  });

  it('counts no failure of an unknown username if the password was not hashed', async () => {
    const small = await deploy({
      isPatient: true,
      engine,
      transport: 'local',
      settings: {
        ...settings,
        'app.security.password.max-concurrent-hashes': '1',
        'app.security.password.max-queued': '1',
      },
    });
    try {
      const client = tokenClient(small.url);
      const usernames = Array.from({ length: 8 }, unknownName);
      const barrier = holdVerifications();
      const busy: RestResponse[] = [];
      const responses = usernames.map(async (username) => {
        const response = await client.login({ username, password: 'x' });
        if (response.status === 503) busy.push(response);
      });
      // One is evaluated and one waits.
      await expect.poll(() => busy).toHaveLength(6);
      barrier.lift();
      await Promise.all(responses);
      for (const response of busy) expect(response).toEqual(authError(503, 'AUTH_SERVICE_UNAVAILABLE', LOGIN));
      expect(await small.database.query("SELECT * FROM login_decoys WHERE attempt_slots <> ''")).toEqual([]);
      const counted = await small.database.query('SELECT * FROM login_decoys WHERE login_failed_count > 0');
      expect(counted).toHaveLength(2);
    } finally {
      await small.close();
    }
  });
});

async function suspend({ database }: Deployment, tenantId: string): Promise<void> {
  await database.execute("UPDATE tenants SET status = 'SUSPENDED' WHERE id = ?", [Buffer.from(tenantId)]);
}

/** All of a response but what names the very request. */
function bytesOf({ status, headers, text }: RestResponse): string {
  const named = [...headers].filter(([name]) => name !== 'date' && name !== 'x-request-id');
  return JSON.stringify([status, named, text.replace(/"timestamp":"[^"]*"/, '')]);
}
