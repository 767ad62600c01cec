import { resolve } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ConfigurationError, loadSettings } from '../../src/platform/config/load.ts';
import type { LoadInput, Problem } from '../../src/platform/config/load.ts';

const KEY = Buffer.alloc(32, 7).toString('base64');

/** Input with files by name instead of a disk. */
function input(parts: Partial<LoadInput> & { files?: Record<string, string> } = {}): LoadInput {
  const files = new Map(Object.entries(parts.files ?? {}).map(([name, text]) => [resolve('/srv', name), text]));
  const readFile = (path: string): string => {
    const text = files.get(path);
    if (text === undefined) throw Object.assign(new Error('no such file'), { code: 'ENOENT' });
    return text;
  };
  return { argv: [], env: {}, cwd: '/srv', readFile, ...parts };
}

const dev = (parts: Parameters<typeof input>[0] = {}): LoadInput =>
  input({ ...parts, argv: ['--app.env=DEV', ...(parts.argv ?? [])] });

function failure(given: LoadInput): ConfigurationError {
  try {
    loadSettings(given);
  } catch (error) {
    if (error instanceof ConfigurationError) return error;
    throw error;
  }
  throw new Error('the settings were accepted');
}

const problems = (given: LoadInput): readonly Problem[] => failure(given).problems;
const names = (given: LoadInput): string[] => problems(given).map((problem) => problem.name);

describe('defaults', () => {
  it('are those of the contract in DEV', () => {
    const { settings, origins, warnings } = loadSettings(dev());
    const port: number = settings['app.http.port'];
    expect(port).toBe(8080);
    expect(settings).toMatchObject({
      'app.database.url': 'sqlite:data/service.db',
      'app.security.access-token-ttl': 900_000,
      'app.security.refresh-session.idle-window': 2_592_000_000,
      'app.security.refresh-session.cookie-secure': false,
      'app.http.cors.allowed-origins': { origins: [], anyLoopbackPort: true },
      'app.http.docs': true,
      'app.public-url': 'http://localhost:8080',
      'app.security.jwt.issuer': 'http://localhost:8080',
    });
    expect(origins['app.http.port']).toBe('default');
    expect(warnings).toEqual([]);
  });

  it('the issuer is app.name in PROD and TEST', () => {
    for (const env of ['PROD', 'TEST']) {
      const { settings } = loadSettings(input({ argv: [`--app.env=${env}`, '--app.name=my-shop'], role: 'gateway' }));
      expect(settings).toMatchObject({ 'app.public-url': undefined, 'app.security.jwt.issuer': 'my-shop' });
    }
  });

  it.each([
    ['Authservice', []],
    ['Authservice', ['--app.public-url=http://localhost:8080']],
    ['Authservice', ['--app.public-url=https://192.0.2.1']],
    ['auth.example.com', ['--app.public-url=https://auth.example.com']],
    ['my-shop', ['--app.public-url=https://auth.example.com', '--app.name=my-shop']],
    ['My shop', ['--app.brand.name=My shop', '--app.name=my-shop']],
  ])('the name for people is %s with %j', (name, argv) => {
    const { settings } = loadSettings(input({ argv: ['--app.env=TEST', ...argv], role: 'gateway' }));
    expect(settings['app.brand.name']).toBe(name);
  });

  it('follow app.name and app.env', () => {
    const { settings } = loadSettings(input({ argv: ['--app.name=my-shop', '--app.env=PROD'], role: 'gateway' }));
    expect(settings).toMatchObject({
      'app.security.refresh-session.cookie-name': 'MY_SHOP_REFRESH',
      'app.security.refresh-session.cookie-secure': true,
      'app.security.jwt.audience': 'my-shop',
      'app.security.jwt.client-id': 'my-shop',
      'app.http.cors.allowed-origins': { origins: [], anyLoopbackPort: false },
      'app.http.docs': false,
    });
  });
});

describe('sources', () => {
  it('can be nested, flat and mixed', () => {
    const yaml = 'app.name: a\napp:\n  http:\n    port: 81\n    trusted-proxies: [10.0.0.1, "::1"]\n  rpc.port: 82\n';
    const { settings, origins } = loadSettings(dev({ files: { 'application.yaml': yaml } }));
    expect(settings).toMatchObject({ 'app.name': 'a', 'app.http.port': 81, 'app.rpc.port': 82 });
    expect(settings['app.http.trusted-proxies']).toEqual(['10.0.0.1', '::1']);
    expect(origins['app.rpc.port']).toBe('file application.yaml:6');
  });

  it('allow empty files, empty sections and null', () => {
    for (const yaml of ['', '# nothing\n', 'app:\n  http:\n  bootstrap.file: ~\n']) {
      expect(loadSettings(dev({ files: { 'application.yaml': yaml } })).settings['app.bootstrap.file']).toBeUndefined();
    }
  });

  it('expand anchors', () => {
    const yaml = 'app:\n  http: {host: &h 10.0.0.1}\n  rpc: {host: *h}\n';
    expect(loadSettings(dev({ files: { 'application.yaml': yaml } })).settings['app.rpc.host']).toBe('10.0.0.1');
  });

  it.each([[['--config', 'x.yaml']], [['--config=x.yaml']], [['--config=gone.yaml', '--config', '/srv/x.yaml']]])(
    'read the file of %j',
    (argv) => {
      const files = { 'x.yaml': 'app.http.port: 81', 'application.yaml': 'app.http.port: 82' };
      expect(loadSettings(dev({ argv, files })).settings['app.http.port']).toBe(81);
    },
  );

  it('read a value from the file of a _FILE variable, without its last newline', () => {
    const env = { APP_SECURITY_KEY_ENCRYPTION_KEY_FILE: 'key' };
    const { settings, origins } = loadSettings(dev({ env, files: { key: `${KEY}\n` } }));
    expect(settings['app.security.key-encryption-key']).toEqual(Buffer.alloc(32, 7));
    expect(origins['app.security.key-encryption-key']).toBe('environment APP_SECURITY_KEY_ENCRYPTION_KEY_FILE');
  });

  it('override one another: file, environment, flags, the last flag', () => {
    const value = fc.option(fc.integer({ min: 0, max: 65_535 }), { nil: undefined });
    fc.assert(
      fc.property(value, value, fc.array(fc.integer({ min: 0, max: 65_535 }), { maxLength: 3 }), (file, env, flags) => {
        const { settings } = loadSettings(
          dev({
            files: file === undefined ? {} : { 'application.yaml': `app.http.port: ${file}` },
            env: env === undefined ? {} : { APP_HTTP_PORT: String(env) },
            argv: flags.map((flag) => `--app.http.port=${flag}`),
          }),
        );
        expect(settings['app.http.port']).toBe(flags.at(-1) ?? env ?? file ?? 8080);
      }),
    );
  });
});

describe('problems', () => {
  it('are all reported at once, with name, source and accepted values', () => {
    const found = problems(
      dev({
        files: { 'application.yaml': 'app:\n  http:\n    port: x\n  nam: y\n' },
        env: { APP_RPC_PORT: '-1', APP_DATABASE_URL_FILE: 'gone' },
        argv: ['--app.rpc.port=1', '--app.log.level=loud', '--app.http.prt=1'],
      }),
    );
    expect(found).toEqual(
      expect.arrayContaining([
        {
          name: 'app.http.port',
          source: 'file application.yaml:3',
          message: 'not accepted; give an integer from 0 to 65535',
        },
        { name: 'app.nam', source: 'file application.yaml:4', message: 'no such setting; did you mean app.name?' },
        {
          name: 'app.rpc.port',
          source: 'environment APP_RPC_PORT',
          message: 'not accepted; give an integer from 0 to 65535',
        },
        expect.objectContaining({ name: 'app.database.url', source: 'environment APP_DATABASE_URL_FILE' }),
        expect.objectContaining({
          name: 'app.log.level',
          source: 'flag --app.log.level',
          message: expect.stringContaining('`debug`'),
        }),
        { name: '--app.http.prt', source: 'argument 4', message: 'no such flag; did you mean app.http.port?' },
      ]),
    );
    expect(found).toHaveLength(6);
  });

  it.each([
    ['duplicate keys', 'app.name: a\napp.name: b\n', 'file application.yaml:2'],
    ['a key both nested and flat', 'app.name: a\napp:\n  name: b\n', 'file application.yaml:3'],
    ['broken YAML', 'app:\n\tname: a\n', 'file application.yaml:2'],
    ['a list at the top', '- app.name\n', 'file application.yaml:1'],
    ['two documents', 'app.name: a\n---\napp.env: DEV\n', 'file application.yaml:2'],
    ['a map as a value', 'app.name: {a: b}\n', 'file application.yaml:1'],
    ['a list of maps', 'app.http.trusted-proxies: [{a: b}]\n', 'file application.yaml:1'],
    ['an unknown anchor', 'app.name: *a\n', 'file application.yaml:1'],
    ['a key that is no text', '? [a]\n: b\n', 'file application.yaml:1'],
    ['an unknown section', 'spring:\n  name: a\n', 'file application.yaml:2'],
    ['a prototype key', '__proto__: a\n', 'file application.yaml:1'],
  ])('%s in the file', (_, yaml, source) => {
    expect(problems(dev({ files: { 'application.yaml': yaml } }))).toMatchObject([{ source }]);
  });

  it('an alias bomb, within a second of CPU time', () => {
    const levels = Array.from({ length: 12 }, (_, i) => {
      const items = Array.from({ length: 10 }, (_unused, j) => `k${j}: ${i === 0 ? 'x' : `*a${i - 1}`}`);
      return `l${i}: &a${i} {${items.join(', ')}}`;
    });
    const before = process.threadCpuUsage();
    const error = failure(dev({ files: { 'application.yaml': levels.join('\n') } }));
    expect(error.message).toContain('aliases expanded');
    expect(process.threadCpuUsage(before).user / 1_000).toBeLessThan(1_000);
  });

  it('an anchor that contains itself', () => {
    expect(names(dev({ files: { 'application.yaml': 'app: &a {x: *a}' } }))).not.toEqual([]);
  });

  it('a missing file, without reporting its settings as missing', () => {
    expect(names(input({ argv: ['--config=x.yaml'] }))).toEqual(['x.yaml']);
  });

  it.each([
    [['--app.http.port', '80'], ['app.http.port']],
    [['--app.http.port'], ['app.http.port']],
    [['--config'], ['--config']],
    [['--config='], ['--config']],
    [['serve'], ['argument']],
    [['-Dapp.name=x'], ['argument']],
  ])('the arguments %j', (argv, expected) => {
    expect(names(dev({ argv }))).toEqual(expected);
  });

  it('a variable beside its _FILE form', () => {
    const env = { APP_NAME: 'a', APP_NAME_FILE: 'name' };
    expect(problems(dev({ env, files: { name: 'a' } }))).toMatchObject([
      { name: 'app.name', source: 'environment APP_NAME_FILE' },
    ]);
  });

  it.each<[string, Parameters<typeof input>[0]]>([
    ['a flag', { argv: ['--app.security.key-encryption-key=hush', '--app.database.url=pg://u:hush@h/d'] }],
    ['a flag cut off by a blank', { argv: ['--app.security.key-encryption-key', 'hush'] }],
    ['an unknown flag', { argv: ['--app.security.key=hush', '--app.security.key-encryption-key:hush', 'hush'] }],
    ['the environment', { env: { APP_DATABASE_URL: 'mysql://u:hush@h' } }],
    ['a file of the environment', { env: { APP_DATABASE_URL_FILE: 'url' }, files: { url: 'mysql://u:hush@h' } }],
    ['a secret instead of its file', { env: { APP_DATABASE_URL_FILE: 'hush' } }],
    ['the file', { files: { 'application.yaml': 'app.database.url: pg://hush\napp.x: hush\n' } }],
    ['broken YAML', { files: { 'application.yaml': 'app.database.url: "a" "hush"\nhush\n' } }],
  ])('never contain a secret of %s', (_, parts) => {
    expect(failure(dev(parts)).message).not.toContain('hush');
  });
});

describe('unknown variables', () => {
  it('log a warning without their values', () => {
    const { warnings } = loadSettings(dev({ env: { APP_HTTP_PROT: 'hush', APP_SERVICE_HOST: 'x', PATH: '/bin' } }));
    expect(warnings).toHaveLength(2);
    expect(warnings[0]).toContain('APP_HTTP_PROT is not a setting and is ignored; did you mean APP_HTTP_PORT?');
    expect(warnings.join()).not.toContain('hush');
  });
});
