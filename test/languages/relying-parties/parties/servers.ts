// Servers with a database of their own, which are started with settings.
import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, globSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { freePort, PROJECT } from '../../../support/service-process.ts';
import { run } from '../../commands.ts';
import { pythonEnvironment } from '../../python-environment.ts';
import { goTools, requirePrograms } from '../../toolchain.ts';
import { logInFirst } from '../people.ts';
import { fillIn, loopback, type Connection, type Party, type RunningParty } from '../party.ts';
import { endParty, startParty } from '../programs.ts';

const FOLDER = join(PROJECT, 'examples/relying-parties');

export const MINIFLUX: Party = {
  name: 'Miniflux',
  section: 'Miniflux',
  version: '2.3.5',
  login: 'code',
  claims: ['preferred_username'],
  refresh: 'none',
  theirLogout: 'its own session only',
  ourLogout: 'not at all',
  application: (origin) => ({ type: 'WEB', redirectUris: [`${origin}/oauth2/oidc/callback`] }),
  async start(connection): Promise<RunningParty> {
    const { origin, port, cwd } = connection;
    const database = await startPostgres(cwd);
    const settings = Object.fromEntries(
      readFileSync(fillIn(join(FOLDER, 'miniflux/miniflux.env'), connection), 'utf8')
        .trim()
        .split('\n')
        .map((line) => line.split(/=(.*)/) as [string, string]),
    );
    const env = {
      ...settings,
      PATH: await goTools('miniflux.app'),
      DATABASE_URL: database.url,
      RUN_MIGRATIONS: '1',
      BASE_URL: origin,
      LISTEN_ADDR: `127.0.0.1:${port}`,
      DISABLE_SCHEDULER_SERVICE: '1',
    };
    const miniflux = await startParty('miniflux.app', [], env, { cwd, url: `${origin}/healthcheck` });
    return {
      async logIn({ page, user }) {
        await page.goto(`${origin}/oauth2/oidc/redirect`);
        await logInFirst(page, user);
        await page.waitForURL(`${origin}/**`);
      },
      async claims({ page }) {
        const response = await page.request.get(`${origin}/settings`, { maxRedirects: 0 });
        if (response.status() !== 200) return undefined;
        const [, name] = /title="Logged in as ([^"]*)"/.exec(await response.text()) ?? [];
        return { preferred_username: name };
      },
      async logOut({ page }) {
        await page.goto(`${origin}/settings`);
        await page.locator('button.logout-button').click();
        await page.waitForURL(`${origin}/`);
      },
      async stop() {
        await endParty(miniflux);
        database.stop();
      },
    };
  },
};

/** Starts a server of PostgreSQL, which refuses to run as root, with an empty database. */
async function startPostgres(cwd: string): Promise<{ readonly url: string; stop(): void }> {
  requirePrograms('/usr/lib/postgresql');
  const bin = globSync('/usr/lib/postgresql/*/bin').toSorted().at(-1)!;
  const folder = join(cwd, 'postgres');
  mkdirSync(folder);
  chmodSync(cwd, 0o755);
  execFileSync('chown', ['postgres', folder]);
  const port = await freePort();
  const asPostgres = (command: string, ...args: string[]) =>
    run('runuser', ['-u', 'postgres', '--', join(bin, command), ...args], { cwd: folder });
  const data = join(folder, 'data');
  await asPostgres('initdb', '--auth=trust', '--no-sync', '-D', data);
  const options = `-p ${port} -k ${folder} -c listen_addresses=127.0.0.1 -c fsync=off`;
  await asPostgres('pg_ctl', '-w', '-D', data, '-l', join(folder, 'log'), '-o', options, 'start');
  return {
    url: `postgres://postgres@127.0.0.1:${port}/postgres?sslmode=disable`,
    stop() {
      const args = ['-u', 'postgres', '--', join(bin, 'pg_ctl'), '-D', data, '-m', 'immediate', 'stop'];
      spawnSync('runuser', args, { cwd: folder });
    },
  };
}

/** The token of a client of Matrix, by the page in which its user has logged in. */
const matrixTokens = new WeakMap<Page, string>();

export const SYNAPSE: Party = {
  name: 'Matrix Synapse',
  section: 'Matrix Synapse',
  version: '1.163.2',
  login: 'code',
  claims: ['preferred_username', 'name', 'email'],
  refresh: 'none',
  theirLogout: 'its own session only',
  ourLogout: 'at once',
  application: (origin) => ({
    type: 'WEB',
    usernameForm: 'LOCAL_PART',
    redirectUris: [`${origin}/_synapse/client/oidc/callback`],
    backchannelLogoutUri: `${loopback(origin)}/_synapse/client/oidc/backchannel_logout`,
  }),
  async start(connection): Promise<RunningParty> {
    const { origin } = connection;
    const python = join(await pythonEnvironment(join(FOLDER, 'matrix-synapse/requirements.txt')), 'python3');
    const child = await startSynapse(python, connection);
    const api = `${origin}/_matrix/client/v3`;
    return {
      async logIn({ page, user }) {
        await page.goto(`${api}/login/sso/redirect/oidc-acme?redirectUrl=${encodeURIComponent(`${origin}/done`)}`);
        await logInFirst(page, user);
        await page.waitForURL(`${origin}/done?loginToken=*`);
        const token = new URL(page.url()).searchParams.get('loginToken');
        const response = await page.request.post(`${api}/login`, { data: { type: 'm.login.token', token } });
        matrixTokens.set(page, (await response.json()).access_token);
      },
      async claims({ page }) {
        const headers = { authorization: `Bearer ${matrixTokens.get(page)}` };
        const get = async (path: string) => {
          const response = await page.request.get(`${api}/${path}`, { headers });
          return response.ok() ? response.json() : undefined;
        };
        const who = await get('account/whoami');
        if (who === undefined) return undefined;
        const [profile, contacts] = [await get(`profile/${who.user_id}`), await get('account/3pid')];
        const [localPart] = who.user_id.slice(1).split(':');
        return {
          preferred_username: `${localPart}@acme.test`,
          name: profile.displayname,
          email: contacts.threepids[0].address,
        };
      },
      async logOut({ page }) {
        const headers = { authorization: `Bearer ${matrixTokens.get(page)}` };
        await page.request.post(`${api}/logout`, { headers, data: {} });
      },
      stop: () => endParty(child),
    };
  },
};

async function startSynapse(python: string, connection: Connection) {
  const { origin, cwd, port } = connection;
  const settings = fillIn(join(FOLDER, 'matrix-synapse/homeserver.yaml'), connection, { '<port>': port });
  // Otherwise, it refuses an issuer with http.
  const isWithHttp = {
    'backchannel_logout_enabled: true': 'backchannel_logout_enabled: true\n    skip_verification: true',
  };
  const providers = fillIn(join(FOLDER, 'matrix-synapse/oidc.yaml'), connection, isWithHttp);
  const server = ['-m', 'synapse.app.homeserver', '--config-path', settings, '--config-path', providers];
  await run(python, [...server, '--generate-keys'], { cwd });
  return startParty(python, server, { SYNAPSE_LOG_LEVEL: 'WARNING' }, { cwd, url: `${origin}/health` });
}
