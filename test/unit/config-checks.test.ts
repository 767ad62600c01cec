import { describe, expect, it } from 'vitest';
import { ConfigurationError, loadSettings } from '../../src/platform/config/load.ts';
import type { LoadInput, Problem } from '../../src/platform/config/load.ts';
import { printSettings } from '../../src/platform/config/print.ts';

const KEY = Buffer.alloc(32, 7).toString('base64');

/** Input with at most one file, application.yaml. */
function input(parts: Partial<LoadInput> & { yaml?: string } = {}): LoadInput {
  const readFile = (): string => {
    if (parts.yaml === undefined) throw Object.assign(new Error('no such file'), { code: 'ENOENT' });
    return parts.yaml;
  };
  return { argv: [], env: {}, cwd: '/srv', readFile, ...parts };
}

const dev = (parts: Partial<LoadInput>): LoadInput =>
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

describe('checks across settings', () => {
  const production = ['--app.database.url=sqlite:data/service.db'];
  const env = { APP_SECURITY_KEY_ENCRYPTION_KEY: KEY };
  const minimal = '--app.api.error-disclosure.mode=minimal';

  it.each(['PROD', 'TEST'])('reusable rotation is rejected in %s', (name) => {
    for (const role of ['all', 'core', 'gateway'] as const) {
      const argv = [...production, `--app.env=${name}`, '--app.security.refresh-session.rotation-mode=reusable'];
      const [problem, ...others] = problems(input({ argv, env, role }));
      expect(others).toEqual([]);
      expect(problem!.name).toBe('app.security.refresh-session.rotation-mode');
      expect(problem!.message).toMatch(/app\.env=DEV.*rotation-mode=strict/);
    }
  });

  it('several origins with one cookie name log a warning', () => {
    const warnings = (...argv: string[]) => loadSettings(dev({ argv })).warnings;
    const two = '--app.http.cors.allowed-origins=https://a.test,https://b.test';
    expect(warnings(two)).toEqual([
      expect.stringMatching(/2 origins.*app\.security\.refresh-session\.cookie-per-origin=true/),
    ]);
    expect(warnings('--app.http.cors.allowed-origins=https://a.test')).toEqual([]);
    expect(warnings(two, '--app.security.refresh-session.cookie-per-origin=true')).toEqual([]);
    expect(warnings(two, '--app.security.auth-profile=B')).toEqual([]);
  });

  it('reusable rotation is accepted in DEV', () => {
    const argv = ['--app.security.refresh-session.rotation-mode=reusable'];
    expect(loadSettings(dev({ argv })).settings['app.security.refresh-session.rotation-mode']).toBe('reusable');
  });

  it('PROD requires a key and a database for the core, but not for a gateway', () => {
    const missing = ['app.security.key-encryption-key', 'app.database.url'];
    expect(names(input())).toEqual(missing);
    expect(names(input({ role: 'core' }))).toEqual(missing);
    expect(failure(input()).message).toContain('openssl rand -base64 32');
    expect(loadSettings(input({ role: 'gateway' })).settings['app.env']).toBe('PROD');
    expect(loadSettings(input({ argv: ['--app.gateway.core=dns:///core:50051'] })).settings['app.env']).toBe('PROD');
  });

  it('an unknown parameter of a database URL is reported with all other problems and the accepted values', () => {
    const argv = ['--app.database.url=mysql://u:hush@h/db?tls=true', '--app.http.port=x'];
    const { message, problems: found } = failure(dev({ argv }));
    expect(found.map(({ name }) => name)).toEqual(['app.database.url', 'app.http.port']);
    expect(message).toContain('`ssl-ca`');
    expect(message).not.toContain('hush');
  });

  it('TEST requires neither', () => {
    expect(loadSettings(input({ argv: ['--app.env=TEST'] })).warnings).toEqual([]);
  });

  it('an invalid value is not reported as missing too', () => {
    expect(names(input({ argv: ['--app.env=prod'] }))).toEqual(['app.env']);
    expect(names(input({ argv: [...production, '--app.security.key-encryption-key=x'] }))).toEqual([
      'app.security.key-encryption-key',
    ]);
  });

  it.each([
    [['--app.rpc.tls.cert=c'], ['app.rpc.tls.key']],
    [['--app.rpc.tls.key=k'], ['app.rpc.tls.cert']],
    [['--app.gateway.tls.cert=c'], ['app.gateway.tls.key']],
    [['--app.gateway.tls.key=k'], ['app.gateway.tls.cert']],
    [['--app.rpc.tls.client-ca=a'], ['app.rpc.tls.client-ca']],
    [['--app.rpc.trusted-gateways=gw'], ['app.rpc.trusted-gateways']],
    [
      ['--app.security.refresh-session.cookie-name=__Secure-R', '--app.security.refresh-session.cookie-secure=false'],
      ['app.security.refresh-session.cookie-name'],
    ],
  ])('%j is incomplete', (argv, expected) => {
    expect(names(dev({ argv }))).toEqual(expected);
  });

  it.each([
    [['--app.rpc.trusted-gateways=gw', '--app.rpc.host=unix:/run/x']],
    [['--app.rpc.tls.cert=c', '--app.rpc.tls.key=k', '--app.rpc.tls.client-ca=a', '--app.rpc.trusted-gateways=gw']],
    [['--app.gateway.tls.ca=a']],
  ])('%j is complete', (argv) => {
    expect(loadSettings(dev({ argv })).warnings).toEqual([]);
  });

  describe('gRPC without TLS in PROD', () => {
    it.each([
      ['0.0.0.0', [], true],
      ['::', [], true],
      ['10.0.0.1', [], true],
      ['core.internal', [], true],
      ['localhost.example', [], true],
      ['0.0.0.0', ['--app.rpc.plaintext=true'], false],
      ['0.0.0.0', ['--app.rpc.tls.cert=c', '--app.rpc.tls.key=k'], false],
      ['0.0.0.0', ['--app.rpc.enabled=false'], false],
      ['0.0.0.0', ['--app.gateway.core=dns:///core:50051'], false],
      ['127.0.0.1', [], false],
      ['127.8.8.8', [], false],
      ['::1', [], false],
      ['localhost', [], false],
      ['unix:/run/core.sock', [], false],
    ])('on %s with %j is rejected: %s', (host, argv, refused) => {
      const given = input({ env, argv: [...production, minimal, `--app.rpc.host=${host}`, ...argv] });
      if (refused) expect(names(given)).toEqual(['app.rpc.plaintext']);
      else expect(loadSettings(given).warnings).toEqual([]);
    });

    it('is reported with all other problems and the accepted values', () => {
      const { message, problems: found } = failure(input({ argv: ['--app.rpc.host=0.0.0.0', '--app.http.port=x'] }));
      expect(found.map(({ name }) => name).toSorted()).toEqual([
        'app.database.url',
        'app.http.port',
        'app.rpc.plaintext',
        'app.security.key-encryption-key',
      ]);
      expect(message).toMatch(/app\.rpc\.plaintext: .*app\.rpc\.tls\.cert.*127\.0\.0\.1/);
    });

    it('is not checked in TEST', () => {
      expect(loadSettings(input({ argv: ['--app.env=TEST', '--app.rpc.host=0.0.0.0'] })).warnings).toEqual([]);
    });
  });

  it('core and gateway check only their own settings', () => {
    expect(names(dev({ argv: ['--app.rpc.tls.cert=c'], role: 'core' }))).toEqual(['app.rpc.tls.key']);
    expect(loadSettings(dev({ argv: ['--app.rpc.tls.cert=c'], role: 'gateway' })).warnings).toEqual([]);
    expect(loadSettings(dev({ argv: ['--app.gateway.tls.cert=c'], role: 'core' })).warnings).toEqual([]);
    expect(names(dev({ argv: ['--app.rpc.enabled=false'], role: 'core' }))).toEqual(['app.rpc.enabled']);
  });

  it('PROD logs one warning about maximal disclosure', () => {
    expect(loadSettings(input({ env, argv: production })).warnings).toHaveLength(1);
    expect(loadSettings(input({ env, argv: [...production, minimal] })).warnings).toEqual([]);
  });
});

describe('a wildcard origin', () => {
  it.each(['*', 'https://*.shop.test', 'https://shop.test,*', 'null', 'https://shop.test:*'])(
    '%s stops the start',
    (origin) => {
      const [problem, ...others] = problems(dev({ argv: [`--app.http.cors.allowed-origins=${origin}`] }));
      expect(others).toEqual([]);
      expect(problem).toMatchObject({
        name: 'app.http.cors.allowed-origins',
        message: expect.stringContaining('default port and wildcard'),
      });
    },
  );
});

describe('a cookie name with a browser prefix', () => {
  const named = (name: string, secure: boolean) =>
    dev({
      argv: [
        `--app.security.refresh-session.cookie-name=${name}`,
        `--app.security.refresh-session.cookie-secure=${secure}`,
      ],
    });

  it.each(['__Secure-R', '__secure-R', '__Http-R'])('%s requires Secure', (name) => {
    expect(problems(named(name, false))[0]!.message).toContain('cookie-secure=true');
    expect(loadSettings(named(name, true)).settings['app.security.refresh-session.cookie-name']).toBe(name);
  });

  it.each(['__Host-R', '__host-R', '__Host-Http-R'])('%s is rejected, because it requires Path=/', (name) => {
    expect(problems(named(name, true))[0]!.message).toMatch(/__Host-.*Path=\//);
  });
});

describe('Strict-Transport-Security', () => {
  it('requires a trusted proxy', () => {
    expect(names(dev({ argv: ['--app.http.hsts=365d'] }))).toEqual(['app.http.hsts']);
    const argv = ['--app.http.hsts=365d', '--app.http.trusted-proxies=10.0.0.1'];
    expect(loadSettings(dev({ argv })).settings['app.http.hsts']).toBe(365 * 86_400_000);
  });
});

describe('config print', () => {
  const argv = [
    `--app.security.key-encryption-key=${KEY}`,
    '--app.database.url=mysql://u:hush@h/db',
    '--app.http.host=::',
  ];

  it('masks secrets and prints the sources', () => {
    const text = printSettings(loadSettings(dev({ argv, env: { APP_HTTP_PORT: '81' } })));
    expect(text).not.toContain('hush');
    expect(text).not.toContain(KEY);
    expect(text).toMatch(/^app\.database\.url: mysql:\/\/u:\*{6}@h\/db +# flag --app\.database\.url$/m);
    expect(text).toMatch(/^app\.http\.port: 81 +# environment APP_HTTP_PORT$/m);
  });

  it('prints a file with the same settings except secrets', () => {
    const first = loadSettings(input({ argv: [...argv, '--app.env=TEST', '--app.security.jwt.issuer=a: #b "c"'] }));
    const lines = printSettings(first).split('\n');
    const yaml = lines.filter((line) => !line.includes('******') && !line.startsWith('app.http.cors')).join('\n');
    const again = loadSettings(input({ argv: argv.slice(0, 2), yaml }));
    expect(again.settings).toEqual(first.settings);
  });
});

describe('a problem of a setting without a value', () => {
  const message = (...argv: string[]): string => {
    try {
      loadSettings(input({ argv, role: 'command' }));
    } catch (error) {
      return (error as Error).message;
    }
    return '';
  };

  it('says that the setting is not set, and how to choose DEV if the environment is not set either', () => {
    expect(message()).toMatch(
      /^The configuration has a problem:\n {2}app\.database\.url: must be given .* \(not set\)\napp\.env is not set, so it is PROD\. .*--app\.env=DEV$/,
    );
    expect(message('--app.env=PROD')).toMatch(/\(not set\)$/);
    expect(message('--app.mail.url=smtp://localhost:1', '--app.database.url=sqlite:x')).not.toContain('app.env');
  });
});

it('returns warnings about unsafe settings only for processes that serve', () => {
  const argv = ['--app.env=DEV', '--app.http.host=0.0.0.0'];
  expect(loadSettings(input({ argv })).warnings).toHaveLength(1);
  expect(loadSettings(input({ argv, serves: false })).warnings).toEqual([]);
});
