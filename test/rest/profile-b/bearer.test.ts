// Bearer tokens in Profile B: missing and invalid ones.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Account } from '../../../src/auth/access/account.ts';
import { seedAccount } from '../../support/accounts.ts';
import { authError } from '../../support/auth-errors.ts';
import { deploy, ON_SQLITE, type Deployment } from '../../support/deployment.ts';
import type { RestResponse } from '../../support/rest-client.ts';
import { seedTokens } from '../../support/sessions.ts';
import { tokenClient, type TokenClient } from '../../support/token-client.ts';
import { seedClient, tokenClient as machines } from '../m2m/clients.ts';

const ME = '/api/v1/auth/me';
const LOGOUT = '/api/v1/auth/logout';

/** What holds for every response: nobody keeps it, and no cookie is set. */
function expectUnkept({ headers, cookies }: RestResponse): void {
  expect(headers.get('cache-control')).toBe('no-store');
  expect(headers.get('pragma')).toBe('no-cache');
  expect(cookies).toEqual([]);
}

describe.each(ON_SQLITE)('$engine over $transport', (kind) => {
  let deployment: Deployment;
  let rest: TokenClient;
  let account: Account;

  beforeAll(async () => {
    deployment = await deploy({ ...kind, settings: { 'app.security.auth-profile': 'B' } });
    rest = tokenClient(deployment.url);
    account = await seedAccount(deployment.database);
  });
  afterAll(() => deployment?.close());

  it.each([
    ['me', 'GET', ME],
    ['logout', 'POST', LOGOUT],
  ])('%s: returns 401 AUTH_TOKEN_MISSING without a bearer token', async (_what, method, path) => {
    const cookie = 'MY_SHOP_REFRESH=x';
    for (const headers of [{}, { cookie }, { authorization: 'Basic YTpi' }, { authorization: '' }]) {
      const response = await rest.send(method, path, { headers: headers as Record<string, string> });
      expect(response).toEqual(authError(401, 'AUTH_TOKEN_MISSING', path));
      expect(response.headers.get('www-authenticate')).toBe('Bearer');
      expectUnkept(response);
    }
  });

  it('me: returns the client id as the e-mail address of a machine client', async () => {
    const client = await seedClient(deployment.database);
    const { access_token: accessToken } = (await machines(deployment.url).byForm(client)).body;
    const response = await rest.me(accessToken);
    expect(response.status).toBe(200);
    expect(response.body).toMatchObject({ id: client.account.id, email: client.account.username });
  });

  it.each([
    ['me', 'GET', ME],
    ['logout', 'POST', LOGOUT],
  ])('%s: returns 401 AUTH_TOKEN_INVALID for invalid tokens, and changes nothing', async (_what, method, path) => {
    const { accessToken, refreshToken } = await seedTokens(deployment, account);
    for (const token of [
      '',
      'x',
      `${accessToken}x`,
      accessToken.slice(0, -9),
      refreshToken,
      'a.b.c',
      '\u00ff'.repeat(9),
    ]) {
      const response = await rest.send(method, path, { headers: { authorization: `Bearer ${token}` } });
      expect(response).toEqual(authError(401, 'AUTH_TOKEN_INVALID', path));
      expect(response.headers.get('www-authenticate')).toBe('Bearer');
    }
    expect((await rest.me(accessToken)).status).toBe(200);
    expect((await rest.refresh(refreshToken)).status).toBe(200);
  });
});
