import { describe, expect, it } from 'vitest';
import { ConfigurationError, loadSettings } from '../../src/config/load.ts';
import type { LoadInput, Problem } from '../../src/config/load.ts';
import { printSettings } from '../../src/config/print.ts';

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

describe('rules that join settings', () => {
  const production = [`--app.security.key-encryption-key=${KEY}`, '--app.database.url=mysql://u:p@h/db'];
  const minimal = '--app.api.error-disclosure.mode=minimal';

  it.each(['PROD', 'TEST'])('reusable rotation is refused in %s', (env) => {
    for (const role of ['all', 'core', 'gateway'] as const) {
      const argv = [...production, `--app.env=${env}`, '--app.security.refresh-session.rotation-mode=reusable'];
      const [problem, ...others] = problems(input({ argv, role }));
      expect(others).toEqual([]);
      expect(problem!.name).toBe('app.security.refresh-session.rotation-mode');
      expect(problem!.message).toMatch(/app\.env=DEV.*rotation-mode=strict/);
    }
  });

  it('reusable rotation is accepted in DEV', () => {
    const argv = ['--app.security.refresh-session.rotation-mode=reusable'];
    expect(loadSettings(dev({ argv })).settings['app.security.refresh-session.rotation-mode']).toBe('reusable');
  });

  it('PROD needs a key and a database of the core, not of a gateway', () => {
    const missing = ['app.security.key-encryption-key', 'app.database.url'];
    expect(names(input())).toEqual(missing);
    expect(names(input({ role: 'core' }))).toEqual(missing);
    expect(failure(input()).message).toContain('openssl rand -base64 32');
    expect(loadSettings(input({ role: 'gateway' })).settings['app.env']).toBe('PROD');
    expect(loadSettings(input({ argv: ['--app.gateway.core=dns:///core:50051'] })).settings['app.env']).toBe('PROD');
  });

  it('a database URL with a parameter that does not exist is told with all the rest, by what would do', () => {
    const argv = ['--app.database.url=mysql://u:hush@h/db?tls=true', '--app.http.port=x'];
    const { message, problems: found } = failure(dev({ argv }));
    expect(found.map(({ name }) => name)).toEqual(['app.database.url', 'app.http.port']);
    expect(message).toContain('`ssl-ca`');
    expect(message).not.toContain('hush');
  });

  it('TEST needs neither', () => {
    expect(loadSettings(input({ argv: ['--app.env=TEST'] })).warnings).toEqual([]);
  });

  it('what is wrong by itself is not called missing too', () => {
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
  ])('%j lacks something', (argv, expected) => {
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
    ])('on %s with %j is refused: %s', (host, argv, refused) => {
      const given = input({ argv: [...production, minimal, `--app.rpc.host=${host}`, ...argv] });
      if (refused) expect(names(given)).toEqual(['app.rpc.plaintext']);
      else expect(loadSettings(given).warnings).toEqual([]);
    });

    it('is told with all the rest, and what would do', () => {
      const { message, problems: found } = failure(input({ argv: ['--app.rpc.host=0.0.0.0', '--app.http.port=x'] }));
      expect(found.map(({ name }) => name).toSorted()).toEqual([
        'app.database.url',
        'app.http.port',
        'app.rpc.plaintext',
        'app.security.key-encryption-key',
      ]);
      expect(message).toMatch(/app\.rpc\.plaintext: .*app\.rpc\.tls\.cert.*127\.0\.0\.1/);
    });

    it.each(['DEV', 'TEST'])("is nobody's business in %s", (env) => {
      expect(loadSettings(input({ argv: [`--app.env=${env}`, '--app.rpc.host=0.0.0.0'] })).warnings).toEqual([]);
    });
  });

  it('each part checks only its own', () => {
    expect(names(dev({ argv: ['--app.rpc.tls.cert=c'], role: 'core' }))).toEqual(['app.rpc.tls.key']);
    expect(loadSettings(dev({ argv: ['--app.rpc.tls.cert=c'], role: 'gateway' })).warnings).toEqual([]);
    expect(loadSettings(dev({ argv: ['--app.gateway.tls.cert=c'], role: 'core' })).warnings).toEqual([]);
    expect(names(dev({ argv: ['--app.rpc.enabled=false'], role: 'core' }))).toEqual(['app.rpc.enabled']);
  });

  it('PROD warns once of maximal disclosure', () => {
    expect(loadSettings(input({ argv: production })).warnings).toHaveLength(1);
    expect(loadSettings(input({ argv: [...production, minimal] })).warnings).toEqual([]);
  });
});

describe('config print', () => {
  const argv = [
    `--app.security.key-encryption-key=${KEY}`,
    '--app.database.url=mysql://u:hush@h/db',
    '--app.http.host=::',
  ];

  it('masks secrets and names the sources', () => {
    const text = printSettings(loadSettings(dev({ argv, env: { APP_HTTP_PORT: '81' } })));
    expect(text).not.toContain('hush');
    expect(text).not.toContain(KEY);
    expect(text).toMatch(/^app\.database\.url: mysql:\/\/u:\*{6}@h\/db +# flag --app\.database\.url$/m);
    expect(text).toMatch(/^app\.http\.port: 81 +# environment APP_HTTP_PORT$/m);
  });

  it('is a file that gives the same settings, secrets apart', () => {
    const first = loadSettings(input({ argv: [...argv, '--app.env=TEST', '--app.security.jwt.issuer=a: #b "c"'] }));
    const lines = printSettings(first).split('\n');
    const yaml = lines.filter((line) => !line.includes('******') && !line.startsWith('app.http.cors')).join('\n');
    const again = loadSettings(input({ argv: argv.slice(0, 2), yaml }));
    expect(again.settings).toEqual(first.settings);
  });
});
