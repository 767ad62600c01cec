// Profile A's refresh without the cookie, for clients in migration.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createOpaqueRefreshTokens } from '../../../src/auth/session/transport/cookie-transport.ts';
import type { Account } from '../../../src/auth/access/account.ts';
import { seedAccount } from '../../support/accounts.ts';
import { deploy, DIAGONAL, type Deployment } from '../../support/deployment.ts';
import { addGateway } from '../../support/gateways.ts';
import { problem } from '../../support/problems.ts';
import { rawRequest, sendRaw, type RawResponse } from '../../support/raw-http.ts';
import { restClient, sessionOf, type RestClient } from '../../support/rest-client.ts';
import { seedSession, type SeededSession } from '../../support/sessions.ts';

const PATH = '/api/v1/auth/refresh';
const COOKIE = 'MY_SHOP_REFRESH';
const REFUSED = problem(401, 'refresh-session-invalid', PATH);
const FOREIGN = createOpaqueRefreshTokens(Buffer.alloc(32, 9)).issue(1).value;

const refreshRaw = (url: string, lines: readonly string[]): Promise<RawResponse> =>
  sendRaw(url, rawRequest(`POST ${PATH} HTTP/1.1`, lines));

/** The uniform 401 without a reason. */
function expectRefused(response: RawResponse): void {
  expect(response).toEqual(REFUSED);
  expect(response.headers.getSetCookie()).toEqual([]);
  expect(response.headers.get('www-authenticate')).toBeNull();
}

describe.each(DIAGONAL)('the legacy refresh token in a header: $engine over $transport', (kind) => {
  let deployment: Deployment;
  let rest: RestClient;
  let account: Account;
  const open = () => seedSession(deployment, account);

  beforeAll(async () => {
    deployment = await deploy(kind);
    rest = restClient(deployment.url);
    account = await seedAccount(deployment.database);
  });
  afterAll(() => deployment?.close());

  it.each<[what: string, lines: (session: SeededSession) => string[]]>([
    ['X-Refresh-Token', ({ credential }) => [`X-Refresh-Token: ${credential}`]],
    ['X-Refresh-Token in lower case', ({ credential }) => [`x-refresh-token: ${credential}`]],
    ['a bearer', ({ credential }) => [`Authorization: Bearer ${credential}`]],
    ['a bearer in another case, with blanks', ({ credential }) => [`authorization: bEARER   ${credential}`]],
    [
      'X-Refresh-Token beside another scheme',
      ({ credential }) => [`X-Refresh-Token: ${credential}`, 'Authorization: Basic YTpi'],
    ],
    ['X-Refresh-Token beside other cookies', ({ credential }) => [`X-Refresh-Token: ${credential}`, 'Cookie: a=b']],
  ])('returns 200 with a cookie: %s', async (_what, lines) => {
    const session = await open();
    const response = await refreshRaw(deployment.url, lines(session));
    expect(response.status).toBe(200);
    expect(response.body).toStrictEqual({ accessToken: expect.any(String), expiresIn: 900 });
    const [cookie, ...others] = response.headers.getSetCookie();
    expect(others).toEqual([]);
    expect(cookie).toMatch(new RegExp(`^${COOKIE}=[^;]+; Path=/api/v1/auth; HttpOnly; Secure; SameSite=Lax$`));
    expect((await rest.refresh(cookie!.split(';')[0])).status).toBe(200);
  });

  it.each<[what: string, lines: (session: SeededSession) => string[]]>([
    [
      'X-Refresh-Token before the access token that a client adds to every request',
      ({ credential, accessToken }) => [`X-Refresh-Token: ${credential}`, `Authorization: Bearer ${accessToken}`],
    ],
    [
      'a bearer beside an empty X-Refresh-Token',
      ({ credential }) => ['X-Refresh-Token:', `Authorization: Bearer ${credential}`],
    ],
  ])('accepts %s', async (_what, lines) => {
    expect((await refreshRaw(deployment.url, lines(await open()))).status).toBe(200);
  });

  it('detects the second use as a replay', async () => {
    const session = await open();
    const first = await rest.refresh(undefined, { 'x-refresh-token': session.credential });
    expect(first.status).toBe(200);
    expectRefused(await refreshRaw(deployment.url, [`X-Refresh-Token: ${session.credential}`]));
    expect((await rest.refresh(sessionOf(first).cookie)).status).toBe(401);
    expect((await rest.me(session.accessToken)).status).toBe(401);
  });

  describe('401', () => {
    let session: SeededSession;
    beforeAll(async () => {
      session = await open();
    });
    // None of it was a use of the session, let alone its end.
    afterAll(async () => {
      expect((await rest.me(session.accessToken)).status).toBe(200);
      expect((await rest.refresh(session.cookie)).status).toBe(200);
    });

    it.each<[what: string, lines: (session: SeededSession) => string[]]>([
      ['nothing', () => []],
      ['an access token as a bearer', ({ accessToken }) => [`Authorization: Bearer ${accessToken}`]],
      ['an access token in X-Refresh-Token', ({ accessToken }) => [`X-Refresh-Token: ${accessToken}`]],
      [
        'X-Refresh-Token twice',
        ({ credential }) => [`X-Refresh-Token: ${credential}`, `X-Refresh-Token: ${credential}`],
      ],
      ['two values in X-Refresh-Token', ({ credential }) => [`X-Refresh-Token: ${credential}, ${credential}`]],
      [
        'two bearers',
        ({ credential }) => [`Authorization: Bearer ${credential}`, `Authorization: Bearer ${credential}`],
      ],
      ['two bearers in one header', ({ credential }) => [`Authorization: Bearer ${credential}, Bearer ${credential}`]],
      [
        'a good header beside a bad cookie',
        ({ credential }) => [`Cookie: ${COOKIE}=x`, `X-Refresh-Token: ${credential}`],
      ],
      [
        'a good header beside an empty cookie',
        ({ credential }) => [`Cookie: ${COOKIE}=`, `Authorization: Bearer ${credential}`],
      ],
      ['an empty X-Refresh-Token', () => ['X-Refresh-Token:']],
      ['a bearer without a token', () => ['Authorization: Bearer']],
      ['a bearer of blanks', () => ['Authorization: Bearer   ']],
      [
        'the credential by Basic',
        ({ credential }) => [`Authorization: Basic ${Buffer.from(`x:${credential}`).toString('base64')}`],
      ],
      ['the credential without a scheme', ({ credential }) => [`Authorization: ${credential}`]],
      ['the scheme without a blank', ({ credential }) => [`Authorization: Bearer${credential}`]],
      ['the credential and more', ({ credential }) => [`X-Refresh-Token: ${credential} x`]],
      ['the cookie pair in the header', ({ cookie }) => [`X-Refresh-Token: ${cookie}`]],
      ['bytes', () => ['X-Refresh-Token: \xff\xfe']],
      ['a credential of another deployment', () => [`X-Refresh-Token: ${FOREIGN}`]],
      ['the credential in X-Api-Key', ({ credential }) => [`X-Api-Key: ${credential}`]],
      [
        'a header with a foreign Origin',
        ({ credential }) => [`X-Refresh-Token: ${credential}`, 'Origin: https://evil.test'],
      ],
    ])('%s', async (_what, lines) => {
      expectRefused(await refreshRaw(deployment.url, lines(session)));
    });
  });

  it('ignores the headers if a cookie is present', async () => {
    const [session, other] = [await open(), await open()];
    const lines = [`Cookie: ${session.cookie}`, `X-Refresh-Token: ${other.credential}`, 'Authorization: Bearer x'];
    expect((await refreshRaw(deployment.url, lines)).status).toBe(200);
    expect((await rest.refresh(other.cookie)).status).toBe(200);
  });

  it('ignores the headers if the setting disables them', async () => {
    const off = await addGateway(deployment, { 'app.security.refresh-session.legacy-fallbacks': 'false' });
    try {
      const session = await open();
      for (const header of ['X-Refresh-Token: ', 'Authorization: Bearer ']) {
        const response = await refreshRaw(off.url, [header + session.credential]);
        expectRefused(response);
        expect(response.body.detail).toContain('(missing)');
      }
      const lines = [`Cookie: ${session.cookie}`, 'X-Refresh-Token: x'];
      expect((await refreshRaw(off.url, lines)).status).toBe(200);
    } finally {
      await off.close();
    }
  });
});
