// app.public-url: accepted values, the default of DEV, the issuer, and the rules about context path and https.
import { describe, expect, it } from 'vitest';
import { consoleUrl } from '../../gateway/pages/pages.ts';
import { ConfigurationError, loadSettings, type Problem, type Role } from '../../src/platform/config/load.ts';

const KEY = Buffer.alloc(32, 7).toString('base64');
const PRODUCTION = ['--app.env=PROD', '--app.database.url=sqlite:a.db', `--app.security.key-encryption-key=${KEY}`];
const NAME = 'app.public-url';

const load = (argv: readonly string[], role: Role = 'all') =>
  loadSettings({ argv, env: {}, cwd: '/nowhere', role }).settings;

function problems(argv: readonly string[], role: Role = 'all'): readonly Problem[] {
  try {
    load(argv, role);
    return [];
  } catch (error) {
    if (error instanceof ConfigurationError) return error.problems;
    throw error;
  }
}

describe('values', () => {
  it.each([
    ['https://auth.example.com', 'any'],
    ['https://auth.example.com:8443', 'any'],
    ['http://127.0.0.1:8080', 'any'],
    ['http://[::1]:8080', 'any'],
    ['https://xn--bcher-kva.example', 'any'],
    ['https://example.com/shop', '/shop'],
    ['https://example.com/Eu/shop.v1', '/Eu/shop.v1'],
  ])('%s is accepted with the context path %s', (url, contextPath) => {
    const argv = ['--app.env=TEST', `--${NAME}=${url}`, `--app.http.context-path=${contextPath}`];
    expect(load(argv)).toMatchObject({ [NAME]: url, 'app.security.jwt.issuer': url });
  });

  it.each([
    'https://auth.example.com/',
    'https://example.com/shop/',
    'https://Auth.example.com',
    'HTTPS://auth.example.com',
    'https://auth.example.com:443',
    'http://auth.example.com:80',
    'https://auth.example.com?a=1',
    'https://auth.example.com/#a',
    'https://user@auth.example.com',
    'https://user:password@auth.example.com',
    'https://*.example.com',
    'https://bücher.example',
    'https://',
    'https:///shop',
    'https://example.com/shop//a',
    'https://example.com/../shop',
    'https://example.com/a b',
    'https://example.com/%2e',
    'https://example.com\\shop',
    ' https://example.com',
    'ftp://example.com',
    'auth.example.com',
    'javascript:alert(1)',
    `https://example.com/${'a'.repeat(255)}`,
  ])('%s is rejected', (url) => {
    expect(problems(['--app.env=TEST', `--${NAME}=${url}`])).toEqual([
      expect.objectContaining({ name: NAME, message: expect.stringContaining('such as `https://auth.example.com`') }),
    ]);
  });
});

describe('the default of DEV', () => {
  it.each([
    [[], 'http://localhost:8080'],
    [['--app.http.port=80'], 'http://localhost'],
    [['--app.http.port=3000', '--app.http.host=0.0.0.0'], 'http://localhost:3000'],
    [['--app.http.context-path=/shop'], 'http://localhost:8080/shop'],
    [['--app.http.port=0'], undefined],
    [[`--${NAME}=none`], undefined],
    [[`--${NAME}=http://shop.test`], 'http://shop.test'],
  ])('with %j is %s', (argv, url) => {
    const settings = load(['--app.env=DEV', '--app.name=my-shop', ...argv]);
    expect(settings).toMatchObject({ [NAME]: url, 'app.security.jwt.issuer': url ?? 'my-shop' });
  });

  it.each<Role>(['all', 'core', 'gateway', 'command'])('is the same in the role %s', (role) => {
    expect(load(['--app.env=DEV'], role)[NAME]).toBe('http://localhost:8080');
  });
});

describe('the pages and the console', () => {
  const HTTPS = `--${NAME}=https://auth.example.com`;
  it.each<[argv: readonly string[], isServed: boolean, console: string | undefined]>([
    [[HTTPS], true, 'https://auth.example.com/console'],
    [[HTTPS, '--app.http.pages=false'], false, undefined],
    [[HTTPS, '--app.security.auth-profile=B'], true, undefined],
    [[], false, undefined],
    [[`--${NAME}=http://localhost:8080`], true, 'http://localhost:8080/console'],
    [[`--${NAME}=http://localhost:8080`, '--app.oauth.enabled=false'], false, undefined],
    [['--app.env=TEST', '--app.http.pages=true'], true, 'http://127.0.0.1:1/console'],
    [['--app.env=DEV'], true, 'http://localhost:8080/console'],
    [
      ['--app.env=TEST', '--app.http.pages=true', '--app.http.context-path=/shop'],
      true,
      'http://127.0.0.1:1/shop/console',
    ],
  ])('with %j: served is %s, the console is at %s', (argv, isServed, url) => {
    const settings = load([...PRODUCTION, ...argv]);
    expect(settings['app.http.pages']).toBe(isServed);
    expect(consoleUrl(settings, 'http://127.0.0.1:1')).toBe(url);
  });
});

it('a configured issuer wins', () => {
  const argv = ['--app.env=TEST', `--${NAME}=https://auth.example.com`, '--app.security.jwt.issuer=my-shop'];
  expect(load(argv)['app.security.jwt.issuer']).toBe('my-shop');
});

describe('the path', () => {
  it.each([
    ['https://example.com/shop', 'any', 'without a path, such as `https://auth.example.com`'],
    ['https://example.com', '/shop', 'such as `https://auth.example.com/shop`'],
    ['https://example.com/shop/eu', '/shop', 'such as `https://auth.example.com/shop`'],
    ['https://example.com/Shop', '/shop', 'such as `https://auth.example.com/shop`'],
  ])('%s with the context path %s stops a gateway', (url, contextPath, remedy) => {
    const argv = [...PRODUCTION, `--${NAME}=${url}`, `--app.http.context-path=${contextPath}`];
    for (const role of ['all', 'gateway'] as const) {
      expect(problems(argv, role)).toEqual([
        { name: NAME, source: `flag --${NAME}`, message: expect.stringContaining(remedy) },
      ]);
    }
  });

  it('is not checked by a core, which does not know the context path', () => {
    expect(problems([...PRODUCTION, `--${NAME}=https://example.com/shop`], 'core')).toEqual([]);
  });
});

describe('https', () => {
  it.each([
    ['http://auth.example.com', 'PROD', false],
    ['http://127.0.0.1:8080', 'PROD', false],
    ['http://localhost.example.com', 'PROD', false],
    ['http://localhost', 'PROD', true],
    ['http://localhost:8080', 'PROD', true],
    ['https://auth.example.com', 'PROD', true],
    ['http://auth.example.com', 'TEST', true],
    ['http://192.168.1.5:8080', 'DEV', true],
  ])('%s in %s: accepted %s', (url, env, accepted) => {
    for (const role of ['all', 'core', 'gateway'] as const) {
      const found = problems([...PRODUCTION, `--app.env=${env}`, `--${NAME}=${url}`], role);
      expect(found.map(({ name, message }) => [name, message])).toEqual(
        accepted ? [] : [[NAME, expect.stringMatching(/^must be https with app\.env=PROD, except on localhost/)]],
      );
    }
  });
});
