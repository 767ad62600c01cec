// `npm run cli -- isolation` as a person runs it, against a gateway of Profile B whose core is out of reach.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { reportText } from '../../cli/isolation/command.ts';
import { PASSWORD, seedAccount } from '../support/accounts.ts';
import { runCli } from '../support/cli.ts';
import { deploy, type Deployment } from '../support/deployment.ts';
import { seedTokens } from '../support/sessions.ts';

let deployment: Deployment;
let folder: string;

beforeAll(async () => {
  deployment = await deploy({
    engine: 'sqlite',
    transport: 'local',
    settings: { 'app.security.auth-profile': 'B', 'app.http.context-path': '/shop' },
  });
  for (const [username, tenantId] of [
    ['ada@acme.test', 'acme'],
    ['amy@acme.test', 'acme'],
    ['gus@globex.test', 'globex'],
  ]) {
    await seedAccount(deployment.database, { username: username!, tenantId, roles: ['OWNER'] });
  }
  folder = mkdtempSync(join(tmpdir(), 'isolation-'));
});
afterAll(async () => {
  await deployment?.close();
  rmSync(folder, { recursive: true, force: true });
});

/** The output and the exit code. */
const run = (argv: readonly string[], env: Record<string, string> = {}) =>
  runCli(['isolation', ...argv], { env, cwd: folder });

const file = (name: string, content: string): string => {
  writeFileSync(join(folder, name), content);
  return join(folder, name);
};

const BY_PASSWORD = ['--a-username=ada@acme.test', '--b-username=gus@globex.test'];
const PASSWORDS = { ISOLATION_A_PASSWORD: PASSWORD, ISOLATION_B_PASSWORD: PASSWORD };

describe('the isolation command', () => {
  it('reports every route, and that RPCs were not checked without --rpc', { timeout: 120_000 }, async () => {
    const account = await seedAccount(deployment.database, { tenantId: 'acme', roles: ['ADMIN'] });
    const token = file('token', `${(await seedTokens(deployment, account)).accessToken}\n`);
    const password = file('password', PASSWORD);
    const credentials = [`--a-token-file=${token}`, '--b-username=gus@globex.test', `--b-password-file=${password}`];
    const { code, out, error } = await run([`--url=${deployment.url}/`, ...credentials, '--json']);
    expect([code, error]).toEqual([0, '']);
    expect(out).not.toContain(PASSWORD);

    const text = reportText(JSON.parse(out), false);
    expect(text).toMatch(/^REST {2}GET \/products\/\{id\} +passed +hidden: product$/m);
    expect(text).toMatch(/^REST {2}POST \/auth\/login +- +takes a username and a password$/m);
    expect(text).toMatch(
      /^REST {2}DELETE \/service-accounts\/\{id\}\/api-keys\/\{keyId\} +passed +hidden: serviceAccount, key/m,
    );
    expect(text).toMatch(/^REST {2}GET \/users\/\{userId\} +passed +hidden: user$/m);
    expect(text).toMatch(/^RPCs were not checked: --rpc is missing$/m);
    expect(text).toMatch(/^Left behind: customer isolation-\w+ \(INACTIVE\)$/m);
    expect(text).toMatch(/^\d+ operations, \d+ checks passed, 0 failed$/m);
  });

  it('prints its usage and exits with 0 for --help', async () => {
    const out = expect.stringMatching(/^Usage: authservice isolation \[options\]/);
    expect(await run(['--help'])).toEqual({ code: 0, out, error: '' });
  });

  it.each([
    ['an unknown option', ['--nothing'], {}, /--nothing/],
    ['no URL', ['--url=here'], {}, /--url is not a URL: here/],
    ['one side alone', BY_PASSWORD.slice(0, 1), PASSWORDS, /--b-username is missing/],
    ['no password', BY_PASSWORD, {}, /the password of ada@acme\.test is missing/],
    ['no credential of B', [], { ISOLATION_A_TOKEN: 'x' }, /tenant B has no credential/],
  ])('exits with 2 for %s', async (_name, argv, env, message) => {
    const { code, out, error } = await run(argv, env);
    expect([code, out]).toEqual([2, '']);
    expect(error).toMatch(message);
  });

  it('exits with 1 for a missing file', async () => {
    const error = '/nowhere: no such file or folder\n';
    expect(await run(['--a-token-file=/nowhere'])).toEqual({ code: 1, out: '', error });
  });

  it.each([
    [4, 'a port without a server', ['--url=http://127.0.0.1:9'], {}, /does not respond/],
    [3, 'a wrong password', [], { ISOLATION_B_PASSWORD: 'wrong' }, /gus@globex\.test cannot log in: 401 AUTH_/],
    [3, 'a bad token', [], { ISOLATION_A_TOKEN: 'garbage' }, /the token is not accepted: 401/],
    [
      2,
      'one tenant on both sides',
      ['--b-username=amy@acme.test'],
      {},
      /both administrators belong to the tenant acme/,
    ],
  ])('exits with %i if the check cannot run: %s', async (exitCode, _name, argv, env, message) => {
    const { code, out, error } = await run([`--url=${deployment.url}`, ...BY_PASSWORD, ...argv], {
      ...PASSWORDS,
      ...env,
    });
    expect([code, out]).toEqual([exitCode, '']);
    expect(error).toMatch(message);
  });
});
