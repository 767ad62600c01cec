// Bearer tokens that are none, or no longer: the exact refusal from me and from logout, and nothing changes.
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Account } from '../../../src/identity/account.ts';
import { seedAccount } from '../../support/accounts.ts';
import { deploy, DEPLOYMENTS, type Deployment } from '../../support/deployment.ts';
import { hs256, otherSpelling, tokenForge, unsigned, type TokenForge } from '../../support/forged-tokens.ts';
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

/** Names of attacks, and the token of each. `good` is a token that works. */
const FORGERIES: Record<string, (forge: TokenForge, good: string) => string> = {
  'a word': () => 'garbage',
  'dots': () => '..',
  'three letters': () => 'a.b.c',
  'three empty objects': () => unsigned({}, {}),
  'five parts, as encryption has': (_, good) => `${good}.a.b`,
  'its JSON form': (forge, good) => JSON.stringify({ protected: good.split('.')[0], payload: good.split('.')[1], signature: good.split('.')[2], kid: forge.kid }),
  'two tokens': (_, good) => `${good} ${good}`,
  'two tokens in a list': (_, good) => `${good}, Bearer ${good}`,
  'a word after it': (_, good) => `${good} x`,
  'a blank in the signature': (_, good) => `${good.slice(0, -4)} ${good.slice(-4)}`,
  'padding': (_, good) => `${good}==`,
  'quotes': (_, good) => `"${good}"`,
  'no signature': (_, good) => good.slice(0, good.lastIndexOf('.') + 1),
  'two parts': (_, good) => good.slice(0, good.lastIndexOf('.')),
  'half a signature': (_, good) => good.slice(0, -40),
  'one character less': (_, good) => good.slice(0, -1),
  'one character more': (_, good) => `${good}A`,
  'the first character less': (_, good) => good.slice(1),
  'another signature': (_, good) => good.replace(/.{8}$/, 'AAAAAAAA'),
  'another spelling of the signature': (_, good) => otherSpelling(good),
  'a signature of zeros': (_, good) => `${good.slice(0, good.lastIndexOf('.'))}.${Buffer.alloc(64).toString('base64url')}`,
  'the signature of another token': (forge, good) => good.slice(0, good.lastIndexOf('.')) + forge.signed(forge.claims()).slice(good.lastIndexOf('.')),
  'other claims under the signature': (forge, good) => [good.split('.')[0], part(forge.claims({ roles: ['ROLE_SUPER_ADMIN'] })), good.split('.')[2]].join('.'),
  'another header over the signature': (forge, good) => [part(forge.header({ typ: 'JWT' })), ...good.split('.').slice(1)].join('.'),

  ...Object.fromEntries(
    ['none', 'None', 'NONE', 'nOnE', 'null', ''].flatMap((alg) => [
      [`alg ${alg} without a signature`, (forge: TokenForge) => unsigned(forge.header({ alg }), forge.claims())],
      [`alg ${alg} with a signature`, (forge: TokenForge) => forge.signed(forge.claims(), forge.header({ alg }))],
    ]),
  ),
  ...Object.fromEntries(
    [undefined, null, ['ES256'], 'ES384', 'ES256K', 'EdDSA', 'RS256', 'PS256', 'HS256', 'es256'].map((alg) => [
      `alg ${JSON.stringify(alg)} over an ES256 signature`, (forge: TokenForge) => forge.signed(forge.claims(), forge.header({ alg })),
    ]),
  ),
  'HS256 under the public key as PEM': (forge) =>
    hs256(forge.header({ alg: 'HS256' }), forge.claims(), forge.publicKey.export({ format: 'pem', type: 'spki' })),
  'HS256 under the public key as DER': (forge) =>
    hs256(forge.header({ alg: 'HS256' }), forge.claims(), forge.publicKey.export({ format: 'der', type: 'spki' })),
  'HS256 under the public JWK': (forge) => hs256(forge.header({ alg: 'HS256' }), forge.claims(), forge.publicJwk),
  'HS256 under the kid': (forge) => hs256(forge.header({ alg: 'HS256' }), forge.claims(), forge.kid),
  'HS256 under nothing': (forge) => hs256(forge.header({ alg: 'HS256', kid: '../../../../dev/null' }), forge.claims(), ''),

  'another key with the same kid': (forge) => forge.resigned(forge.claims()),
  'another key with a kid of its own': (forge) => forge.resigned(forge.claims(), forge.header({ kid: 'other' })),
  'another key in jwk': (forge) => forge.resigned(forge.claims(), forge.header({ jwk: forge.foreignJwk })),
  'another key in jwk, without a kid': (forge) => forge.resigned(forge.claims(), { alg: 'ES256', typ: 'at+jwt', jwk: forge.foreignJwk }),
  'another key by jku': (forge) => forge.resigned(forge.claims(), forge.header({ jku: 'http://127.0.0.1:1/jwks.json' })),
  'another key by x5u': (forge) => forge.resigned(forge.claims(), forge.header({ x5u: 'file:///etc/ssl/cert.pem' })),
  'another key in x5c': (forge) => forge.resigned(forge.claims(), forge.header({ x5c: ['AAAA'] })),
  ...Object.fromEntries(
    [undefined, null, '', 'unknown', '../../../../etc/passwd', "' OR 1=1 --", '\0', '\u00e9\u{1f511}', 7, [], ['x'], {}, '__proto__', 'k'.repeat(5_000)].map(
      (kid) => [`the kid ${JSON.stringify(kid)?.slice(0, 30)}`, (forge: TokenForge) => forge.signed(forge.claims(), forge.header({ kid }))],
    ),
  ),
  'an extension that it must understand': (forge) => forge.signed(forge.claims(), forge.header({ crit: ['urn:x'], 'urn:x': true })),
  'an empty list of extensions': (forge) => forge.signed(forge.claims(), forge.header({ crit: [] })),
  'an unencoded payload': (forge) => forge.signed(forge.claims(), forge.header({ crit: ['b64'], b64: false })),
  ...Object.fromEntries(
    [undefined, null, 'JWT', 'rt+jwt', 'dpop+jwt', 'at', 7, ['at+jwt']].map((typ) => [
      `the typ ${JSON.stringify(typ)}`, (forge: TokenForge) => forge.signed(forge.claims(), forge.header({ typ })),
    ]),
  ),
  'a header that is no object': (forge) => forge.signed(forge.claims(), [forge.header()]),
  'a header that is no JSON': (forge) => forge.signed(forge.claims(), '{"alg":"ES256"'),
  'a header that is no UTF-8': (forge) => forge.signed(forge.claims(), Buffer.from([0x7b, 0xff, 0x7d])),

  ...Object.fromEntries(
    [[], [1], 'null', '"text"', '1', '', '{', '[{}]', Buffer.from([0xff, 0xfe]), {}].map((payload) => [
      `the payload ${JSON.stringify(payload)}`, (forge: TokenForge) => forge.signed(payload),
    ]),
  ),
  ...Object.fromEntries(
    Object.entries({
      iss: [undefined, 'other', '', 'MY-SHOP', ['my-shop'], null],
      aud: [undefined, 'other', '', [], ['other'], 7],
      exp: [undefined, null, 0, -1, 'tomorrow', '99999999999', true],
      iat: [undefined, null, 'now', true],
      sub: [undefined, null, '', 7, 'admin', '../x', [], {}, "' OR 1=1 --", 'x'.repeat(4_000)],
      jti: [undefined, null, 7, []],
      sid: ['', 'x', '../x', '00000000-0000-0000-0000-00000000000g'],
      tenantId: [undefined, null, '', 'globex', 'ACME', 'acme ', 7, ['acme']],
    }).flatMap(([claim, values]) =>
      values.map((value: unknown) => [
        `the ${claim} ${JSON.stringify(value)?.slice(0, 40)}`, (forge: TokenForge) => forge.signed(forge.claims({ [claim]: value })),
      ]),
    ),
  ),
  'an end that is now': (forge) => forge.signed(forge.claims({ exp: forge.claims()['iat'] })),
  'an issue to come': (forge) => forge.signed(forge.claims({ iat: Number(forge.claims()['iat']) + 60 })),
  'a use to come': (forge) => forge.signed(forge.claims({ nbf: Number(forge.claims()['iat']) + 60 })),
  'the subject in capitals': (forge) => forge.signed(forge.claims({ sub: String(forge.claims()['sub']).toUpperCase() })),
  '12,000 bytes, well signed': (forge) => forge.signed(forge.claims({ x: 'x'.repeat(8_600) })),
};
const FORGED = Object.entries(FORGERIES);

/** Authorization headers that hold no Bearer credential at all. */
const NO_BEARER: Record<string, (good: string) => string[]> = {
  'no header': () => [],
  'an empty header': () => ['Authorization: '],
  'Basic': () => ['Authorization: Basic YWxpY2U6c2VjcmV0'],
  'the token without a scheme': (good) => [`Authorization: ${good}`],
  'a scheme that begins like it': (good) => [`Authorization: Bearers ${good}`],
  'a scheme that ends like it': (good) => [`Authorization: TokenBearer ${good}`],
  'a colon after the scheme': (good) => [`Authorization: Bearer: ${good}`],
  'a tab after the scheme': (good) => [`Authorization: Bearer\t${good}`],
  'bytes that are no ASCII': () => ['Authorization: \xff\xe9'],
  'other headers': (good) => [`Proxy-Authorization: Bearer ${good}`, `X-Access-Token: ${good}`, `Cookie: access_token=${good}; Authorization=Bearer ${good}`],
  'an API key, which is switched off': () => ['X-Api-Key: \xff'],
};

/** Headers of which no token can be made out. */
const BAD_HEADERS: Record<string, (good: string) => string[]> = {
  'the scheme alone': () => ['Authorization: Bearer'],
  'the scheme and blanks': () => ['Authorization: Bearer    '],
  'a byte that is no ASCII before it': (good) => [`Authorization: Bearer \xff${good}`],
  'a byte that is no ASCII after it': (good) => [`Authorization: Bearer ${good}\xe9`],
  'a byte that is no ASCII in the signature': (good) => [`Authorization: Bearer ${good.slice(0, -9)}\xe9${good.slice(-9)}`],
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

describe.each(DEPLOYMENTS)('$engine over $transport', (kind) => {
  let deployment: Deployment;
  let rest: RestClient;
  let account: Account;
  let session: SeededSession;
  let forge: TokenForge;

  beforeAll(async () => {
    deployment = await deploy(kind);
    rest = restClient(deployment.url);
    account = await seedAccount(deployment.database);
    session = await seedSession(deployment, account);
    forge = await tokenForge(deployment, account, session.id);
  });
  // Hundreds of refusals later the session is what it was.
  afterAll(async () => {
    expect((await rest.me(session.accessToken)).status).toBe(200);
    expect((await rest.refresh(session.cookie)).status).toBe(200);
    await deployment.close();
  });

  const get = (lines: string[], target = ME) => sendRaw(deployment.url, rawRequest(`GET ${target} HTTP/1.1`, lines));
  const logout = (lines: string[]) =>
    sendRaw(deployment.url, rawRequest(`POST ${LOGOUT} HTTP/1.1`, [...lines, `Cookie: ${session.cookie}`]));

  async function expectRefused(lines: string[], detail: string): Promise<void> {
    const [me, out] = await Promise.all([get(lines), detail === MISSING ? undefined : logout(lines)]);
    for (const [answer, instance] of [[me, ME], [out, LOGOUT]] as const) {
      if (!answer) continue;
      expect(answer).toEqual(problem(401, 'unauthorized', instance, detail));
      expect(answer.headers.get('www-authenticate')).toMatch(/^Bearer/);
      expect(answer.headers.getSetCookie()).toEqual([]);
      expect(leaksOf(answer.text, [session.accessToken.split('.')[2]!, session.cookie.split('=')[1]!])).toEqual([]);
    }
  }

  it('knows how to make a good token, so that the bad ones are bad for one reason', async () => {
    const token = forge.signed(forge.claims());
    expect((await rest.me(token)).body.id).toBe(account.id);
    for (const claims of [{ aud: ['other', 'my-shop'] }, { roles: [] }, { email: 'x' }, { extra: { a: 1 } }]) {
      expect((await rest.me(forge.signed(forge.claims(claims)))).status).toBe(200);
    }
  });

  it.each(FORGED)('401: %s', async (_what, make) => {
    const good = forge.signed(forge.claims());
    await expectRefused([`Authorization: Bearer ${make(forge, good)}`], INVALID);
  });

  it.each(FORGED)('401, also where the good token was seen before: %s', async (_what, make) => {
    expect((await rest.me(session.accessToken)).status).toBe(200);
    await expectRefused([`Authorization: Bearer ${make(forge, session.accessToken)}`], INVALID);
  });

  it.each(Object.entries(BAD_HEADERS))('401: %s', async (_what, lines) => {
    await expectRefused(lines(session.accessToken), INVALID);
  });

  it.each(Object.entries(NO_BEARER))('401: %s', async (_what, lines) => {
    await expectRefused(lines(session.accessToken), MISSING);
  });

  it('401: the token in the query', async () => {
    const answer = await get([], `${ME}?access_token=${session.accessToken}&Authorization=Bearer%20${session.accessToken}`);
    expect(answer).toEqual(problem(401, 'unauthorized', ME, MISSING));
  });

  it('401: an account that does not exist', async () => {
    await expectRefused([`Authorization: Bearer ${forge.signed(forge.claims({ sub: randomUUID() }))}`], UNKNOWN);
  });

  it('200: blanks around the token are no part of it', async () => {
    expect((await get([`Authorization:   Bearer   ${session.accessToken}  `])).status).toBe(200);
  });

  it('200: an API key beside it is ignored while keys are switched off', async () => {
    expect((await get([`Authorization: Bearer ${session.accessToken}`, 'X-Api-Key: \xff', 'X-Api-Key: x'])).status).toBe(200);
  });

  it('ends with the session, however it is written', async () => {
    const own = await seedSession(deployment, account);
    const ownForge = await tokenForge(deployment, account, own.id);
    const second = ownForge.signed(ownForge.claims());
    expect((await rest.me(second)).status).toBe(200);
    expect((await rest.logout({ accessToken: own.accessToken })).status).toBe(200);
    for (const token of [own.accessToken, second, otherSpelling(second), ownForge.signed(ownForge.claims({ extra: 1 }))]) {
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
    const answers = [await rest.me(session.accessToken), await rest.logout(session)];
    for (const [index, instance] of [ME, LOGOUT].entries()) {
      const { body } = answers[index]!;
      expect(answers[index]).toEqual(problem(401, 'unauthorized', instance, detail));
      const members = ['type', 'title', 'status', 'detail', 'errorCode', 'instance'];
      const diagnostics = ['exceptionType', 'exceptionMessage', 'stackTrace'];
      expect(Object.keys(body)).toEqual(mode === 'maximal' ? [...members, ...diagnostics] : members);
    }
  });
});

function part(value: unknown): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}
