// X-Api-Key as a credential: the same principal as a token's, with a query at every request.
import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Account } from '../../../src/auth/access/account.ts';
import { seedAccount } from '../../support/accounts.ts';
import { deploy, DIAGONAL, type Deployment } from '../../support/deployment.ts';
import { problem } from '../../support/problems.ts';
import { rawRequest, sendRaw } from '../../support/raw-http.ts';
import { bearer, restClient } from '../../support/rest-client.ts';
import { seedSession } from '../../support/sessions.ts';
import { administrator, administratorWith, ENABLED, insertApiKey, meBy, pathOf, serviceAccount } from './api-keys.ts';
import type { ApiKeyAdministrator } from './api-keys.ts';
import { rememberPasswords } from '../../support/argon2.ts';

rememberPasswords();

const ME = '/api/v1/auth/me';
const REFUSED = problem(401, 'unauthorized', ME, 'Unauthorized - Invalid or expired token');
const MISSING = problem(401, 'unauthorized', ME, 'Unauthorized - Missing or invalid token');

describe.each(DIAGONAL)('$engine over $transport', (kind) => {
  let deployment: Deployment;
  let admin: ApiKeyAdministrator;

  beforeAll(async () => {
    deployment = await deploy({ ...kind, settings: ENABLED });
    admin = await administrator(deployment);
  });
  afterAll(() => deployment?.close());

  const holder = async (seed: Parameters<typeof serviceAccount>[1] = {}) => {
    const account = await serviceAccount(deployment, seed);
    const root = await administrator(deployment, { tenantId: undefined, roles: ['SUPER_ADMIN'] });
    const { keyId, apiKey } = (await root.issue(account)).body;
    return { account, keyId: keyId as string, apiKey: apiKey as string };
  };
  const me = (key: string, headers?: Record<string, string>) => meBy(deployment.url, key, headers);
  const set = (account: Account, assignment: string, value: number) =>
    deployment.database.execute(`UPDATE accounts SET ${assignment} = ? WHERE username = ?`, [
      value,
      Buffer.from(account.username),
    ]);
  const setTenant = (tenantId: string, status: 'ACTIVE' | 'SUSPENDED') =>
    deployment.database.execute('UPDATE tenants SET status = ? WHERE id = ?', [status, Buffer.from(tenantId)]);

  it('authenticates the account of the key, like its access token', async () => {
    const { account, apiKey } = await holder({ name: 'Sync', roles: ['SALES', 'FLORIST'] });
    const { accessToken } = await seedSession(deployment, account);
    const response = await me(apiKey);
    expect(response).toMatchObject({ status: 200, body: { id: account.id, name: 'Sync', tenantId: 'acme' } });
    expect(response.text).toBe((await restClient(deployment.url).me(accessToken)).text);
  });

  it('has the permissions of the account only', async () => {
    const machine = await holder({ roles: ['ADMIN'] });
    const seller = await holder({ roles: ['SALES'] });
    const target = await serviceAccount(deployment);
    const foreign = await serviceAccount(deployment, { tenantId: 'globex' });
    const by = (key: string) => administratorWith(deployment.url, target, { 'x-api-key': key });
    expect((await by(machine.apiKey).list(target)).status).toBe(200);
    expect((await by(machine.apiKey).list(foreign)).status).toBe(404);
    expect((await by(seller.apiKey).list(target)).status).toBe(403);
    await deployment.database.execute('UPDATE accounts SET roles = ? WHERE username = ?', [
      'MANAGER',
      Buffer.from(machine.account.username),
    ]);
    expect((await by(machine.apiKey).list(target)).status).toBe(403);
  });

  it('cannot issue an API key with any permission: checks credential, role, kind of credential, then the request', async () => {
    const machine = await holder({ roles: ['ADMIN'] });
    const target = await serviceAccount(deployment);
    const by = administratorWith(deployment.url, target, { 'x-api-key': machine.apiKey });
    const token = bearer((await seedSession(deployment, machine.account)).accessToken);
    const garbage = administratorWith(deployment.url, target, { 'x-api-key': 'garbage' });
    expect((await garbage.issue(target)).status).toBe(401);
    expect(await by.issue(target)).toEqual(problem(403, 'permission-denied', pathOf(target)));
    expect(await by.issue('x', '{"label":')).toEqual(problem(403, 'permission-denied', pathOf('x')));
    expect((await by.list(target)).body).toEqual([]);
    const byToken = administratorWith(deployment.url, target, token);
    const { keyId } = (await byToken.issue(target)).body;
    expect((await by.revoke(target, keyId)).status).toBe(403);
    expect((await byToken.revoke(target, keyId)).status).toBe(204);
  });

  it('an account can have several keys, which are revoked one by one', async () => {
    const { account, keyId, apiKey } = await holder();
    const second = (await admin.issue(account)).body;
    expect((await admin.revoke(account, keyId)).status).toBe(204);
    expect(await me(apiKey)).toEqual(REFUSED);
    expect((await me(second.apiKey)).status).toBe(200);
  });

  it('is rejected from its expiry time on', async () => {
    const account = await serviceAccount(deployment);
    const expiresAt = new Date(deployment.clock.now() + 60_000).toISOString();
    const { apiKey } = (await admin.issue(account, { label: 'short', expiresAt })).body;
    deployment.clock.advance(59_999);
    expect((await me(apiKey)).status).toBe(200);
    deployment.clock.advance(1);
    expect(await me(apiKey)).toEqual(REFUSED);
    expect((await admin.list(account)).headers.get('x-total-count')).toBe('1');
  });

  describe('returns 401 as soon as', () => {
    it('the account is disabled, until it is enabled', async () => {
      const { account, apiKey } = await holder();
      await set(account, 'disabled', 1);
      expect(await me(apiKey)).toEqual(REFUSED);
      await set(account, 'disabled', 0);
      expect((await me(apiKey)).status).toBe(200);
    });

    it('the account expires', async () => {
      const { account, apiKey } = await holder();
      await set(account, 'account_expires_at', deployment.clock.now());
      expect(await me(apiKey)).toEqual(REFUSED);
    });

    it('the tenant is suspended, until it is activated', async () => {
      const { apiKey } = await holder({ tenantId: 'initech' });
      expect((await me(apiKey)).status).toBe(200);
      await setTenant('initech', 'SUSPENDED');
      expect(await me(apiKey)).toEqual(REFUSED);
      await setTenant('initech', 'ACTIVE');
      expect((await me(apiKey)).status).toBe(200);
    });

    it('the account is deleted', async () => {
      const { account, apiKey } = await holder();
      await deployment.database.execute('DELETE FROM accounts WHERE username = ?', [Buffer.from(account.username)]);
      expect(await me(apiKey)).toEqual(REFUSED);
      expect((await admin.list(account)).status).toBe(404);
    });
  });

  it('is valid for a locked account and an expired password', async () => {
    const { account, apiKey } = await holder();
    await set(account, 'locked_until', deployment.clock.now() + 60_000);
    await set(account, 'credentials_expire_at', 1);
    expect((await me(apiKey)).status).toBe(200);
  });

  it('is rejected for a user, even if the database contains one', async () => {
    const key = await insertApiKey(deployment.database, await seedAccount(deployment.database));
    expect(await me(key)).toEqual(REFUSED);
    expect((await me(await insertApiKey(deployment.database, await serviceAccount(deployment)))).status).toBe(200);
  });

  describe('an invalid API key', () => {
    it.each<[what: string, of: (key: string) => string]>([
      ['a changed one', (key) => `${key.slice(0, 20)}${key[20] === 'A' ? 'B' : 'A'}${key.slice(21)}`],
      ['half of one', (key) => key.slice(0, 28)],
      ['one in upper case', (key) => key.toUpperCase()],
      ['two joined by a comma', (key) => `${key}, ${key}`],
      ['one in quotes', (key) => `"${key}"`],
      ['one with its scheme', (key) => `Bearer ${key}`],
      ['its hash', (key) => createHash('sha256').update(key).digest('hex')],
      ['garbage', () => 'garbage'],
      ['SQL', () => "' OR '1'='1"],
      ['8,000 characters', () => 'x'.repeat(8000)],
      ['a blank inside', (key) => key.replace('_', ' ')],
    ])('%s', async (_what, of) => {
      const { apiKey } = await holder();
      expect(await me(of(apiKey))).toEqual(REFUSED);
    });

    it('bytes other than ASCII', async () => {
      const response = await sendRaw(deployment.url, rawRequest(`GET ${ME} HTTP/1.1`, ['X-Api-Key: \xff\xe9']));
      expect(response).toEqual(REFUSED);
    });
  });

  describe('the X-Api-Key header', () => {
    const raw = (...lines: string[]) => sendRaw(deployment.url, rawRequest(`GET ${ME} HTTP/1.1`, lines));

    it('is ignored if empty', async () => {
      const { apiKey } = await holder();
      const { accessToken } = await seedSession(deployment, admin.account);
      expect(await me('')).toEqual(MISSING);
      expect(await raw('X-Api-Key:  ')).toEqual(MISSING);
      expect((await me('', bearer(accessToken))).body).toMatchObject({ id: admin.account.id });
      expect((await raw('X-Api-Key:', `X-Api-Key: ${apiKey}`)).status).toBe(200);
    });

    it('has a name in any letter case, and blanks around the key are ignored', async () => {
      const { apiKey } = await holder();
      expect((await raw(`x-aPI-kEY: \t${apiKey}  `)).status).toBe(200);
    });

    it('is rejected if it occurs twice, even with the same key', async () => {
      const { apiKey } = await holder();
      const other = await holder();
      expect(await raw(`X-Api-Key: ${apiKey}`, `X-Api-Key: ${apiKey}`)).toEqual(REFUSED);
      expect(await raw(`X-Api-Key: ${apiKey}`, `X-Api-Key: ${other.apiKey}`)).toEqual(REFUSED);
    });

    it('returns 400 together with a bearer token, valid or not', async () => {
      const { apiKey } = await holder();
      const { accessToken } = await seedSession(deployment, admin.account);
      for (const key of [apiKey, 'garbage']) {
        for (const authorization of [`Bearer ${accessToken}`, 'bearer garbage', 'Bearer', 'BEARER ']) {
          expect(await me(key, { authorization })).toEqual(problem(400, 'validation-error', ME));
        }
      }
      const response = await raw(`X-Api-Key: ${apiKey}`, 'Authorization: Bearer a', 'Authorization: Bearer b');
      expect(response).toEqual(problem(400, 'validation-error', ME));
    });

    it('is used beside an Authorization header of another scheme', async () => {
      const { apiKey } = await holder();
      expect((await me(apiKey, { authorization: 'Basic YTpi' })).status).toBe(200);
      expect(await raw(`X-Api-Key: ${apiKey}`, 'Authorization: Basic YTpi', 'Authorization: Basic YTpj')).toEqual(
        REFUSED,
      );
    });

    it('returns 401 for an API key sent as a bearer token', async () => {
      const { apiKey } = await holder();
      expect(await restClient(deployment.url).me(apiKey)).toEqual(REFUSED);
    });
  });

  it('sends WWW-Authenticate: Bearer with a 401', async () => {
    expect((await me('garbage')).headers.get('www-authenticate')).toBe('Bearer');
  });

  it('is ignored at endpoints that need no credential', async () => {
    const account = await seedAccount(deployment.database);
    const rest = restClient(deployment.url);
    const response = await rest.login(
      { username: account.username, password: 'wrong' },
      { 'x-api-key': 'garbage', ...bearer('garbage') },
    );
    expect(response).toMatchObject({ status: 401, body: { errorCode: 'bad-credentials' } });
    expect((await rest.refresh(undefined, { 'x-api-key': 'garbage' })).body).toMatchObject({
      errorCode: 'refresh-session-invalid',
    });
  });

  it('on logout: ends no session if valid, and gets 401 if invalid', async () => {
    const { apiKey } = await holder();
    const { cookie } = await seedSession(deployment, admin.account);
    const logout = (headers: Record<string, string>) =>
      restClient(deployment.url).send('POST', '/api/v1/auth/logout', { headers });
    const refused = problem(401, 'unauthorized', '/api/v1/auth/logout', 'Unauthorized - Invalid or expired token');
    expect(await logout({ 'x-api-key': 'garbage', cookie })).toEqual(refused);
    expect((await restClient(deployment.url).refresh(cookie)).status).toBe(200);
    expect((await logout({ 'x-api-key': apiKey })).status).toBe(200);
    expect((await me(apiKey)).status).toBe(200);
  });

  it('authenticates 50 requests at once by a few queries, each as its account', async () => {
    const holders = await Promise.all(Array.from({ length: 10 }, () => holder()));
    const responses = await Promise.all(
      Array.from({ length: 50 }, (_, index) => {
        const { apiKey, account } = holders[index % 10]!;
        return me(apiKey).then(({ body }) => body.id === account.id);
      }),
    );
    expect(responses).toEqual(Array(50).fill(true));
  });
});
