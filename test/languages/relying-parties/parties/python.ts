// Programs in Python.
import { join } from 'node:path';
import { PROJECT } from '../../../support/service-process.ts';
import { pythonEnvironment } from '../../python-environment.ts';
import { loopback, type Party } from '../party.ts';
import { startParty } from '../programs.ts';
import { environment, STEPS, webParty } from '../web-party.ts';

const folderOf = (name: string) => join(PROJECT, 'examples/relying-parties', name);
const interpreter = async (name: string) =>
  join(await pythonEnvironment(join(folderOf(name), 'requirements.txt')), 'python3');

export const AUTHLIB: Party = {
  name: 'Authlib with Flask',
  version: '1.9.9',
  login: 'code',
  claims: ['sub', 'name', 'email', 'preferred_username'],
  refresh: 'refresh token',
  theirLogout: 'ends the session',
  ourLogout: 'at once',
  application: (origin) => ({
    type: 'WEB',
    redirectUris: [`${origin}/callback`],
    postLogoutRedirectUris: [`${origin}/`],
    backchannelLogoutUri: `${loopback(origin)}/backchannel-logout`,
  }),
  async start(connection) {
    const env = { ...environment(connection), AUTHLIB_INSECURE_TRANSPORT: '1', PYTHONDONTWRITEBYTECODE: '1' };
    const child = await startParty(await interpreter('authlib'), [join(folderOf('authlib'), 'wiki.py')], env);
    return webParty(child, connection, { ...STEPS, refresh: '/refresh', tokenOf: ({ access_token: token }) => token });
  },
};
