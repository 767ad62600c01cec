// The warnings at the start about accepted but unsafe settings.
import { describe, expect, it } from 'vitest';
import { loadSettings, type LoadInput } from '../../src/platform/config/load.ts';

const KEY = Buffer.alloc(32, 7).toString('base64');

/** Input without a file. */
function input(parts: Partial<LoadInput>): LoadInput {
  const readFile = (): string => {
    throw Object.assign(new Error('no such file'), { code: 'ENOENT' });
  };
  return { argv: [], env: {}, cwd: '/srv', readFile, ...parts };
}

describe('DEV beyond loopback', () => {
  const warningsOf = (...argv: string[]) => loadSettings(input({ argv: ['--app.env=DEV', ...argv] })).warnings;

  it.each(['app.http.host', 'app.rpc.host'])('warns of %s', (name) => {
    expect(warningsOf(`--${name}=0.0.0.0`)).toEqual([
      expect.stringMatching(new RegExp(`^${name}=0\\.0\\.0\\.0 with app\\.env=DEV: other machines can use the demo`)),
    ]);
  });

  it.each([
    ['--app.http.host=localhost'],
    ['--app.http.host=::1'],
    ['--app.rpc.host=unix:/run/a'],
    ['--app.rpc.host=0.0.0.0', '--app.rpc.enabled=false'],
  ])('does not warn of %s %s', (...argv) => {
    expect(warningsOf(...argv)).toEqual([]);
  });
});

describe('warnings', () => {
  const env = {
    APP_SECURITY_KEY_ENCRYPTION_KEY: KEY,
    APP_DATABASE_URL: 'sqlite:data/service.db',
    APP_API_ERROR_DISCLOSURE_MODE: 'minimal',
  };
  const warnings = (more: Record<string, string>, parts: Partial<LoadInput> = {}) =>
    loadSettings(input({ env: { ...env, ...more }, ...parts })).warnings;

  it.each([
    ['app.database.url', 'mysql://u:hush@db.internal/app', 'ssl-ca'],
    ['app.database.url', 'mysql://u:hush@10.0.0.5/app', 'ssl=true'],
    ['app.files.store', 's3://bucket?endpoint=http://minio:9000', 'https://'],
    ['app.security.login.rate-limit.store', 'redis://:hush@cache:6379', 'rediss://'],
    ['app.security.m2m.rate-limit.store', 'redis://10.0.0.6', 'rediss://'],
  ])('PROD logs a warning about %s=%s', (name, value, remedy) => {
    const variable = name.toUpperCase().replaceAll(/[.-]/g, '_');
    const [warning, ...others] = warnings({ [variable]: value });
    expect(others).toEqual([]);
    expect(warning).toMatch(new RegExp(`^${name} .*without TLS`));
    expect(warning).toContain(remedy);
    expect(warning).not.toContain('hush');
    expect(warnings({ [variable]: value, APP_ENV: 'TEST' })).toEqual([]);
    expect(warnings({ [variable]: value }, { role: 'gateway' })).toEqual([]);
  });

  it.each([
    { APP_DATABASE_URL: 'mysql://u:p@db.internal/app?ssl=true' },
    { APP_DATABASE_URL: 'mysql://u:p@db.internal/app?ssl-ca=/ca.pem' },
    { APP_DATABASE_URL: 'mysql://u:p@127.0.0.1/app' },
    { APP_DATABASE_URL: 'mysql://u:p@[::1]/app' },
    { APP_DATABASE_URL: 'mysql://u:p@db.internal/app?socketPath=/run/mysqld.sock' },
    { APP_FILES_STORE: 's3://bucket' },
    { APP_FILES_STORE: 's3://bucket?endpoint=https://minio:9000' },
    { APP_FILES_STORE: 's3://bucket?endpoint=http://localhost:9000' },
    { APP_SECURITY_M2M_RATE_LIMIT_STORE: 'rediss://cache:6379' },
    { APP_SECURITY_M2M_RATE_LIMIT_STORE: 'redis://[::1]:6379' },
  ])('PROD accepts %j without a warning', (more) => {
    expect(warnings(more)).toEqual([]);
  });

  it('a secret in a flag logs a warning with the alternatives', () => {
    const argv = [
      `--app.security.key-encryption-key=${KEY}`,
      '--app.database.url=mysql://u:hush@127.0.0.1/db',
      '--app.security.m2m.rate-limit.store=redis://:hush@127.0.0.1',
      '--app.security.login.rate-limit.store=memory',
    ];
    const found = warnings({}, { argv });
    expect(found.map((warning) => warning.split(' ')[0])).toEqual([
      'app.security.key-encryption-key',
      'app.database.url',
      'app.security.m2m.rate-limit.store',
    ]);
    expect(found[0]).toContain('APP_SECURITY_KEY_ENCRYPTION_KEY_FILE');
    expect(found.join('')).not.toContain('hush');
    expect(found.join('')).not.toContain(KEY);
    expect(
      warnings({}, { argv: ['--app.database.url=sqlite:x.db', '--app.database.url=mysql://u@127.0.0.1/db'] }),
    ).toEqual([]);
  });
});
