// Programs in Java.
import { join } from 'node:path';
import { PROJECT } from '../../../support/service-process.ts';
import { compileSpring } from '../../frameworks/shops.ts';
import { requirePrograms } from '../../toolchain.ts';
import { openWorkspace } from '../../workspace.ts';
import { fillIn, loopback, type Connection, type Party } from '../party.ts';
import { startParty } from '../programs.ts';
import { environment, STEPS, webParty } from '../web-party.ts';

const FOLDER = join(PROJECT, 'examples/relying-parties/spring-security');

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
