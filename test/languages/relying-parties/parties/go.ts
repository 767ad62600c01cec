// Programs in Go.
import { join } from 'node:path';
import { expect, vi } from 'vitest';
import { run } from '../../commands.ts';
import { requirePrograms } from '../../toolchain.ts';
import { openWorkspace } from '../../workspace.ts';
import { allowDevice } from '../people.ts';
import { fillIn, loopback, type Connection, type Party } from '../party.ts';
import { startParty } from '../programs.ts';
import { environment, STEPS, webParty } from '../web-party.ts';

/** Compiles a program. Returns its path. */
async function compiled(name: string): Promise<string> {
  requirePrograms('go');
  const cwd = join(openWorkspace(), 'examples/relying-parties', name);
  await run('go', ['build', '-o', 'target/wiki', '.'], { cwd });
  return join(cwd, 'target/wiki');
}

const WEB = {
  refresh: 'refresh token',
  theirLogout: 'ends the session',
  ourLogout: 'at once',
} as const;

const fieldsOf = (origin: string) => ({
  type: 'WEB',
  redirectUris: [`${origin}/callback`],
  postLogoutRedirectUris: [`${origin}/`],
  backchannelLogoutUri: `${loopback(origin)}/backchannel-logout`,
});

const startWiki = async (name: string, connection: Connection) =>
  startParty(await compiled(name), [], environment(connection));

export const GO_OIDC: Party = {
  ...WEB,
  name: 'go-oidc with x/oauth2 0.38.0',
  section: 'Go',
  version: '3.21.0',
  login: 'code',
  claims: ['sub', 'name', 'email', 'preferred_username', 'groups'],
  application: fieldsOf,
  start: async (connection) => webParty(await startWiki('go-oidc', connection), connection, STEPS),
};

export const GO_DEVICE: Party = {
  ...WEB,
  name: 'x/oauth2 in a device',
  section: 'A device or a server without a browser',
  version: '0.38.0',
  login: 'device',
  claims: ['sub', 'name', 'email', 'preferred_username', 'groups'],
  // x/oauth2 sends no secret when it asks for a code.
  application: (origin) => ({ ...fieldsOf(origin), type: 'NATIVE', deviceGrant: true }),
  async start(connection) {
    const party = webParty(await startWiki('go-oidc', connection), connection, STEPS);
    return {
      ...party,
      async logIn(visit) {
        const { page } = visit;
        const url: string = await (await page.request.get(`${connection.origin}/device`)).json();
        await allowDevice(visit, url);
        await vi.waitFor(async () => expect(await party.claims(visit)).toBeDefined(), {
          timeout: 30_000,
          interval: 200,
        });
      },
    };
  },
};

export const ZITADEL: Party = {
  ...WEB,
  name: 'zitadel/oidc',
  section: 'Go',
  version: '3.52.0',
  login: 'code',
  claims: ['sub', 'name', 'email', 'preferred_username'],
  application: fieldsOf,
  start: async (connection) => webParty(await startWiki('zitadel-oidc', connection), connection, STEPS),
};

export const KUBERNETES: Party = {
  name: 'Kubernetes API server (k8s.io/apiserver)',
  section: 'Kubernetes',
  version: '0.37.2',
  login: 'code',
  claims: ['sub', 'email', 'groups'],
  refresh: 'refresh token',
  theirLogout: 'none',
  ourLogout: 'when the ID token expires',
  isHttps: true,
  application: (origin) => ({ type: 'NATIVE', redirectUris: [`${origin}/callback`] }),
  async start(connection) {
    const folder = join(openWorkspace(), 'examples/relying-parties/kubernetes');
    const AUTHENTICATION_CONFIG = fillIn(join(folder, 'authentication.yaml'), connection);
    const env = { ...environment(connection), AUTHENTICATION_CONFIG, SSL_CERT_FILE: connection.ca! };
    const child = await startParty(await compiled('kubernetes'), [], env);
    const withoutPrefix = (text: string) => text.replace('authservice:', '');
    return webParty(child, connection, {
      ...STEPS,
      claims: '/whoami',
      read: ({ username, groups, extra }) => ({
        sub: withoutPrefix(username),
        email: extra['example.com/email'][0],
        groups: groups.map(withoutPrefix),
      }),
    });
  },
};
