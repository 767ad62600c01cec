// Servers with a database of their own, which are started with settings.
import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, globSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { freePort, PROJECT } from '../../../support/service-process.ts';
import { run } from '../../commands.ts';
import { goTools, requirePrograms } from '../../toolchain.ts';
import { logInFirst } from '../people.ts';
import { fillIn, type Party, type RunningParty } from '../party.ts';
import { endParty, startParty } from '../programs.ts';

const FOLDER = join(PROJECT, 'examples/relying-parties');

export const MINIFLUX: Party = {
  name: 'Miniflux',
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
