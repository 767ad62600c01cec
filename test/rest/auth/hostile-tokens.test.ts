// Invalid and expired bearer tokens: the exact error of me and logout, and no change.
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Account } from '../../../src/auth/access/account.ts';
import { seedAccount } from '../../support/accounts.ts';
import { deploy, ON_SQLITE, type Deployment } from '../../support/deployment.ts';
import { otherSpelling, tokenForge, type TokenForge } from '../../support/forged-tokens.ts';
import { FORGERIES } from '../../support/forgeries.ts';
import { leaksOf } from '../../support/leaks.ts';
import { problem } from '../../support/problems.ts';
import { rawRequest, sendRaw } from '../../support/raw-http.ts';
import { restClient, type RestClient } from '../../support/rest-client.ts';
import { seedSession, type SeededSession } from '../../support/sessions.ts';

const ME = '/api/v1/auth/me';
const LOGOUT = '/api/v1/auth/logout';
const MISSING = 'Unauthorized - Missing or invalid token';
const INVALID = 'Unauthorized - Invalid or expired token';
const UNKNOWN = 'Unauthorized - User not found';

const FORGED = Object.entries(FORGERIES);

/** Authorization headers that hold no Bearer credential at all. */
const NO_BEARER: Record<string, (good: string) => string[]> = {
  'no header': () => [],
  'an empty header': () => ['Authorization: '],
  Basic: () => ['Authorization: Basic YWxpY2U6c2VjcmV0'],
  'the token without a scheme': (good) => [`Authorization: ${good}`],
  'a scheme that begins like it': (good) => [`Authorization: Bearers ${good}`],
  'a scheme that ends like it': (good) => [`Authorization: TokenBearer ${good}`],
  'a colon after the scheme': (good) => [`Authorization: Bearer: ${good}`],
  'a tab after the scheme': (good) => [`Authorization: Bearer\t${good}`],
  'bytes that are no ASCII': () => ['Authorization: \xff\xe9'],
  'other headers': (good) => [
    `Proxy-Authorization: Bearer ${good}`,
    `X-Access-Token: ${good}`,
    `Cookie: access_token=${good}; Authorization=Bearer ${good}`,
  ],
  'an API key, which is switched off': () => ['X-Api-Key: \xff'],
};

/** Headers of which no token can be made out. */
const BAD_HEADERS: Record<string, (good: string) => string[]> = {
  'the scheme alone': () => ['Authorization: Bearer'],
  'the scheme and blanks': () => ['Authorization: Bearer    '],
  'a byte that is no ASCII before it': (good) => [`Authorization: Bearer \xff${good}`],
  'a byte that is no ASCII after it': (good) => [`Authorization: Bearer ${good}\xe9`],
  'a byte that is no ASCII in the signature': (good) => [
    `Authorization: Bearer ${good.slice(0, -9)}\xe9${good.slice(-9)}`,
  ],
  'a tab in it': (good) => [`Authorization: Bearer ${good.replace('.', '\t.')}`],
  'a tab in the signature': (good) => [`Authorization: Bearer ${good.slice(0, -9)}\t${good.slice(-9)}`],
  'a comma in it': (good) => [`Authorization: Bearer ${good.replace('.', ',')}`],
  'two headers': (good) => [`Authorization: Bearer ${good}`, 'Authorization: Bearer x'],
  'two headers, the good one last': (good) => ['Authorization: Bearer x', `Authorization: Bearer ${good}`],
  'the same header twice': (good) => [`Authorization: Bearer ${good}`, `authorization: Bearer ${good}`],
  'Basic beside it': (good) => ['Authorization: Basic YWxpY2U6c2VjcmV0', `Authorization: Bearer ${good}`],
  'an empty header beside it': (good) => [`Authorization: Bearer ${good}`, 'Authorization: '],
  'ten headers': (good) => Array.from({ length: 10 }, () => `Authorization: Bearer ${good}`),
  '14,000 bytes that are no ASCII': () => [`Authorization: Bearer ${'\xe9'.repeat(14_000)}`],
};

describe.each(ON_SQLITE)('$engine over $transport', (kind) => {
  let deployment: Deployment;
  let rest: RestClient;
  let account: Account;
  let session: SeededSession;
  let forge: TokenForge;

  beforeAll(async () => {
    deployment = await deploy(kind);
    rest = restClient(deployment.url);
    account = await seedAccount(deployment.database);
  });
  beforeEach(async () => {
    session = await seedSession(deployment, account);
    forge = await tokenForge(deployment, account, session.id);
  });
  afterAll(() => deployment?.close());

  const get = (lines: string[], target = ME) => sendRaw(deployment.url, rawRequest(`GET ${target} HTTP/1.1`, lines));
  const logout = (lines: string[]) =>
    sendRaw(deployment.url, rawRequest(`POST ${LOGOUT} HTTP/1.1`, [...lines, `Cookie: ${session.cookie}`]));

  async function expectRefused(lines: string[], detail: string): Promise<void> {
    const [me, out] = await Promise.all([get(lines), detail === MISSING ? undefined : logout(lines)]);
    for (const [response, instance] of [
      [me, ME],
      [out, LOGOUT],
    ] as const) {
      if (!response) continue;
      expect(response).toEqual(problem(401, 'unauthorized', instance, detail));
      expect(response.headers.get('www-authenticate')).toMatch(/^Bearer/);
      expect(response.headers.getSetCookie()).toEqual([]);
      expect(leaksOf(response.text, [session.accessToken.split('.')[2]!, session.cookie.split('=')[1]!])).toEqual([]);
    }
    expect((await rest.me(session.accessToken)).status).toBe(200);
    expect((await rest.refresh(session.cookie)).status).toBe(200);
  }

  it('creates a valid token, so that each forged token has exactly one defect', async () => {
    const token = forge.signed(forge.claims());
    expect((await rest.me(token)).body.id).toBe(account.id);
    for (const claims of [{ aud: ['other', 'my-shop'] }, { roles: [] }, { email: 'x' }, { extra: { a: 1 } }]) {
      expect((await rest.me(forge.signed(forge.claims(claims)))).status).toBe(200);
    }
  });

  it.each(FORGED)('returns 401: %s', async (_what, make) => {
    const good = forge.signed(forge.claims());
    await expectRefused([`Authorization: Bearer ${make(forge, good)}`], INVALID);
  });

  // What was verified once is remembered; what is only like it must not be taken for it.
  it.each(FORGED.filter(([, make]) => make.length === 2))(
    'returns 401, also right after the valid token: %s',
    async (_what, make) => {
      expect((await rest.me(session.accessToken)).status).toBe(200);
      await expectRefused([`Authorization: Bearer ${make(forge, session.accessToken)}`], INVALID);
    },
  );

  it.each(Object.entries(BAD_HEADERS))('returns 401: %s', async (_what, lines) => {
    await expectRefused(lines(session.accessToken), INVALID);
  });

  it.each(Object.entries(NO_BEARER))('returns 401: %s', async (_what, lines) => {
    await expectRefused(lines(session.accessToken), MISSING);
  });

  it('returns 401 for a token in the query', async () => {
    const response = await get(
      [],
      `${ME}?access_token=${session.accessToken}&Authorization=Bearer%20${session.accessToken}`,
    );
    expect(response).toEqual(problem(401, 'unauthorized', ME, MISSING));
  });

  it('returns 401 for a missing account', async () => {
    await expectRefused([`Authorization: Bearer ${forge.signed(forge.claims({ sub: randomUUID() }))}`], UNKNOWN);
  });

  it('returns 200 with blanks around the token', async () => {
    expect((await get([`Authorization:   Bearer   ${session.accessToken}  `])).status).toBe(200);
  });

  it('returns 200 and ignores an API key beside it if keys are disabled', async () => {
    expect(
      (await get([`Authorization: Bearer ${session.accessToken}`, 'X-Api-Key: \xff', 'X-Api-Key: x'])).status,
    ).toBe(200);
  });

  it('is rejected after the session has ended, in any spelling', async () => {
    const own = await seedSession(deployment, account);
    const ownForge = await tokenForge(deployment, account, own.id);
    const second = ownForge.signed(ownForge.claims());
    expect((await rest.me(second)).status).toBe(200);
    expect((await rest.logout({ accessToken: own.accessToken })).status).toBe(200);
    for (const token of [
      own.accessToken,
      second,
      otherSpelling(second),
      ownForge.signed(ownForge.claims({ extra: 1 })),
    ]) {
      expect(await rest.me(token)).toEqual(problem(401, 'unauthorized', ME, INVALID));
    }
  });
});

const MODES = [
  { mode: 'maximal', transport: 'local' },
  { mode: 'maximal', transport: 'grpc' },
  { mode: 'minimal', transport: 'local' },
  { mode: 'minimal', transport: 'grpc' },
] as const;

describe.each(MODES)('$mode disclosure over $transport', ({ mode, transport }) => {
  let deployment: Deployment;
  let rest: RestClient;
  let own: Account;
  let session: SeededSession;

  beforeAll(async () => {
    deployment = await deploy({ engine: 'sqlite', transport, settings: { 'app.api.error-disclosure.mode': mode } });
    rest = restClient(deployment.url);
  });
  afterAll(() => deployment?.close());
  beforeEach(async () => {
    own = await seedAccount(deployment.database, { tenantId: `tenant-${randomUUID().slice(0, 8)}` });
    session = await seedSession(deployment, own);
    expect((await rest.me(session.accessToken)).status).toBe(200);
  });

  it.each([
    ['a deleted account', 'DELETE FROM accounts WHERE tenant_id = ?', UNKNOWN],
    ['a disabled account', 'UPDATE accounts SET disabled = 1 WHERE tenant_id = ?', INVALID],
    ['an expired account', 'UPDATE accounts SET account_expires_at = 1 WHERE tenant_id = ?', INVALID],
    ['a suspended tenant', "UPDATE tenants SET status = 'SUSPENDED' WHERE id = ?", INVALID],
    ['a tenant that is gone', 'DELETE FROM tenants WHERE id = ?', INVALID],
  ])('%s', async (_what, sql, detail) => {
    await deployment.database.execute(sql, [Buffer.from(own.tenantId!)]);
    const responses = [await rest.me(session.accessToken), await rest.logout(session)];
    for (const [index, instance] of [ME, LOGOUT].entries()) {
      const { body } = responses[index]!;
      expect(responses[index]).toEqual(problem(401, 'unauthorized', instance, detail));
      const members = ['type', 'title', 'status', 'detail', 'errorCode', 'instance'];
      const diagnostics = ['exceptionType', 'exceptionMessage', 'stackTrace'];
      expect(Object.keys(body)).toEqual(mode === 'maximal' ? [...members, ...diagnostics] : members);
    }
  });
});
