// app.oauth.enabled: the default, the problems of `true`, and the pages that it needs.
import { describe, expect, it } from 'vitest';
import { ConfigurationError, loadSettings, type Role } from '../../src/platform/config/load.ts';

const NAME = 'app.oauth.enabled';
const URL = '--app.public-url=http://auth.example.com';
const ENABLED = `--${NAME}=true`;

const load = (argv: readonly string[], role: Role = 'all') =>
  loadSettings({ argv: ['--app.env=TEST', ...argv], env: {}, cwd: '/nowhere', role }).settings;

function problems(argv: readonly string[], role?: Role): readonly string[] {
  try {
    load(argv, role);
    return [];
  } catch (error) {
    if (error instanceof ConfigurationError) return error.problems.map(({ name, message }) => `${name} ${message}`);
    throw error;
  }
}

describe('the default', () => {
  it.each<[argv: readonly string[], isEnabled: boolean]>([
    [[], false],
    [[URL], true],
    [['--app.env=DEV'], true],
    [['--app.env=DEV', '--app.http.port=0'], false],
    [[URL, '--app.security.jwt.issuer=http://auth.example.com'], true],
    [[URL, '--app.security.jwt.issuer=http://auth.example.com/'], false],
    [[URL, '--app.security.jwt.audience=api'], true],
    [[URL, '--app.security.jwt.audience=http://auth.example.com'], false],
    [[URL, '--app.http.pages=true'], true],
    [[URL, '--app.http.pages=false'], false],
    [[URL, `--${NAME}=false`], false],
  ])('%j: %s', (argv, isEnabled) => {
    for (const role of ['all', 'core', 'gateway'] as const) expect(load(argv, role)[NAME]).toBe(isEnabled);
  });

  it.each<[argv: readonly string[], areServed: boolean]>([
    [[], false],
    [[URL], true],
    [[URL, `--${NAME}=false`], false],
    [[URL, '--app.security.jwt.issuer=shop'], false],
  ])('with %j, the pages are served: %s', (argv, areServed) => {
    expect(load(argv)['app.http.pages']).toBe(areServed);
  });
});

describe('`true` stops the start and names what is missing', () => {
  it.each<[role: Role, argv: readonly string[], missing: RegExp]>([
    ['all', [], /needs app\.public-url/],
    ['gateway', [], /needs app\.public-url/],
    ['core', [URL, '--app.security.jwt.issuer=shop'], /needs an app\.security\.jwt\.issuer/],
    ['core', [URL, '--app.security.jwt.audience=http://auth.example.com'], /needs an app\.security\.jwt\.audience/],
    ['gateway', [URL, '--app.http.pages=false'], /give app\.http\.pages=true/],
  ])('a process with the part %s and %j', (role, argv, missing) => {
    expect(problems([...argv, ENABLED], role)).toEqual([expect.stringMatching(missing)]);
    expect(problems(argv, role)).toEqual([]);
  });

  it('accepts it with all of them', () => {
    expect(problems([URL, ENABLED])).toEqual([]);
    expect(problems([URL, ENABLED, '--app.security.jwt.issuer=shop'], 'gateway')).toEqual([]);
  });
});
