// Programs in Java.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { PROJECT } from '../../../support/service-process.ts';
import { run } from '../../commands.ts';
import { compileSpring } from '../../frameworks/shops.ts';
import { requirePrograms } from '../../toolchain.ts';
import { openWorkspace } from '../../workspace.ts';
import { fillIn, loopback, type Connection, type Party } from '../party.ts';
import { startParty } from '../programs.ts';
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
