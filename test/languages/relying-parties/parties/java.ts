// Programs in Java.
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { decodeJwt } from 'jose';
import { PROJECT } from '../../../support/service-process.ts';
import { run } from '../../commands.ts';
import { compileSpring } from '../../frameworks/shops.ts';
import { CACHE, requirePrograms } from '../../toolchain.ts';
import { openWorkspace } from '../../workspace.ts';
import { logInFirst } from '../people.ts';
import { fillIn, loopback, type Connection, type Party, type RunningParty, type Visit } from '../party.ts';
import { endParty, startParty } from '../programs.ts';
import { environment, STEPS, webParty } from '../web-party.ts';

const FOLDERS = join(PROJECT, 'examples/relying-parties');
const FOLDER = join(FOLDERS, 'spring-security');

export const startSpring = async (connection: Connection) => {
  requirePrograms('javac', 'mvn');
  const classpath = await compileSpring(join(openWorkspace(), 'examples/frameworks/spring-boot'), '4.1');
  const AUTH_SETTINGS = fillIn(join(FOLDER, 'application.properties'), connection);
  const env = { ...environment(connection), AUTH_SETTINGS };
  return startParty('java', ['-XX:TieredStopAtLevel=1', '-cp', classpath, join(FOLDER, 'Wiki.java')], env);
};

export const springApplication = (origin: string) => ({
  type: 'WEB',
  redirectUris: [`${origin}/login/oauth2/code/auth`],
  postLogoutRedirectUris: [`${origin}/`],
  backchannelLogoutUri: `${loopback(origin)}/logout/connect/back-channel/auth`,
  // Spring refreshes a minute before the end: at each use.
  accessTokenTtl: 60,
});

export const SPRING: Party = {
  name: 'Spring Security 7.1 (Spring Boot)',
  section: 'Spring Boot',
  version: '4.1.2',
  login: 'code',
  claims: ['sub', 'name', 'email', 'preferred_username', 'groups'],
  refresh: 'refresh token',
  theirLogout: 'ends the session',
  ourLogout: 'at once',
  application: springApplication,
  start: async (connection) =>
    webParty(await startSpring(connection), connection, {
      ...STEPS,
      login: '/',
      claims: '/',
      refresh: '/tokens',
      tokenOf: ({ access }) => access,
      confirm: (page) => page.getByRole('button', { name: 'Log Out' }).click(),
    }),
};

export const QUARKUS: Party = {
  name: 'Quarkus OIDC',
  section: 'Quarkus',
  version: '3.33.2',
  login: 'code',
  claims: ['sub', 'name', 'email', 'groups'],
  refresh: 'refresh token',
  theirLogout: 'ends the session',
  ourLogout: 'at once',
  application: (origin) => ({
    type: 'WEB',
    redirectUris: [`${origin}/`],
    postLogoutRedirectUris: [`${origin}/goodbye`],
    backchannelLogoutUri: `${loopback(origin)}/backchannel-logout`,
  }),
  async start(connection) {
    requirePrograms('javac', 'mvn');
    const { origin, port, cwd } = connection;
    const folder = join(openWorkspace(), 'examples/relying-parties/quarkus');
    await run('mvn', ['--batch-mode', '--quiet', 'package'], { cwd: folder });
    mkdirSync(join(cwd, 'config'));
    // It renews by the ID token, which lives for ten minutes: at each use.
    const skew = { 'skew=60S': 'skew=601S' };
    fillIn(join(FOLDERS, 'quarkus/application.properties'), { ...connection, cwd: join(cwd, 'config') }, skew);
    const args = ['-XX:TieredStopAtLevel=1', '-Dquarkus.http.host=127.0.0.1', `-Dquarkus.http.port=${port}`];
    const jar = join(folder, 'target/quarkus-app/quarkus-run.jar');
    const child = await startParty('java', [...args, '-jar', jar], {}, { cwd, url: `${origin}/goodbye` });
    return webParty(child, connection, { ...STEPS, login: '/', tokenOf: ({ access }) => access });
  },
};

export const KEYCLOAK: Party = {
  name: 'Keycloak as a broker',
  section: 'Keycloak as a broker',
  version: '26.7.3',
  login: 'code',
  claims: ['email', 'preferred_username'],
  refresh: 'none',
  theirLogout: 'ends the session',
  ourLogout: 'at once',
  application: (origin) => ({
    type: 'WEB',
    redirectUris: [`${origin}/realms/wiki/broker/acme/endpoint`],
    postLogoutRedirectUris: [`${origin}/realms/wiki/broker/acme/endpoint/logout_response`],
    backchannelLogoutUri: `${loopback(origin)}/realms/wiki/protocol/openid-connect/logout/backchannel-logout`,
  }),
  async start(connection): Promise<RunningParty> {
    const { origin, port } = connection;
    const cwd = await keycloakFolder('26.7.3');
    const data = join(cwd, 'data');
    rmSync(data, { recursive: true, force: true });
    mkdirSync(join(data, 'import'), { recursive: true });
    fillIn(join(FOLDERS, 'keycloak/realm.json'), { ...connection, cwd: join(data, 'import') });
    const args = ['start-dev', '--import-realm', `--http-port=${port}`, '--http-host=127.0.0.1'];
    const child = await startParty(join(cwd, 'bin/kc.sh'), args, {}, { cwd, url: `${origin}/realms/wiki` });
    const protocol = `${origin}/realms/wiki/protocol/openid-connect`;
    const client = { client_id: 'wiki', redirect_uri: `${origin}/done` };
    const authorize = (more: object) =>
      `${protocol}/auth?${String(new URLSearchParams({ ...client, response_type: 'code', scope: 'openid', ...more }))}`;
    /** Returns the tokens of an application of Keycloak, if the user is logged in there. */
    async function tokens({ page }: Visit): Promise<Readonly<Record<string, string>> | undefined> {
      const response = await page.request.get(authorize({ prompt: 'none' }), { maxRedirects: 0 });
      const code = new URL(response.headers()['location']!).searchParams.get('code');
      if (code === null) return undefined;
      const form = { ...client, grant_type: 'authorization_code', code };
      return (await page.request.post(`${protocol}/token`, { form })).json();
    }
    return {
      async logIn({ page, user }) {
        await page.goto(authorize({ kc_idp_hint: 'acme' }));
        await logInFirst(page, user);
        await page.waitForURL(`${origin}/done?*`);
      },
      async claims(visit) {
        const found = await tokens(visit);
        return found && decodeJwt(found['id_token']!);
      },
      async logOut(visit) {
        const { id_token: hint } = (await tokens(visit))!;
        const parameters = { id_token_hint: hint!, post_logout_redirect_uri: client.redirect_uri };
        await visit.page.goto(`${protocol}/logout?${String(new URLSearchParams(parameters))}`);
        await visit.page.waitForURL(`${origin}/done`);
      },
      stop: () => endParty(child),
    };
  },
};

/** Downloads and unpacks Keycloak. */
async function keycloakFolder(version: string): Promise<string> {
  requirePrograms('mvn', 'unzip');
  const folder = join(CACHE, `keycloak-${version}`);
  const artifact = `org.keycloak:keycloak-quarkus-dist:${version}:zip`;
  if (!existsSync(join(folder, 'complete'))) {
    rmSync(folder, { recursive: true, force: true });
    await run('mvn', ['--batch-mode', '--quiet', 'dependency:get', `-Dartifact=${artifact}`, '-Dtransitive=false']);
    const path = `org/keycloak/keycloak-quarkus-dist/${version}/keycloak-quarkus-dist-${version}.zip`;
    await run('unzip', ['-q', join(homedir(), '.m2/repository', path), '-d', folder]);
    writeFileSync(join(folder, 'complete'), '');
  }
  return join(folder, `keycloak-${version}`);
}
