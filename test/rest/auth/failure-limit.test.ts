// The limit of failed logins and malformed refresh tokens per network: it counts failures only, and never rejects a valid
// refresh.
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PASSWORD, seedAccount, type Seed } from '../../support/accounts.ts';
import { authError } from '../../support/auth-errors.ts';
import { deploy, ON_SQLITE, type Deployment } from '../../support/deployment.ts';
import { CREDENTIALS, seedTotp } from '../../support/factors.ts';
import { addGateway, type AddedGateway } from '../../support/gateways.ts';
import { ORIGIN, PASSKEYS } from '../../support/passkeys.ts';
import { problem } from '../../support/problems.ts';
import { restClient } from '../../support/rest-client.ts';
import { seedSession, seedTokens } from '../../support/sessions.ts';
import { tokenClient } from '../../support/token-client.ts';
import { rememberPasswords } from '../../support/argon2.ts';

rememberPasswords();

const POINTS = 4;
const PROXY = { 'app.http.trusted-proxies': '127.0.0.1' };
const LIMITED = {
  ...PROXY,
  'app.security.login.rate-limit.store': 'memory',
  'app.security.login.rate-limit.points': String(POINTS),
};
const LOGIN = '/api/v1/auth/login';
const REFRESH = '/api/v1/auth/refresh';
const PASSKEY_OPTIONS = '/api/v1/auth/second-factor/passkey-options';

let networks = 0;
/** An address of a network that nobody else of these tests has. */
const freshAddress = () => `198.51.${Math.floor(networks / 250)}.${(networks += 1) % 250}`;
const from = (address: string) => ({ 'x-forwarded-for': address });

describe.each(ON_SQLITE)('$engine', ({ engine }) => {
  describe.each(['maximal', 'minimal'])('%s disclosure', (mode) => {
    let deployment: Deployment;
    let gatewayB: AddedGateway;

    beforeAll(async () => {
      const settings = { ...LIMITED, ...PASSKEYS, 'app.api.error-disclosure.mode': mode };
      deployment = await deploy({ engine, transport: 'grpc', settings });
      gatewayB = await addGateway(deployment, { ...settings, 'app.security.auth-profile': 'B' });
    });
    afterAll(async () => {
      await gatewayB?.close();
      await deployment?.close();
    });

    const login = (address: string, username: string, password = 'wrong') =>
      restClient(deployment.url).login({ username, password }, from(address));

    it.each<[what: string, seed: Seed | undefined, password: string, status: number]>([
      ['a username that does not exist', undefined, 'wrong', 401],
      ['a wrong password', {}, 'wrong', 401],
      ['a disabled account', { disabled: true }, PASSWORD, 401],
      ['a locked account', { lockedUntil: Date.UTC(2100, 0) }, PASSWORD, mode === 'maximal' ? 423 : 401],
      ['a service account', { interactive: false }, PASSWORD, 401],
    ])(`returns 429 after ${POINTS} failures of a network: %s`, async (_what, seed, password, status) => {
      const address = freshAddress();
      const username = seed ? (await seedAccount(deployment.database, seed)).username : randomUUID();
      for (let i = 0; i < POINTS; i += 1) expect((await login(address, username, password)).status).toBe(status);
      const refused = await login(address, username, password);
      expect(refused).toEqual(problem(429, 'too-many-requests', LOGIN));
      expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
      expect(Number(refused.headers.get('retry-after'))).toBeLessThanOrEqual(300);
      expect((await login(freshAddress(), username, password)).status).toBe(status);
      deployment.clock.advance(300_000);
      expect((await login(address, randomUUID())).status).toBe(401);
    });

    it('counts failures only', async () => {
      const address = freshAddress();
      const { username } = await seedAccount(deployment.database);
      for (let i = 0; i < 2 * POINTS; i += 1) expect((await login(address, username, PASSWORD)).status).toBe(200);
      for (let i = 0; i < 2 * POINTS; i += 1) expect((await login(address, '', PASSWORD)).status).toBe(400);
      for (let i = 0; i < POINTS - 1; i += 1) expect((await login(address, randomUUID())).status).toBe(401);
      expect((await login(address, username, PASSWORD)).status).toBe(200);
    });

    it('counts wrong challenges, and no right one of an account without passkeys', async () => {
      const rest = restClient(deployment.url);
      const address = freshAddress();
      const { account } = await seedTotp(deployment);
      const headers = { ...from(address), origin: ORIGIN };
      const { challenge } = (await rest.login(CREDENTIALS(account), headers)).body;
      const ask = (text: string) => rest.postJson(PASSKEY_OPTIONS, { challenge: text }, headers);
      const code = mode === 'maximal' ? 'second-factor-invalid' : 'bad-credentials';
      for (let i = 0; i <= POINTS; i += 1) expect(await ask(challenge)).toEqual(problem(401, code, PASSKEY_OPTIONS));
      for (let i = 0; i < POINTS; i += 1) expect((await ask('garbage')).status).toBe(401);
      expect(await ask(challenge)).toEqual(problem(429, 'too-many-requests', PASSKEY_OPTIONS));
    });

    it('returns 429 in the error format of profile B', async () => {
      const address = freshAddress();
      const client = tokenClient(gatewayB.url);
      const fail = () => client.login({ username: randomUUID(), password: 'x' }, from(address));
      for (let i = 0; i < POINTS; i += 1) expect((await fail()).status).toBe(401);
      const refused = await fail();
      expect(refused).toEqual(authError(429, 'TOO_MANY_REQUESTS', LOGIN));
      expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    });

    it('limits malformed refresh cookies, but not valid ones', async () => {
      const address = freshAddress();
      const client = restClient(deployment.url);
      const account = await seedAccount(deployment.database);
      const { cookie } = await seedSession(deployment, account);
      const refresh = (value: string) => client.refresh(value, from(address));
      for (let i = 0; i < POINTS; i += 1) expect((await refresh('MY_SHOP_REFRESH=garbage')).status).toBe(401);
      const refused = await refresh(`${cookie}x`);
      expect(refused).toEqual(problem(429, 'too-many-requests', REFRESH));
      expect(refused.headers.get('retry-after')).not.toBeNull();
      expect(refused.cookies).toEqual([]);

      expect((await refresh(cookie)).status).toBe(200);
      // A replay is genuine too: it must end the session.
      expect(await refresh(cookie)).toEqual(problem(401, 'refresh-session-invalid', REFRESH));
      expect((await client.refresh(undefined, from(address))).status).toBe(401);
      // Each kind of failure has a budget of its own.
      expect((await login(address, randomUUID())).status).toBe(401);
    });

    it('limits malformed refresh tokens of profile B, but not valid ones', async () => {
      const address = freshAddress();
      const client = tokenClient(gatewayB.url);
      const { refreshToken } = await seedTokens(deployment, await seedAccount(deployment.database));
      for (let i = 0; i < POINTS; i += 1) expect((await client.refresh('garbage', from(address))).status).toBe(401);
      expect(await client.refresh('garbage', from(address))).toEqual(authError(429, 'TOO_MANY_REQUESTS', REFRESH));
      expect((await client.refresh(refreshToken, from(address))).status).toBe(200);
      expect(await client.refresh(refreshToken, from(address))).toEqual(authError(401, 'AUTH_TOKEN_INVALID', REFRESH));
    });

    it('does not count failed logins for refreshes', async () => {
      const address = freshAddress();
      for (let i = 0; i <= POINTS; i += 1) await login(address, randomUUID());
      expect((await login(address, randomUUID())).status).toBe(429);
      const garbage = await restClient(deployment.url).refresh('MY_SHOP_REFRESH=garbage', from(address));
      expect(garbage.status).toBe(401);
    });
  });

  it('is enabled in PROD: 100 failures in 5 minutes', async () => {
    const settings = { ...PROXY, 'app.env': 'PROD' };
    const deployment = await deploy({ engine, transport: 'local', settings });
    try {
      const fail = () => restClient(deployment.url).login({ username: 'nobody', password: 'x' }, from('192.0.2.1'));
      const responses = await Promise.all(Array.from({ length: 110 }, fail));
      expect(responses.filter(({ status }) => status === 401)).toHaveLength(100);
      expect(responses.filter(({ status }) => status === 429)).toHaveLength(10);
      deployment.clock.advance(299_999);
      expect((await fail()).headers.get('retry-after')).toBe('1');
      deployment.clock.advance(1);
      expect((await fail()).status).toBe(401);
    } finally {
      await deployment.close();
    }
  });
});
