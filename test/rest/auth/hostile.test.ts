// Bad input to login and refresh: the exact refusal, no cookie touched, no session harmed, and the service goes on.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Account } from '../../../src/identity/account.ts';
import { createRefreshCredentials } from '../../../src/session/refresh-credential.ts';
import { PASSWORD, seedAccount } from '../../support/accounts.ts';
import { deploy, DEPLOYMENTS, type Deployment } from '../../support/deployment.ts';
import { leaksOf } from '../../support/leaks.ts';
import { problem } from '../../support/problems.ts';
import { rawRequest, sendRaw } from '../../support/raw-http.ts';
import { restClient, type Answer, type RestClient } from '../../support/rest-client.ts';
import { seedSession, type SeededSession } from '../../support/sessions.ts';

const LOGIN = '/api/v1/auth/login';
const REFRESH = '/api/v1/auth/refresh';
const COOKIE = 'MY_SHOP_REFRESH';
const OTHER_ORIGIN = 'https://shop.test';
const JSON_TYPE = { 'content-type': 'application/json' };

/** What every refusal of the two has in common: it sets nothing, challenges nobody, is kept by nobody and tells no secret. */
function expectQuiet(answer: Pick<Answer, 'headers' | 'text'>, ...secrets: string[]): void {
  const { headers, text } = answer;
  expect(headers.getSetCookie()).toEqual([]);
  expect(headers.get('www-authenticate')).toBeNull();
  expect(headers.get('cache-control')).toBe('no-store');
  expect(leaksOf(text, secrets)).toEqual([]);
}

const violation = (format: string, ...props: string[]) => ({
  message: expect.any(String),
  format,
  ...(props.length > 0 && { props }),
  ...(format === 'length' ? {} : { params: expect.any(Object) }),
});

const NO_STRINGS = [0, 1.5, true, false, null, [], ['alice@acme.test'], {}, { $ne: null }];
const NO_OBJECTS = ['[]', '[{"username":"a","password":"b"}]', '"text"', '1', '0', 'true', 'false', 'null'];
const LONG = 'a'.repeat(255);

type Bad = [what: string, body: unknown, violations: unknown[]];
const MISSING: Bad[] = [
  ...NO_STRINGS.flatMap((value): Bad[] => [
    [`the username ${JSON.stringify(value)}`, { username: value, password: PASSWORD }, [violation('type', 'username')]],
    [`the password ${JSON.stringify(value)}`, { username: 'a', password: value }, [violation('type', 'password')]],
  ]),
  ...NO_OBJECTS.map((text): Bad => [`the body ${text}`, text, [violation('type')]]),
  ['an empty body', '', [violation('type')]],
  ['an empty object', {}, [violation('required', 'username'), violation('required', 'password')]],
  ['no username', { password: PASSWORD }, [violation('required', 'username')]],
  ['no password', { username: 'a' }, [violation('required', 'password')]],
  [
    'keys of another case',
    { Username: 'a', PASSWORD: 'b' },
    [violation('required', 'username'), violation('required', 'password')],
  ],
  ['two numbers', { username: 1, password: 2 }, [violation('type', 'username'), violation('type', 'password')]],
  ['an empty username', { username: '', password: PASSWORD }, [violation('length', 'username')]],
  ['a blank username', { username: ' \t\n\u00a0\u2003', password: PASSWORD }, [violation('length', 'username')]],
  ['an empty password', { username: 'a', password: '' }, [violation('length', 'password')]],
  [
    'two empty strings',
    { username: '', password: '' },
    [violation('length', 'username'), violation('length', 'password')],
  ],
  ['a username of 255 characters', { username: LONG, password: PASSWORD }, [violation('length', 'username')]],
  [
    'a username that lower case makes too long',
    { username: '\u0130'.repeat(254), password: PASSWORD },
    [violation('length', 'username')],
  ],
  [
    'a username of 60,000 characters',
    { username: 'a'.repeat(60_000), password: PASSWORD },
    [violation('length', 'username')],
  ],
  ['a password of 1,025 characters', { username: 'a', password: 'p'.repeat(1025) }, [violation('length', 'password')]],
  [
    'a password of 1,025 surrogate pairs',
    { username: 'a', password: '\u{1f511}'.repeat(1025) },
    [violation('length', 'password')],
  ],
];

const pair = (rest: string) => `{"username":"a","password":"b"${rest}}`;
const MALFORMED: [what: string, body: string | Buffer][] = [
  ['a doubled key', '{"username":"a","username":"b","password":"c"}'],
  ['a doubled key of one value', '{"username":"a","password":"b","password":"b"}'],
  ['a doubled key, once escaped', '{"username":"a","user\\u006eame":"b","password":"c"}'],
  ['a doubled key, twice escaped', '{"\\u0075sername":"a","userna\\u006De":"b","password":"c"}'],
  ['a doubled key in a member that nobody reads', pair(',"x":{"y":[{"z":1,"z":2}]}')],
  ['a doubled empty key', pair(',"":1,"":2')],
  ['__proto__', pair(',"__proto__":{"rememberMe":true}')],
  ['__proto__ instead of members', '{"__proto__":{"username":"a","password":"b"}}'],
  ['__proto__, escaped', pair(',"\\u005f\\u005fproto__":null')],
  ['__proto__ deep down', pair(',"x":[{"y":{"__proto__":[]}}]')],
  ['constructor', pair(',"constructor":{"prototype":{"admin":true}}')],
  ['constructor deep down, escaped', pair(',"x":[[{"c\\u006fnstructor":1}]]')],
  ['a lone high surrogate', '{"username":"a\\ud800","password":"b"}'],
  ['a lone low surrogate', '{"username":"a","password":"\\udc00b"}'],
  ['surrogates the wrong way round', '{"username":"\\ude00\\ud83d","password":"b"}'],
  ['a lone surrogate in a key', pair(',"\\ud800":1')],
  ['60,000 open arrays', '['.repeat(60_000)],
  ['30,000 nested arrays', `${'['.repeat(30_000)}${']'.repeat(30_000)}`],
  ['10,000 open objects', '{"a":'.repeat(10_000)],
  ['8,000 nested objects in a member', pair(`,"x":${'{"a":'.repeat(8_000)}1${'}'.repeat(8_000)}`)],
  ['white space alone', ' \n\t'],
  ['half an object', '{"username":"a","password":"b"'],
  ['something after the object', `${pair('')}x`],
  ['two objects', `${pair('')}${pair('')}`],
  ['a comma too many', pair(',')],
  ['single quotes', "{'username':'a','password':'b'}"],
  ['a comment', `/* */${pair('')}`],
  ['a number that JSON lacks', pair(',"x":NaN')],
  ['a raw NUL', '{"username":"a\0","password":"b"}'],
  ['a raw line feed in a string', '{"username":"a\n","password":"b"}'],
  ['a byte order mark', Buffer.from(`\ufeff${pair('')}`)],
  ['UTF-16', Buffer.from(`\ufeff${pair('')}`, 'utf16le')],
  ['UTF-16 without a mark', Buffer.from(pair(''), 'utf16le')],
  ['latin1', Buffer.from('{"username":"\xe9","password":"b"}', 'latin1')],
  [
    'a truncated sequence',
    Buffer.from([...Buffer.from('{"username":"'), 0xe2, 0x82, ...Buffer.from('","password":"b"}')]),
  ],
  [
    'an overlong slash',
    Buffer.from([...Buffer.from('{"username":"'), 0xc0, 0xaf, ...Buffer.from('","password":"b"}')]),
  ],
  [
    'an encoded surrogate',
    Buffer.from([...Buffer.from('{"username":"'), 0xed, 0xa0, 0x80, ...Buffer.from('","password":"b"}')]),
  ],
];

const MEDIA_TYPES = [
  'text/plain',
  'text/json',
  'application/xml',
  'application/x-www-form-urlencoded',
  'multipart/form-data; boundary=x',
  'application/jsonx',
  'application/vnd.x+json',
  'application/problem+json',
  'application/json; charset=latin1',
  'application/json; charset=utf-16',
  'application/json;charset="iso-8859-1"',
  'application/octet-stream',
  '*/*',
  'json',
  '/',
  ';',
];

describe.each(DEPLOYMENTS)('$engine over $transport', (kind) => {
  let deployment: Deployment;
  let rest: RestClient;
  let account: Account;

  beforeAll(async () => {
    deployment = await deploy({ ...kind, settings: { 'app.http.cors.allowed-origins': OTHER_ORIGIN } });
    rest = restClient(deployment.url);
    account = await seedAccount(deployment.database);
  });
  afterAll(() => deployment?.close());

  describe('login', () => {
    const post = (body: BodyInit, headers: Record<string, string>) => rest.send('POST', LOGIN, { body, headers });

    // Whatever came before: the service answers, and nothing has counted against the account.
    afterAll(async () => {
      expect((await rest.login({ username: account.username, password: PASSWORD })).status).toBe(200);
    });

    it.each(MISSING)('400: %s', async (_what, body, violations) => {
      const answer = await rest.login(body);
      expect(answer).toEqual(problem(400, 'validation-error', LOGIN, 'Missing login credentials'));
      expect(answer.body.violations).toEqual(violations);
      expectQuiet(answer);
    });

    it('400: neither body nor type', async () => {
      const answer = await rest.send('POST', `${LOGIN}?username=${account.username}&password=secret-of-the-query`);
      expect(answer).toEqual(problem(400, 'validation-error', LOGIN, 'Missing login credentials'));
      expectQuiet(answer, 'secret-of-the-query');
    });

    it.each(['true', '', 'no', 0, 1, null, [], {}])('400: rememberMe %j', async (rememberMe) => {
      const answer = await rest.login({ username: account.username, password: PASSWORD, rememberMe });
      expect(answer).toEqual(problem(400, 'validation-error', LOGIN));
      expect(answer.body.violations).toEqual([
        { message: expect.any(String), format: 'type', props: ['rememberMe'], params: { type: 'boolean' } },
      ]);
      expectQuiet(answer);
    });

    it('400: missing credentials before a bad rememberMe, both named', async () => {
      const answer = await rest.login({ username: 1, password: PASSWORD, rememberMe: 'yes' });
      expect(answer).toEqual(problem(400, 'validation-error', LOGIN, 'Missing login credentials'));
      expect(answer.body.violations).toEqual(
        expect.arrayContaining([violation('type', 'username'), violation('type', 'rememberMe')]),
      );
    });

    it.each(MALFORMED)('400: %s', async (_what, body) => {
      const answer = await post(body, JSON_TYPE);
      expect(answer).toEqual(
        problem(400, 'validation-error', LOGIN, expect.stringMatching(/^Malformed JSON: [a-zA-Z0-9 -]+$/)),
      );
      expect(answer.body).not.toHaveProperty('violations');
      expectQuiet(answer);
    });

    it.each(MEDIA_TYPES)('415: %s', async (type) => {
      const answer = await post(JSON.stringify({ username: account.username, password: PASSWORD }), {
        'content-type': type,
      });
      expect(answer).toEqual(problem(415, 'unsupported-media-type', LOGIN));
      expectQuiet(answer);
    });

    it.each([
      ['no type', []],
      ['an empty type', ['Content-Type: ']],
      ['a type of bytes', ['Content-Type: \xff\xfe;;=']],
      ['a compressed body', ['Content-Type: application/json', 'Content-Encoding: gzip']],
      ['a body of an unknown coding', ['Content-Type: application/json', 'Content-Encoding: \xff']],
    ])('415: %s', async (_what, lines) => {
      const answer = await sendRaw(deployment.url, rawRequest(`POST ${LOGIN} HTTP/1.1`, lines, pair('')));
      expect(answer).toEqual(problem(415, 'unsupported-media-type', LOGIN));
      expectQuiet(answer);
    });

    it.each([
      ['a NUL after it', (name: string) => `${name}\0`],
      ['a NUL before it', (name: string) => `\0${name}`],
      ['an accent', (name: string) => name.replace('user', 'us\u00e9r')],
      ['a combining accent', (name: string) => name.replace('user', 'use\u0301r')],
      ['full-width letters', (name: string) => name.replace('user', '\uff55\uff53\uff45\uff52')],
      ['a zero-width space', (name: string) => `${name}\u200b`],
      ['a blank inside', (name: string) => name.replace('user', 'us er')],
      ['a wildcard', () => 'user-%'],
      ['SQL', (name: string) => `${name}' OR '1'='1`],
      ['254 surrogate pairs', () => '\u{1f33a}'.repeat(254)],
      ['254 characters and blanks around', () => `  ${'a'.repeat(254)}  `],
    ])('401: no account has the username with %s', async (_what, change) => {
      const answer = await rest.login({ username: change(account.username), password: PASSWORD });
      expect(answer).toEqual(problem(401, 'account-not-found', LOGIN));
      expectQuiet(answer);
    });

    it.each([
      ['a NUL after it', `${PASSWORD}\0`],
      ['a NUL and more', `${PASSWORD}\0more`],
      ['a NUL alone', '\0'],
      ['1,024 surrogate pairs', '\u{1f511}'.repeat(1024)],
    ])('401: the password with %s is another one', async (_what, password) => {
      const { username } = await seedAccount(deployment.database);
      const answer = await rest.login({ username, password });
      expect(answer).toEqual(problem(401, 'bad-credentials', LOGIN));
      expectQuiet(answer);
    });

    it('200: headers that mean nothing here change nothing', async () => {
      const body = JSON.stringify({ username: account.username, password: PASSWORD });
      const lines = [
        'Content-Type: application/json',
        'Authorization: Bearer \xff\xe9',
        'Authorization: Basic x',
        'X-Api-Key: \xff',
        'X-Api-Key:',
        `Cookie: ${COOKIE}=\xff; ${COOKIE}=x; =; ;;`,
        'X-Refresh-Token: \xff',
        'Origin: https://evil.test',
        'X-Forwarded-For: \xff',
        'X-HTTP-Method-Override: DELETE',
        'Accept: image/png',
        'TE: \xff',
      ];
      expect((await sendRaw(deployment.url, rawRequest(`POST ${LOGIN} HTTP/1.1`, lines, body))).status).toBe(200);
    });
  });

  describe('refresh', () => {
    let session: SeededSession;
    let value: string;

    beforeAll(async () => {
      session = await seedSession(deployment, account);
      value = session.cookie.slice(COOKIE.length + 1);
    });
    // None of it was a use of the session, let alone its end.
    afterAll(async () => {
      expect((await rest.me(session.accessToken)).status).toBe(200);
      expect((await rest.refresh(session.cookie)).status).toBe(200);
    });

    const part = (index: number, change: (text: string) => string) => (whole: string) =>
      `${COOKIE}=${whole
        .split('.')
        .map((text, at) => (at === index ? change(text) : text))
        .join('.')}`;
    const flipped = (text: string) => `${text.startsWith('A') ? 'B' : 'A'}${text.slice(1)}`;
    const sameBytes = (text: string) => text.slice(0, -1) + BASE64URL[BASE64URL.indexOf(text.at(-1)!) ^ 1]!;

    it.each<[what: string, cookie: (value: string) => string | undefined]>([
      ['no cookie', () => undefined],
      ['another cookie', () => 'session=abc'],
      ['an empty value', () => `${COOKIE}=`],
      ['no value', () => COOKIE],
      ['garbage', () => `${COOKIE}=garbage`],
      ['dots', () => `${COOKIE}=...`],
      ['10,000 characters', () => `${COOKIE}=${'a'.repeat(10_000)}`],
      ['the same value twice', (whole) => `${COOKIE}=${whole}; ${COOKIE}=${whole}`],
      ['the value and garbage', (whole) => `${COOKIE}=${whole}; ${COOKIE}=garbage`],
      ['garbage and the value', (whole) => `${COOKIE}=garbage; a=b; ${COOKIE}=${whole}`],
      ['an empty value and the value', (whole) => `${COOKIE}=; ${COOKIE}=${whole}`],
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
      ['another spelling of the same selector', part(0, sameBytes)],
      ['another spelling of the same verifier', part(2, sameBytes)],
      ['another spelling of the same tag', part(3, sameBytes)],
      ['a credential of another deployment', () => `${COOKIE}=${FOREIGN.issue(1).value}`],
      [
        'a credential of another deployment for this session',
        (whole) => `${COOKIE}=${FOREIGN.issue(1, Buffer.from(whole.split('.')[0]!, 'base64url')).value}`,
      ],
    ])('401: %s', async (_what, cookie) => {
      const answer = await rest.refresh(cookie(value));
      expect(answer).toEqual(problem(401, 'refresh-session-invalid', REFRESH));
      expectQuiet(answer, value, ...value.split('.').filter((text) => text.length > 9));
    });

    it.each<[what: string, lines: () => string[]]>([
      ['two Cookie headers', () => [`Cookie: ${session.cookie}`, `Cookie: ${session.cookie}`]],
      [
        'the cookies of two sessions',
        () => [`Cookie: ${session.cookie}`, `Cookie: ${COOKIE}=${FOREIGN.issue(1).value}`],
      ],
      ['bytes that are no ASCII', () => [`Cookie: ${session.cookie}\xff`]],
      ['a tab', () => [`Cookie: ${session.cookie.replace('.', '\t.')}`]],
      ['the access token as a cookie', () => [`Cookie: ${COOKIE}=${session.accessToken}`]],
      ['the access token as a bearer', () => [`Authorization: Bearer ${session.accessToken}`]],
      ['the value as a bearer', () => [`Authorization: Bearer ${value}`]],
      ['the value in X-Refresh-Token', () => [`X-Refresh-Token: ${value}`]],
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
    ])('401: %s', async (_what, lines) => {
      const answer = await sendRaw(deployment.url, rawRequest(`POST ${REFRESH} HTTP/1.1`, lines()));
      expect(answer).toEqual(problem(401, 'refresh-session-invalid', REFRESH));
      expectQuiet(answer, value, session.accessToken);
    });

    it.each([
      ['400: half an object', JSON_TYPE, '{', 400, 'validation-error'],
      ['400: a doubled key', JSON_TYPE, '{"a":1,"a":2}', 400, 'validation-error'],
      ['415: text', { 'content-type': 'text/plain' }, 'x', 415, 'unsupported-media-type'],
      ['415: a form', { 'content-type': 'application/x-www-form-urlencoded' }, 'a=b', 415, 'unsupported-media-type'],
    ])('%s, and the cookie stays good', async (_what, headers, body, status, errorCode) => {
      const answer = await rest.send('POST', REFRESH, { headers: { ...headers, cookie: session.cookie }, body });
      expect(answer).toEqual(problem(status, errorCode, REFRESH));
      expectQuiet(answer, value);
    });

    it.each([
      ['its own origin', ['Origin: http://service.test']],
      ['its own origin behind TLS', ['Origin: https://service.test']],
      ['a listed origin', [`Origin: ${OTHER_ORIGIN}`]],
      ['a bearer that is none', ['Authorization: Bearer x', 'Authorization: \xff']],
      ['a bad X-Refresh-Token', ['X-Refresh-Token: x']],
      ['other cookies', ['Cookie: a=b; c="d"; =; e']],
      ['an empty body of any type', ['Content-Type: image/png', 'Content-Length: 0']],
    ])('200: the cookie and %s', async (_what, lines) => {
      const own = await seedSession(deployment, account);
      const bytes = rawRequest(`POST ${REFRESH} HTTP/1.1`, [`Cookie: ${own.cookie}`, ...lines]);
      expect((await sendRaw(deployment.url, bytes)).status).toBe(200);
    });
  });
});

const BASE64URL = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
const FOREIGN = createRefreshCredentials(Buffer.alloc(32, 9));
