// Invalid refresh tokens in Profile A: one error, no change of the cookie, no ended session, and the service continues.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Account } from '../../../src/auth/access/account.ts';
import { createOpaqueRefreshTokens } from '../../../src/auth/session/transport/cookie-transport.ts';
import { seedAccount } from '../../support/accounts.ts';
import { deploy, ON_SQLITE, type Deployment } from '../../support/deployment.ts';
import { otherSpelling } from '../../support/forged-tokens.ts';
import { expectQuiet } from '../../support/leaks.ts';
import { problem } from '../../support/problems.ts';
import { rawRequest, sendRaw } from '../../support/raw-http.ts';
import { restClient, type RestClient } from '../../support/rest-client.ts';
import { seedSession, type SeededSession } from '../../support/sessions.ts';

const REFRESH = '/api/v1/auth/refresh';
const LOGOUT = '/api/v1/auth/logout';
const COOKIE = 'MY_SHOP_REFRESH';
const OTHER_ORIGIN = 'https://shop.test';
const JSON_TYPE = { 'content-type': 'application/json' };
const FOREIGN = createOpaqueRefreshTokens(Buffer.alloc(32, 9));
/** Other hosts of the site can set so many cookies. */
const GARBAGE = Array.from({ length: 700 }, (_, index) => `${COOKIE}=${index}`).join('; ');
const foreign = () => `${COOKIE}=${FOREIGN.issue(1).value}`;

describe.each(ON_SQLITE)('refresh: $engine over $transport', (kind) => {
  let deployment: Deployment;
  let rest: RestClient;
  let account: Account;
  let session: SeededSession;
  let other: SeededSession;
  let value: string;

  beforeAll(async () => {
    const settings = {
      'app.http.cors.allowed-origins': OTHER_ORIGIN,
      'app.security.refresh-session.legacy-fallbacks': 'false',
    };
    deployment = await deploy({ ...kind, settings });
    rest = restClient(deployment.url);
    account = await seedAccount(deployment.database);
    session = await seedSession(deployment, account);
    other = await seedSession(deployment, account);
    value = session.cookie.slice(COOKIE.length + 1);
  });
  // None of it was a use of the sessions, let alone their end.
  afterAll(async () => {
    for (const { accessToken, cookie } of [session, other]) {
      expect((await rest.me(accessToken)).status).toBe(200);
      expect((await rest.refresh(cookie)).status).toBe(200);
    }
    await deployment.close();
  });

  const part = (index: number, change: (text: string) => string) => (whole: string) =>
    `${COOKIE}=${whole
      .split('.')
      .map((text, at) => (at === index ? change(text) : text))
      .join('.')}`;
  const flipped = (text: string) => `${text.startsWith('A') ? 'B' : 'A'}${text.slice(1)}`;

  it.each<[what: string, cookie: (value: string) => string | undefined]>([
    ['no cookie', () => undefined],
    ['another cookie', () => 'session=abc'],
    ['an empty value', () => `${COOKIE}=`],
    ['no value', () => COOKIE],
    ['garbage', () => `${COOKIE}=garbage`],
    ['dots', () => `${COOKIE}=...`],
    ['10,000 characters', () => `${COOKIE}=${'a'.repeat(10_000)}`],
    ['garbage twice', () => `${COOKIE}=garbage; ${COOKIE}=other`],
    ['two values of another deployment', () => `${foreign()}; ${foreign()}`],
    ['the name in lower case', (whole) => `${COOKIE.toLowerCase()}=${whole}`],
    ['a longer name', (whole) => `X_${COOKIE}=${whole}`],
    ['the name of another application', (whole) => `SERVICE_REFRESH=${whole}`],
    ['the name in the value', (whole) => `a=${COOKIE}=${whole}`],
    ['the value in quotes', (whole) => `${COOKIE}="${whole}"`],
    ['the value percent-encoded', (whole) => `${COOKIE}=${whole.replaceAll('.', '%2E')}`],
    ['a blank in the value', (whole) => `${COOKIE}=${whole.replace('.', ' .')}`],
    ['a comma after the value', (whole) => `${COOKIE}=${whole},`],
    ['two values in one', (whole) => `${COOKIE}=${whole},${whole}`],
    ['padding', (whole) => `${COOKIE}=${whole}=`],
    ['one character more', (whole) => `${COOKIE}=${whole}A`],
    ['one part more', (whole) => `${COOKIE}=${whole}.A`],
    ['one character less', (whole) => `${COOKIE}=${whole.slice(0, -1)}`],
    ['the first character less', (whole) => `${COOKIE}=${whole.slice(1)}`],
    ['no tag', (whole) => `${COOKIE}=${whole.slice(0, whole.lastIndexOf('.'))}`],
    ['another case', (whole) => `${COOKIE}=${whole.toUpperCase()}`],
    ['another selector', part(0, flipped)],
    ['another generation', part(1, (text) => String(Number(text) + 1))],
    ['an earlier generation', part(1, () => '0')],
    ['a generation with a zero before it', part(1, (text) => `0${text}`)],
    ['a generation beyond all integers', part(1, () => '9'.repeat(30))],
    ['a verifier that was never issued', part(2, flipped)],
    ['another tag', part(3, flipped)],
    ['another spelling of the same selector', part(0, otherSpelling)],
    ['another spelling of the same verifier', part(2, otherSpelling)],
    ['another spelling of the same tag', part(3, otherSpelling)],
    ['a credential of another deployment', foreign],
    [
      'a credential of another deployment for this session',
      (whole) => `${COOKIE}=${FOREIGN.issue(1, Buffer.from(whole.split('.')[0]!, 'base64url')).value}`,
    ],
  ])('returns 401: %s', async (_what, cookie) => {
    const response = await rest.refresh(cookie(value));
    expect(response).toEqual(problem(401, 'refresh-session-invalid', REFRESH));
    expectQuiet(response, value, ...value.split('.').filter((text) => text.length > 9));
  });

  it.each<[what: string, lines: () => string[]]>([
    ['the cookies of two sessions', () => [`Cookie: ${session.cookie}; ${other.cookie}`]],
    ['the cookies of two sessions in two headers', () => [`Cookie: ${session.cookie}`, `Cookie: ${other.cookie}`]],
    ['the cookies of two sessions and garbage', () => [`Cookie: ${other.cookie}; ${COOKIE}=x; ${session.cookie}`]],
    ['bytes that are no ASCII', () => [`Cookie: ${session.cookie}\xff`]],
    ['a tab', () => [`Cookie: ${session.cookie.replace('.', '\t.')}`]],
    ['the access token as a cookie', () => [`Cookie: ${COOKIE}=${session.accessToken}`]],
    ['the access token as a bearer', () => [`Authorization: Bearer ${session.accessToken}`]],
    ['the value as a bearer', () => [`Authorization: Bearer ${value}`]],
    ['the value in X-Refresh-Token', () => [`X-Refresh-Token: ${value}`]],
    ['more X-Refresh-Tokens than the core accepts', () => Array<string>(12).fill(`X-Refresh-Token: ${value}`)],
    [
      'a bad cookie beside a good header',
      () => [`Cookie: ${COOKIE}=x`, `X-Refresh-Token: ${value}`, `Authorization: Bearer ${value}`],
    ],
    ['a foreign origin', () => [`Cookie: ${session.cookie}`, 'Origin: https://evil.test']],
    ['the origin null', () => [`Cookie: ${session.cookie}`, 'Origin: null']],
    ['an empty origin', () => [`Cookie: ${session.cookie}`, 'Origin: ']],
    ['an origin of bytes', () => [`Cookie: ${session.cookie}`, 'Origin: \xff']],
    [
      'an origin that begins like a listed one',
      () => [`Cookie: ${session.cookie}`, `Origin: ${OTHER_ORIGIN}.evil.test`],
    ],
    ['a listed origin of another scheme', () => [`Cookie: ${session.cookie}`, 'Origin: http://shop.test']],
    [
      'two origins, one listed',
      () => [`Cookie: ${session.cookie}`, `Origin: ${OTHER_ORIGIN}`, 'Origin: https://evil.test'],
    ],
    ['the own host on another port', () => [`Cookie: ${session.cookie}`, 'Origin: http://service.test:1']],
    [
      'a foreign origin that X-Forwarded-Host calls own',
      () => [`Cookie: ${session.cookie}`, 'Origin: https://evil.test', 'X-Forwarded-Host: evil.test'],
    ],
  ])('returns 401: %s', async (_what, lines) => {
    const response = await sendRaw(deployment.url, rawRequest(`POST ${REFRESH} HTTP/1.1`, lines()));
    expect(response).toEqual(problem(401, 'refresh-session-invalid', REFRESH));
    expectQuiet(response, value, session.accessToken);
  });

  it.each([
    ['400: half an object', JSON_TYPE, '{', 400, 'validation-error'],
    ['400: a doubled key', JSON_TYPE, '{"a":1,"a":2}', 400, 'validation-error'],
    ['415: text', { 'content-type': 'text/plain' }, 'x', 415, 'unsupported-media-type'],
    ['415: a form', { 'content-type': 'application/x-www-form-urlencoded' }, 'a=b', 415, 'unsupported-media-type'],
  ])('%s, and the cookie stays valid', async (_what, headers, body, status, errorCode) => {
    const response = await rest.send('POST', REFRESH, { headers: { ...headers, cookie: session.cookie }, body });
    expect(response).toEqual(problem(status, errorCode, REFRESH));
    expectQuiet(response, value);
  });

  it.each([
    ['its own origin', ['Origin: http://service.test']],
    ['its own origin behind TLS', ['Origin: https://service.test']],
    ['a listed origin', [`Origin: ${OTHER_ORIGIN}`]],
    ['an invalid bearer token', ['Authorization: Bearer x', 'Authorization: \xff']],
    ['a bad X-Refresh-Token', ['X-Refresh-Token: x']],
    ['other cookies', ['Cookie: a=b; c="d"; =; e']],
    ['an empty body of any type', ['Content-Type: image/png', 'Content-Length: 0']],
  ])('returns 200 for the cookie and %s', async (_what, lines) => {
    const own = await seedSession(deployment, account);
    const bytes = rawRequest(`POST ${REFRESH} HTTP/1.1`, [`Cookie: ${own.cookie}`, ...lines]);
    expect((await sendRaw(deployment.url, bytes)).status).toBe(200);
  });

  it.each<[what: string, lines: (cookie: string) => string[]]>([
    ['the same value twice', (cookie) => [`Cookie: ${cookie}; ${cookie}`]],
    ['the same value in two headers', (cookie) => [`Cookie: ${cookie}`, `Cookie: ${cookie}`]],
    ['110 equal values', (cookie) => [`Cookie: ${Array<string>(110).fill(cookie).join('; ')}`]],
    ['as much garbage before it as a header can hold', (cookie) => [`Cookie: ${GARBAGE}; ${cookie}`]],
    ['garbage after it', (cookie) => [`Cookie: ${cookie}; ${COOKIE}=garbage`]],
    ['garbage before it', (cookie) => [`Cookie: ${COOKIE}=garbage; a=b; ${cookie}`]],
    ['an empty value before it', (cookie) => [`Cookie: ${COOKIE}=; ${cookie}`]],
    ['values of another deployment around it', (cookie) => [`Cookie: ${foreign()}; ${cookie}; ${foreign()}`]],
    ['a changed copy before it', (cookie) => [`Cookie: ${cookie.slice(0, -2)}xx; ${cookie}`]],
  ])('returns 200 and the next cookie for the value and %s', async (_what, lines) => {
    const own = await seedSession(deployment, account);
    const bytes = rawRequest(`POST ${REFRESH} HTTP/1.1`, lines(own.cookie));
    const response = await sendRaw(deployment.url, bytes);
    expect(response.status).toBe(200);
    expect(response.headers.get('set-cookie')).not.toContain(own.cookie);
    expect((await rest.me(own.accessToken)).status).toBe(200);
  });

  it('ends the session at a logout whose cookie stands behind garbage', async () => {
    const own = await seedSession(deployment, account);
    const bytes = rawRequest(`POST ${LOGOUT} HTTP/1.1`, [`Cookie: ${GARBAGE}; ${own.cookie}`]);
    expect((await sendRaw(deployment.url, bytes)).status).toBe(200);
    expect((await rest.me(own.accessToken)).status).toBe(401);
  });

  it('ends the session at a replay beside garbage', async () => {
    const own = await seedSession(deployment, account);
    expect((await rest.refresh(own.cookie)).status).toBe(200);
    const replay = await rest.refresh(`${COOKIE}=garbage; ${own.cookie}`);
    expect(replay).toEqual(problem(401, 'refresh-session-invalid', REFRESH));
    expect((await rest.me(own.accessToken)).status).toBe(401);
  });
});
