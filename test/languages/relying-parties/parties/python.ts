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
  section: 'Flask and FastAPI',
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

export const DJANGO: Party = {
  name: 'mozilla-django-oidc with Django 5.2',
  section: 'Django',
  version: '5.0.2',
  login: 'code',
  claims: ['sub', 'name', 'email'],
  refresh: 'prompt=none',
  theirLogout: 'ends the session',
  ourLogout: 'at its next refresh',
  application: (origin) => ({
    type: 'WEB',
    redirectUris: [`${origin}/oidc/callback/`],
    postLogoutRedirectUris: [`${origin}/goodbye`],
  }),
  async start(connection) {
    const { origin, cwd } = connection;
    const env = { ...environment(connection), ...RENEWING, PYTHONDONTWRITEBYTECODE: '1' };
    const options = { cwd, url: `${origin}/goodbye` };
    const program = join(folderOf('mozilla-django-oidc'), 'serve.py');
    const child = await startParty(await interpreter('mozilla-django-oidc'), [program], env, options);
    return webParty(child, connection, {
      login: '/oidc/authenticate/',
      claims: '/claims',
      followsRedirects: true,
      refresh: async ({ page }) => {
        await new Promise((resolve) => setTimeout(resolve, 1100));
        const response = await page.request.get(`${origin}/renewed`);
        const isJson = response.headers()['content-type']?.startsWith('application/json');
        const { token } = isJson ? await response.json() : { token: '' };
        if (token === '') throw new Error('the refresh is refused');
        return token;
      },
      logout: '/',
      confirm: (page) => page.getByRole('button', { name: 'Leave', exact: true }).click(),
    });
  },
};

const RENEWING = { RENEW_AFTER_SECONDS: '1' };
