// The settings of passkeys: their defaults, and the values that stop a core.
import { describe, expect, it } from 'vitest';
import { ConfigurationError, loadSettings, type Problem, type Role } from '../../src/platform/config/load.ts';

const ENABLED = 'app.security.passkeys.enabled';
const RP_ID = 'app.security.passkeys.rp-id';
const PUBLIC_URL = 'app.public-url';

const load = (argv: readonly string[], role: Role = 'all') =>
  loadSettings({ argv: ['--app.env=TEST', ...argv], env: {}, cwd: '/nowhere', role }).settings;

function problems(argv: readonly string[], role: Role): readonly Problem[] {
  try {
    load(argv, role);
    return [];
  } catch (error) {
    if (error instanceof ConfigurationError) return error.problems;
    throw error;
  }
}

describe('defaults', () => {
  it.each([
    [[], false, undefined],
    [[`--${PUBLIC_URL}=https://auth.example.com`], true, 'auth.example.com'],
    [[`--${PUBLIC_URL}=https://auth.example.com:8443/shop`, '--app.http.context-path=/shop'], true, 'auth.example.com'],
    [['--app.env=DEV'], true, 'localhost'],
    // Browsers have no passkeys for IP addresses.
    [[`--${PUBLIC_URL}=http://127.0.0.1:8080`], false, undefined],
    [[`--${PUBLIC_URL}=http://[::1]:8080`], false, undefined],
    [[`--${PUBLIC_URL}=https://auth.example.com`, `--${ENABLED}=false`], false, 'auth.example.com'],
    [[`--${PUBLIC_URL}=https://auth.example.com`, `--${RP_ID}=example.com`], true, 'example.com'],
  ])('with %j: enabled %s, id %s', (argv, enabled, rpId) => {
    expect(load(argv)).toMatchObject({ [ENABLED]: enabled, [RP_ID]: rpId });
  });
});

describe('the start', () => {
  type Row = [argv: readonly string[], name?: string, message?: RegExp];
  it.each<Row>([
    [[`--${ENABLED}=true`], ENABLED, /^needs app\.public-url/],
    [[`--${ENABLED}=true`, `--${PUBLIC_URL}=http://127.0.0.1:8080`], ENABLED, /IP addresses/],
    [[`--${PUBLIC_URL}=https://auth.example.com`, `--${RP_ID}=example.org`], RP_ID, /parent domain/],
    [[`--${PUBLIC_URL}=https://auth.example.com`, `--${RP_ID}=com`], RP_ID, /parent domain/],
    [[`--${PUBLIC_URL}=https://auth.example.com`, `--${RP_ID}=xample.com`], RP_ID, /parent domain/],
    [[`--${PUBLIC_URL}=https://auth.example.com`, `--${RP_ID}=login.auth.example.com`], RP_ID, /parent domain/],
    [[`--${PUBLIC_URL}=https://auth.example.com`, `--${RP_ID}=none`], RP_ID, /parent domain/],
    [[`--${PUBLIC_URL}=https://auth.example.com`, `--${RP_ID}=Example.com`], RP_ID, /domain name in lower case/],
    [[`--${PUBLIC_URL}=https://auth.example.com`, `--${RP_ID}=10.0.0.1`], RP_ID, /domain name in lower case/],
    [
      [`--${PUBLIC_URL}=https://auth.example.com`, `--${RP_ID}=https://example.com`],
      RP_ID,
      /domain name in lower case/,
    ],
    [[`--${PUBLIC_URL}=https://auth.example.com`, `--${RP_ID}=example.com`]],
    [[`--${PUBLIC_URL}=https://auth.example.com`, `--${RP_ID}=example.org`, `--${ENABLED}=false`]],
    [[`--${RP_ID}=example.org`]],
  ])('with %j names %s', (argv, name, message) => {
    const expected =
      name === undefined ? [] : [expect.objectContaining({ name, message: expect.stringMatching(message!) })];
    for (const role of ['all', 'core'] as const) expect(problems(argv, role)).toEqual(expected);
  });
});
