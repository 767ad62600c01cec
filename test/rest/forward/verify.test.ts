// /api/v1/auth/verify: forward authentication and authorization for a reverse proxy.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Account } from '../../../src/auth/access/account.ts';
import { idToBytes } from '../../../src/platform/db/ids.ts';
import { seedAccount, type Seed } from '../../support/accounts.ts';
import { deploy, ON_SQLITE, type Deployment } from '../../support/deployment.ts';
import { IDENTITY_HEADER_NAMES as NAMES } from '../../support/identity-headers.ts';
import { problem } from '../../support/problems.ts';
import { exchangeRaw, rawRequest, sendRaw } from '../../support/raw-http.ts';
import { bearer, restClient, type RestResponse, type RestClient } from '../../support/rest-client.ts';
import { seedSession, seedTokens } from '../../support/sessions.ts';
import { administrator, ENABLED, serviceAccount } from '../api-key/api-keys.ts';
import { seedClient, tokenClient } from '../m2m/clients.ts';

const VERIFY = '/api/v1/auth/verify';
/** Their values if an account has none. */
const NO_VALUES = Object.fromEntries(NAMES.map((name) => [name, '-']));
const MISSING = problem(401, 'unauthorized', VERIFY, 'Unauthorized - Missing or invalid token');
const REFUSED = problem(401, 'unauthorized', VERIFY, 'Unauthorized - Invalid or expired token');

/** The identity headers of a response. */
const identityOf = ({ headers }: Pick<RestResponse, 'headers'>): Record<string, string> =>
  Object.fromEntries([...headers].filter(([name]) => NAMES.includes(name)));

describe.each(ON_SQLITE)('$engine over $transport', (kind) => {
  let deployment: Deployment;
  let rest: RestClient;
  const verify = (headers: Record<string, string> = {}, query = '') => rest.send('GET', VERIFY + query, { headers });

  beforeAll(async () => {
    const settings = { ...ENABLED, 'app.http.cors.allowed-origins': 'https://shop.test' };
    deployment = await deploy({ ...kind, settings });
    rest = restClient(deployment.url);
  });
  afterAll(() => deployment?.close());

  /** Unix seconds. The clock does not advance. */
  const loginTime = () => `${Math.floor(deployment.clock.now() / 1000)}`;

  async function session(seed: Seed = {}): Promise<{ account: Account; headers: Record<string, string> }> {
    const account = await seedAccount(deployment.database, seed);
    const { accessToken } = await seedSession(deployment, account);
    return { account, headers: bearer(accessToken) };
  }

  describe('200 without a body', () => {
    it('with every identity header of a user', async () => {
      const { account, headers } = await session({ name: 'Ann Example', email: 'ann@acme.test', roles: ['MANAGER'] });
      const response = await verify(headers);
      expect(response).toMatchObject({ status: 200, text: '' });
      expect(response.headers.get('cache-control')).toBe('no-store');
      expect(identityOf(response)).toEqual({
        ...NO_VALUES,
        'remote-user': account.username,
        'remote-name': 'Ann Example',
        'remote-email': 'ann@acme.test',
        'remote-groups': 'MANAGER,SALES,ACCOUNTANT',
        'x-auth-subject': account.id,
        'x-auth-tenant': 'acme',
        'x-auth-time': loginTime(),
        'x-auth-methods': 'pwd',
      });
    });

    it('sends "-" for headers without a value, even if the client sent them', async () => {
      const { account, headers } = await session({ tenantId: undefined, roles: ['SUPER_ADMIN'], name: 'Root' });
      const forged = { 'x-auth-tenant': 'globex', 'remote-email': 'forged@globex.test' };
      expect(identityOf(await verify({ ...headers, ...forged }))).toEqual({
        ...NO_VALUES,
        'remote-user': account.username,
        'remote-name': 'Root',
        'remote-groups': 'SUPER_ADMIN',
        'x-auth-subject': account.id,
        'x-auth-time': loginTime(),
        'x-auth-methods': 'pwd',
      });
    });

    it('for a machine client, by its token and by its API key', async () => {
      const client = await seedClient(deployment.database, { name: 'Sync', roles: ['SALES'] });
      const { access_token: token } = (await tokenClient(deployment.url).byForm(client)).body;
      const admin = await administrator(deployment);
      const { apiKey } = (await admin.issue(client.account)).body;
      for (const headers of [bearer(token), { 'x-api-key': apiKey as string }]) {
        expect(identityOf(await verify(headers))).toEqual({
          ...NO_VALUES,
          'remote-user': client.id,
          'remote-name': 'Sync',
          'remote-groups': 'SALES',
          'x-auth-subject': client.account.id,
          'x-auth-tenant': 'acme',
        });
      }
    });
  });

  it.each([
    ['letters of other alphabets', 'Zoë 北', 'Zo%C3%AB %E5%8C%97'],
    ['a line break', 'Ann\r\nX-Auth-Tenant: globex', 'Ann%0D%0AX-Auth-Tenant: globex'],
    ['a percent sign', '100% Ann', '100%25 Ann'],
    ['spaces at its ends', ' Ann Example ', '%20Ann Example%20'],
    ['only a hyphen', '-', '%2D'],
    ['an emoji', 'Ann 🌷', 'Ann %F0%9F%8C%B7'],
    ['a zero byte and DEL', 'A\u0000n\u007F', 'A%00n%7F'],
  ])('percent-encodes a name with %s', async (_what, name, value) => {
    const { headers } = await session({ name });
    const response = await verify(headers);
    expect(identityOf(response)).toMatchObject({ 'remote-name': value, 'x-auth-tenant': 'acme' });
    expect(decodeURIComponent(response.headers.get('remote-name')!)).toBe(name);
  });

  describe('401', () => {
    it('without a credential, also with a cookie', async () => {
      const { cookie, accessToken } = await seedSession(deployment, await seedAccount(deployment.database));
      for (const headers of [
        {},
        { cookie },
        { cookie: `access_token=${accessToken}` },
        { authorization: 'Basic YTpi' },
      ]) {
        const response = await verify(headers);
        expect(response).toEqual(MISSING);
        expect(identityOf(response)).toEqual({});
        expect(response.headers.get('www-authenticate')).toBe('Bearer');
        expect(response.headers.get('cache-control')).toBe('no-store');
      }
    });

    it('with an invalid credential, and with two Authorization headers', async () => {
      const { headers } = await session();
      expect(await verify(bearer('garbage'))).toEqual(REFUSED);
      expect(await verify({ 'x-api-key': 'garbage' })).toEqual(REFUSED);
      const lines = [`Authorization: ${headers['authorization']}`, `Authorization: ${headers['authorization']}`];
      expect(await sendRaw(deployment.url, rawRequest(`GET ${VERIFY} HTTP/1.1`, lines))).toEqual(REFUSED);
    });

    it('from the first request after the logout on', async () => {
      const { accessToken } = await seedSession(deployment, await seedAccount(deployment.database));
      expect((await verify(bearer(accessToken))).status).toBe(200);
      expect((await rest.logout({ accessToken })).status).toBe(200);
      expect(await verify(bearer(accessToken))).toEqual(REFUSED);
    });
  });

  describe('max-age and amr', () => {
    const CHALLENGE = 'Bearer error="insufficient_user_authentication"';
    const OF_MFA = 'error_description="Multi-factor authentication is required"';
    const STEP_UP = problem(401, 'fresh-session-required', VERIFY);
    /** Changes the last session of the account in the database, as a confirmation does. */
    const confirm = ({ id }: Account, methods: string) =>
      deployment.database.execute('UPDATE session_families SET amr = ?, auth_time = ? WHERE account_id = ?', [
        methods,
        deployment.clock.now(),
        idToBytes(id),
      ]);

    it('returns 401 with the challenge of RFC 9470 if the authentication does not suffice', async () => {
      const { headers } = await session();
      deployment.clock.advance(60_000);
      for (const [query, challenge] of [
        ['?max-age=58', `${CHALLENGE}, max_age="58"`],
        ['?amr=mfa', `${CHALLENGE}, ${OF_MFA}`],
        ['?amr=mfa&max-age=600', `${CHALLENGE}, ${OF_MFA}, max_age="600"`],
      ] as const) {
        const response = await verify(headers, query);
        expect(response).toEqual(STEP_UP);
        expect(response.headers.get('www-authenticate')).toBe(challenge);
        expect(identityOf(response)).toEqual({});
      }
      expect((await verify(headers, '?max-age=61')).status).toBe(200);
    });

    it('returns 200 for an older token whose session was confirmed since, with the current values', async () => {
      const { account, headers } = await session();
      deployment.clock.advance(60_000);
      expect((await verify(headers, '?max-age=10&amr=mfa')).status).toBe(401);
      await confirm(account, 'pwd otp mfa');
      const response = await verify(headers, '?max-age=10&amr=mfa');
      expect(response.status).toBe(200);
      expect(identityOf(response)).toMatchObject({ 'x-auth-time': loginTime(), 'x-auth-methods': 'pwd,otp,mfa' });
    });

    it('accepts each age of a machine client, but no method, and nothing of an API key', async () => {
      const client = await seedClient(deployment.database, { roles: ['SALES'] });
      const { access_token: token } = (await tokenClient(deployment.url).byForm(client)).body;
      const admin = await administrator(deployment);
      const { apiKey } = (await admin.issue(client.account)).body;
      const statuses = async (headers: Record<string, string>) => {
        const responses = [await verify(headers, '?max-age=1'), await verify(headers, '?amr=mfa')];
        return responses.map(({ status }) => status);
      };
      expect(await statuses(bearer(token))).toEqual([200, 401]);
      expect(await statuses({ 'x-api-key': apiKey as string })).toEqual([401, 401]);
    });

    it('checks the permission first', async () => {
      const { headers } = await session({ roles: ['SALES'] });
      expect((await verify(headers, '?permission=MANAGE_USERS&amr=mfa')).status).toBe(403);
    });
  });

  describe('permission', () => {
    it('returns 200 if the account has all permissions', async () => {
      const { headers } = await session({ roles: ['ADMIN'] });
      expect((await verify(headers, '?permission=READ_AUDIT')).status).toBe(200);
      expect((await verify(headers, '?permission=READ_AUDIT&permission=MANAGE_ROLES')).status).toBe(200);
      expect((await verify(headers, '?permission=READ_AUDIT&permission=invoices:read')).status).toBe(200);
    });

    it('returns 403 if the account lacks one', async () => {
      for (const [role, query] of [
        ['SALES', '?permission=MANAGE_USERS'],
        ['SALES', '?permission=invoices:read'],
        ['SALES', '?permission=constructor'],
        ['ADMIN', '?permission=MANAGE_TENANTS'],
        ['ADMIN', '?permission=READ_AUDIT&permission=MANAGE_TENANTS'],
      ] as const) {
        const { headers } = await session({ roles: [role] });
        const response = await verify(headers, query);
        expect(response).toEqual(problem(403, 'permission-denied', VERIFY));
        expect(identityOf(response)).toEqual({});
      }
    });

    it.each([
      '?permission=FLY',
      '?permission=',
      '?permission=read__audit',
      '?permission=invoices:',
      '?permission=Invoices:read',
      '?permission=UNSPECIFIED',
      '?permission=PERMISSION_READ_AUDIT',
      '?permission=READ_AUDIT,MANAGE_ROLES',
      '?permission=__proto__',
      `?permission=${'x'.repeat(65)}`,
      `?permission=${'X'.repeat(65)}`,
      `?${'permission=READ_AUDIT&'.repeat(51)}`,
      '?permisson=READ_AUDIT',
      '?max-age=0',
      '?max-age=-1',
      '?max-age=1e2',
      '?max-age=100000000',
      '?max-age=',
      '?max-age=1&max-age=2',
      '?amr=pwd',
      '?amr=',
    ])('returns 400, after the check for 401: %s', async (query) => {
      const { headers } = await session({ roles: ['SALES'] });
      const response = await verify(headers, query);
      expect(response).toEqual(problem(400, 'validation-error', VERIFY));
      expect(response.body.violations).toHaveLength(1);
      expect(await verify(bearer('garbage'), query)).toEqual(REFUSED);
    });

    it('returns 403 before 400', async () => {
      const { headers } = await session({ roles: ['SALES'] });
      expect((await verify(headers, '?permission=FLY&permission=MANAGE_USERS')).status).toBe(403);
    });
  });

  it('returns 400 for a bearer token beside an API key', async () => {
    const { headers } = await session();
    expect(await verify({ ...headers, 'x-api-key': 'x' })).toEqual(problem(400, 'validation-error', VERIFY));
  });

  describe('any method', () => {
    it.each(['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'PROPFIND', 'QUERY', 'REPORT', 'M-SEARCH'])(
      '%s',
      async (method) => {
        const { account, headers } = await session();
        const lines = [`Authorization: ${headers['authorization']}`];
        const response = await sendRaw(deployment.url, rawRequest(`${method} ${VERIFY} HTTP/1.1`, lines));
        expect(response).toMatchObject({ status: 200, text: '' });
        expect(identityOf(response as unknown as RestResponse)).toMatchObject({ 'x-auth-subject': account.id });
        expect(await sendRaw(deployment.url, rawRequest(`${method} ${VERIFY} HTTP/1.1`))).toEqual(MISSING);
      },
    );

    it('HEAD, without a body in any case', async () => {
      const { account, headers } = await session();
      const lines = [`Authorization: ${headers['authorization']}`];
      const good = await sendRaw(deployment.url, rawRequest(`HEAD ${VERIFY} HTTP/1.1`, lines), { head: true });
      expect(good).toMatchObject({ status: 200, text: '' });
      expect(good.headers.get('x-auth-subject')).toBe(account.id);
      const bad = await sendRaw(deployment.url, rawRequest(`HEAD ${VERIFY} HTTP/1.1`), { head: true });
      expect(bad).toMatchObject({ status: 401, text: '' });
    });

    it('OPTIONS with a listed Origin is verified, not treated as a CORS preflight', async () => {
      const lines = ['Origin: https://shop.test', 'Access-Control-Request-Method: GET'];
      const response = await sendRaw(deployment.url, rawRequest(`OPTIONS ${VERIFY} HTTP/1.1`, lines));
      expect(response).toEqual(MISSING);
    });
  });

  describe('a body', () => {
    const BODIES = [
      ['JSON', ['Content-Type: application/json'], '{"a":'],
      ['of an unknown type', ['Content-Type: x/y'], 'hello'],
      ['in chunks', ['Transfer-Encoding: chunked'], '5\r\nhello\r\n0\r\n\r\n'],
      ['beyond the limit', ['Content-Type: application/json'], 'x'.repeat(300_000)],
    ] as const;

    it.each(BODIES)('%s is not read, and the connection stays open', async (_what, lines, body) => {
      const { headers } = await session();
      const credential = `Authorization: ${headers['authorization']}`;
      const first = rawRequest(`POST ${VERIFY} HTTP/1.1`, [credential, ...lines], body);
      const refused = rawRequest(`PUT ${VERIFY} HTTP/1.1`, lines, body);
      const last = rawRequest(`GET ${VERIFY} HTTP/1.1`, [credential]);
      const responses = await exchangeRaw(deployment.url, Buffer.concat([first, refused, last]), { responses: 3 });
      expect(responses.map(({ status }) => status)).toEqual([200, 401, 200]);
    });

    it('that never arrives does not delay the response', async () => {
      const { headers } = await session();
      const lines = [`Authorization: ${headers['authorization']}`, 'Content-Length: 1000'];
      expect((await sendRaw(deployment.url, rawRequest(`POST ${VERIFY} HTTP/1.1`, lines))).status).toBe(200);
      const expecting = [...lines, 'Expect: 100-continue'];
      expect((await sendRaw(deployment.url, rawRequest(`PUT ${VERIFY} HTTP/1.1`, expecting))).status).toBe(200);
    });
  });

  it('returns the right account to each of 30 parallel requests', async () => {
    const sessions = await Promise.all(Array.from({ length: 10 }, () => session()));
    const responses = await Promise.all(
      Array.from({ length: 30 }, async (_, index) => {
        const { account, headers } = sessions[index % 10]!;
        return (await verify(headers)).headers.get('x-auth-subject') === account.id;
      }),
    );
    expect(responses).toEqual(Array(30).fill(true));
  });
});

describe.each(ON_SQLITE)('Profile B over $transport', (kind) => {
  let deployment: Deployment;
  beforeAll(async () => {
    deployment = await deploy({ ...kind, settings: { 'app.security.auth-profile': 'B' } });
  });
  afterAll(() => deployment?.close());

  it('accepts its tokens and returns errors as problem documents', async () => {
    const account = await seedAccount(deployment.database);
    const { accessToken, refreshToken } = await seedTokens(deployment, account);
    const rest = restClient(deployment.url);
    const verify = (headers: Record<string, string>, query = '') => rest.send('GET', VERIFY + query, { headers });
    const good = await verify(bearer(accessToken));
    expect(good).toMatchObject({ status: 200, text: '' });
    expect(good.headers.get('remote-user')).toBe(account.username);
    expect(await verify({})).toEqual(MISSING);
    expect(await verify(bearer(refreshToken))).toEqual(REFUSED);
    expect(await verify(bearer(accessToken), '?permission=MANAGE_USERS')).toEqual(
      problem(403, 'permission-denied', VERIFY),
    );
  });

  it('ignores API keys, which are disabled', async () => {
    const account = await serviceAccount(deployment);
    const admin = await administrator(deployment);
    const { apiKey } = (await admin.issue(account)).body;
    expect(await restClient(deployment.url).send('GET', VERIFY, { headers: { 'x-api-key': apiKey } })).toEqual(MISSING);
  });
});
