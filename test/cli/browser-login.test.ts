// Logins of the command line by a browser: on this machine, and by a code on another device. The test is the browser.
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { AuthorizationDecision } from '../../proto/gen/authservice/oauth/v1/authorization_service.ts';
import { serveGrpc, type GrpcServer } from '../../src/platform/rpc/grpc/server.ts';
import { rememberPasswords } from '../support/argon2.ts';
import { runCli, type CliOptions } from '../support/cli.ts';
import { PUBLIC_URL } from '../support/mails.ts';
import { openWorld, type World } from '../support/world.ts';

const { AUTHORIZATION_DECISION_ALLOW: ALLOW, AUTHORIZATION_DECISION_DENY: DENY } = AuthorizationDecision;

let world: World;
let server: GrpcServer;
let folder: string;
let env: Record<string, string>;

rememberPasswords();
beforeAll(async () => {
  const settings = { 'app.public-url': PUBLIC_URL };
  world = await openWorld({ engine: 'sqlite', transport: 'local', settings });
  folder = mkdtempSync(join(tmpdir(), 'cli-'));
  const host = `unix:${join(folder, 'core.sock')}`;
  server = await serveGrpc(world.deployment.core.host, {
    host,
    port: 0,
    trustedGateways: [],
    log: pino({ level: 'silent' }),
  });
  env = { AUTHSERVICE_CORE: host, AUTHSERVICE_CREDENTIALS: join(folder, 'credentials.json'), BROWSER: '' };
});
afterAll(async () => {
  await server.close(1_000);
  await world.close();
  rmSync(folder, { recursive: true });
});
afterEach(() => rmSync(env['AUTHSERVICE_CREDENTIALS']!, { force: true }));

const stored = () => readFileSync(env['AUTHSERVICE_CREDENTIALS']!, 'utf8');
const cli = (args: readonly string[], options: CliOptions = {}) => runCli(args, { env, ...options });

/** Runs a login by the browser. The user of the world decides on the page that the program names. */
async function logInByBrowser(
  decision: AuthorizationDecision = ALLOW,
  come: (redirect: URL) => Promise<unknown> = fetch,
) {
  const { promise: url, resolve } = Promise.withResolvers<string>();
  const run = cli(['login'], { error: (text) => resolve(/^http\S+$/m.exec(text)?.[0] ?? '') });
  const page = new URL(await url);
  expect(page.origin + page.pathname).toBe(`${PUBLIC_URL}/login`);
  const requestId = page.searchParams.get('request')!;
  const { redirectTo } = await world.clients.authorization.continueAuthorization(
    { requestId, decision },
    world.admin.as,
  );
  await come(new URL(redirectTo!));
  return run;
}

/** Runs a login by a device. The first wait is where its user decides. */
function logInByDevice(decision: AuthorizationDecision) {
  let shown = '';
  let waits = 0;
  return cli(['login', '--device'], {
    error: (text) => (shown += text),
    async wait(ms) {
      waits += 1;
      expect(ms).toBe(5_000);
      world.deployment.clock.advance(ms);
      if (waits === 1) return;
      const [, userCode = ''] = /the code (\S+)$/m.exec(shown)!;
      await world.clients.authorization.decideDeviceRequest({ userCode, decision }, (await world.actor({})).as);
    },
  });
}

describe('a login without a username', () => {
  it('opens the login page, and keeps a session that is refreshed, and ends at a logout', async () => {
    const { username } = world.admin.account;
    expect(await logInByBrowser()).toMatchObject({
      code: 0,
      out: `logged in as ${username} at ${env['AUTHSERVICE_CORE']}\n`,
    });
    const { logins } = JSON.parse(stored());
    expect(logins).toEqual([expect.objectContaining({ username, refreshToken: expect.any(String) })]);
    const whoami = async () => JSON.parse((await cli(['whoami', '--json'])).out);
    expect(await whoami()).toMatchObject({ username });
    world.deployment.clock.advance(1);
    const before = logins[0];
    const expired = { ...before, accessTokenExpiresAt: new Date(0).toISOString() };
    const file = env['AUTHSERVICE_CREDENTIALS']!;
    writeFileSync(file, JSON.stringify({ logins: [expired] }), { mode: 0o600 });
    expect(await whoami()).toMatchObject({ username });
    const [after] = JSON.parse(stored()).logins;
    expect(after.refreshToken).not.toBe(before.refreshToken);
    expect(await cli(['logout'])).toMatchObject({ code: 0, error: '' });
    const refreshed = world.clients.authorization.exchangeToken(
      { grantType: 'refresh_token', refreshToken: after.refreshToken, clientId: 'authservice-cli' },
      {},
    );
    await expect(refreshed).rejects.toMatchObject({ status: { reason: 'INVALID_GRANT' } });
    expect(await cli(['whoami'])).toMatchObject({ code: 3 });
  });

  it('fails if its user denies it, or if somebody else comes back', async () => {
    expect(await logInByBrowser(DENY)).toMatchObject({
      code: 3,
      out: '',
      error: expect.stringContaining('access_denied'),
    });
    for (const name of ['state', 'iss']) {
      const foreign = await logInByBrowser(ALLOW, (redirect) => {
        redirect.searchParams.set(name, 'other');
        return fetch(redirect);
      });
      expect(foreign).toMatchObject({ code: 3, out: '', error: expect.stringContaining('another login') });
    }
  });

  it('waits for the redirect whatever else asks its port', async () => {
    const run = await logInByBrowser(ALLOW, async (redirect) => {
      for (const path of ['//', '/', '/callback', '/other?code=x'])
        expect((await fetch(`${redirect.origin}${path}`)).status).toBe(404);
      return fetch(redirect);
    });
    expect(run).toMatchObject({ code: 0 });
  });

  it('ends when the user interrupts it', async () => {
    const controller = new AbortController();
    const run = cli(['login'], { signal: controller.signal, error: () => controller.abort() });
    expect((await run).code).not.toBe(0);
  });

  it('opens the program in BROWSER with the URL', async () => {
    const opened = join(folder, 'opened');
    const opener = join(folder, 'opener');
    writeFileSync(opener, `#!/bin/sh\nprintf %s "$1" > ${opened}.tmp && mv ${opened}.tmp ${opened}\n`, { mode: 0o700 });
    const controller = new AbortController();
    const run = cli(['login'], { env: { ...env, BROWSER: opener }, signal: controller.signal });
    await expect.poll(() => existsSync(opened), { timeout: 30_000 }).toBe(true);
    controller.abort();
    await run;
    expect(readFileSync(opened, 'utf8')).toMatch(new RegExp(`^${PUBLIC_URL}/login\\?request=[\\w-]{43}$`));
  });
});

describe('login --device', () => {
  it('shows a code, and waits until its user has allowed it', async () => {
    const run = await logInByDevice(ALLOW);
    expect(run).toMatchObject({ code: 0, out: expect.stringMatching(/^logged in as /) });
    expect(run.error).toContain(`Open ${PUBLIC_URL}/device in a browser and enter the code `);
    expect(await cli(['whoami'])).toMatchObject({ code: 0 });
    expect(await cli(['logout'])).toMatchObject({ code: 0 });
  });

  it('fails if its user denies it', async () => {
    expect(await logInByDevice(DENY)).toMatchObject({ code: 3, error: expect.stringContaining('denied') });
  });

  it('takes no username, and --password needs one', async () => {
    expect((await cli(['login', '--device', 'alice'])).code).toBe(2);
    expect((await cli(['login', '--password'])).code).toBe(2);
  });
});

it('a login by the browser needs the OpenID provider', async () => {
  const off = await openWorld({ engine: 'sqlite', transport: 'local' });
  const host = `unix:${join(folder, 'off.sock')}`;
  const log = pino({ level: 'silent' });
  const offServer = await serveGrpc(off.deployment.core.host, { host, port: 0, trustedGateways: [], log });
  try {
    for (const args of [['login'], ['login', '--device']])
      expect(await cli(args, { env: { ...env, AUTHSERVICE_CORE: host } })).toMatchObject({
        code: 2,
        error: expect.stringContaining('give a username'),
      });
  } finally {
    await offServer.close(1_000);
    await off.close();
  }
});
