// Invalid logins in Profile A: the exact error, no cookie, no counted failure, and the service continues.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Account } from '../../../src/auth/access/account.ts';
import { PASSWORD, seedAccount } from '../../support/accounts.ts';
import { deploy, ON_SQLITE, type Deployment } from '../../support/deployment.ts';
import { expectQuiet } from '../../support/leaks.ts';
import { problem } from '../../support/problems.ts';
import { rawRequest, sendRaw } from '../../support/raw-http.ts';
import { restClient, type RestClient } from '../../support/rest-client.ts';
import { rememberPasswords } from '../../support/argon2.ts';

rememberPasswords();

const LOGIN = '/api/v1/auth/login';
const COOKIE = 'MY_SHOP_REFRESH';
const JSON_TYPE = { 'content-type': 'application/json' };

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
  ['a duplicate key in an ignored member', pair(',"x":{"y":[{"z":1,"z":2}]}')],
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

describe.each(ON_SQLITE)('$engine over $transport', (kind) => {
  let deployment: Deployment;
  let rest: RestClient;
  let account: Account;

  beforeAll(async () => {
    deployment = await deploy(kind);
    rest = restClient(deployment.url);
    account = await seedAccount(deployment.database);
  });
  afterAll(() => deployment?.close());

  describe('login', () => {
    const post = (body: string | Buffer, headers: Record<string, string>) =>
      rest.send('POST', LOGIN, { body, headers });

    // Whatever came before: the service answers, and nothing has counted against the account.
    afterAll(async () => {
      expect((await rest.login({ username: account.username, password: PASSWORD })).status).toBe(200);
    });

    it.each(MISSING)('returns 400: %s', async (_what, body, violations) => {
      const response = await rest.login(body);
      expect(response).toEqual(problem(400, 'validation-error', LOGIN, 'Missing login credentials'));
      expect(response.body.violations).toEqual(violations);
      expectQuiet(response);
    });

    it('returns 400 without a body and a type', async () => {
      const response = await rest.send('POST', `${LOGIN}?username=${account.username}&password=secret-of-the-query`);
      expect(response).toEqual(problem(400, 'validation-error', LOGIN, 'Missing login credentials'));
      expectQuiet(response, 'secret-of-the-query');
    });

    it.each(['true', '', 'no', 0, 1, null, [], {}])('returns 400 for rememberMe %j', async (rememberMe) => {
      const response = await rest.login({ username: account.username, password: PASSWORD, rememberMe });
      expect(response).toEqual(problem(400, 'validation-error', LOGIN));
      expect(response.body.violations).toEqual([
        { message: expect.any(String), format: 'type', props: ['rememberMe'], params: { type: 'boolean' } },
      ]);
      expectQuiet(response);
    });

    it('returns 400 for missing credentials and an invalid rememberMe, both listed', async () => {
      const response = await rest.login({ username: 1, password: PASSWORD, rememberMe: 'yes' });
      expect(response).toEqual(problem(400, 'validation-error', LOGIN, 'Missing login credentials'));
      expect(response.body.violations).toEqual(
        expect.arrayContaining([violation('type', 'username'), violation('type', 'rememberMe')]),
      );
    });

    it.each(MALFORMED)('returns 400: %s', async (_what, body) => {
      const response = await post(body, JSON_TYPE);
      expect(response).toEqual(
        problem(400, 'validation-error', LOGIN, expect.stringMatching(/^Malformed JSON: [a-zA-Z0-9 -]+$/)),
      );
      expect(response.body).not.toHaveProperty('violations');
      expectQuiet(response);
    });

    it.each(MEDIA_TYPES)('returns 415: %s', async (type) => {
      const response = await post(JSON.stringify({ username: account.username, password: PASSWORD }), {
        'content-type': type,
      });
      expect(response).toEqual(problem(415, 'unsupported-media-type', LOGIN));
      expectQuiet(response);
    });

    it.each([
      ['no type', []],
      ['an empty type', ['Content-Type: ']],
      ['a type of bytes', ['Content-Type: \xff\xfe;;=']],
      ['a compressed body', ['Content-Type: application/json', 'Content-Encoding: gzip']],
      ['a body of an unknown coding', ['Content-Type: application/json', 'Content-Encoding: \xff']],
    ])('returns 415: %s', async (_what, lines) => {
      const response = await sendRaw(deployment.url, rawRequest(`POST ${LOGIN} HTTP/1.1`, lines, pair('')));
      expect(response).toEqual(problem(415, 'unsupported-media-type', LOGIN));
      expectQuiet(response);
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
    ])('returns 401 for a username with %s', async (_what, change) => {
      const response = await rest.login({ username: change(account.username), password: PASSWORD });
      expect(response).toEqual(problem(401, 'account-not-found', LOGIN));
      expectQuiet(response);
    });

    it.each([
      ['a NUL after it', `${PASSWORD}\0`],
      ['a NUL and more', `${PASSWORD}\0more`],
      ['a NUL alone', '\0'],
      ['1,024 surrogate pairs', '\u{1f511}'.repeat(1024)],
    ])('returns 401 for a password with %s', async (_what, password) => {
      const { username } = await seedAccount(deployment.database);
      const response = await rest.login({ username, password });
      expect(response).toEqual(problem(401, 'bad-credentials', LOGIN));
      expectQuiet(response);
    });

    it('returns 200 and ignores unrelated headers', async () => {
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
});
