// LemonLDAP::NG, a portal in Perl.
import { once } from 'node:events';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { PROJECT } from '../../../support/service-process.ts';
import { requirePrograms } from '../../toolchain.ts';
import { fillIn, type Connection, type Party } from '../party.ts';
import { startParty } from '../programs.ts';
import { webParty } from '../web-party.ts';

const FOLDER = join(PROJECT, 'examples/relying-parties/lemonldap-ng');

export const LEMONLDAP: Party = {
  name: 'LemonLDAP::NG',
  section: 'LemonLDAP::NG',
  version: '2.16.1',
  login: 'code',
  claims: ['sub', 'name', 'email', 'preferred_username'],
  refresh: 'none',
  theirLogout: 'ends the session',
  ourLogout: 'not at all',
  application: (origin) => ({
    type: 'WEB',
    requirePkce: false,
    redirectUris: [`${origin}/?openidconnectcallback=1`],
    postLogoutRedirectUris: [`${origin}/?logout=1`],
  }),
  async start(connection) {
    const provider = await readProvider(connection);
    requirePrograms('starman', '/usr/share/lemonldap-ng/portal');
    const { cwd, port, origin } = connection;
    for (const folder of ['sessions', 'cache']) mkdirSync(join(cwd, folder));
    const values = { '<folder>': cwd, ...provider, '"example.com"': '"localhost"' };
    fillIn(join(FOLDER, 'lmConf-1.json'), connection, values);
    const settings = fillIn(join(FOLDER, 'lemonldap-ng.ini'), connection, values);
    const args = ['--listen', `127.0.0.1:${port}`, '--workers', '2', join(FOLDER, 'portal.psgi')];
    const env = { LLNG_DEFAULTCONFFILE: settings };
    const child = await startParty('starman', args, env, { cwd, url: origin });
    const party = webParty(child, connection, {
      login: '/',
      claims: '/session/my/global',
      read: ({ _user: sub, cn: name, mail: email, uid }) =>
        sub === undefined ? undefined : { sub, name, email, preferred_username: uid },
      logout: '/?logout=1',
    });
    return {
      ...party,
      async stop() {
        // A SIGKILL would leave its workers.
        child.kill('SIGTERM');
        await once(child, 'exit');
      },
    };
  },
};

/** Returns the metadata and the keys as texts of JSON. */
async function readProvider({ issuer }: Connection): Promise<Readonly<Record<string, string>>> {
  const get = async (url: string): Promise<any> => (await fetch(url)).json();
  const metadata = await get(`${issuer}/.well-known/openid-configuration`);
  const textOf = (value: unknown) => JSON.stringify(JSON.stringify(value));
  return { '"<metadata>"': textOf(metadata), '"<keys>"': textOf(await get(metadata.jwks_uri)) };
}
