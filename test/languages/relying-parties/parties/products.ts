// Products that are started with settings.
import { randomBytes } from 'node:crypto';
import { chmodSync, cpSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PROJECT } from '../../../support/service-process.ts';
import { goTools, requirePrograms } from '../../toolchain.ts';
import { fillIn, loopback, type Party } from '../party.ts';
import { startParty } from '../programs.ts';
import { webParty } from '../web-party.ts';

const FOLDER = join(PROJECT, 'examples/relying-parties');
const MODULES = '/usr/lib/apache2/modules';

export const MOD_AUTH_OPENIDC: Party = {
  name: 'mod_auth_openidc',
  section: 'Apache',
  version: '2.4.12.3',
  login: 'code',
  claims: ['sub', 'name', 'email', 'preferred_username', 'groups'],
  refresh: 'refresh token',
  theirLogout: 'ends the session',
  ourLogout: 'at once',
  application: (origin) => ({
    type: 'WEB',
    redirectUris: [`${origin}/oidc/callback`],
    postLogoutRedirectUris: [`${origin}/goodbye`],
    backchannelLogoutUri: `${loopback(origin)}/oidc/callback?logout=backchannel`,
  }),
  async start(connection) {
    requirePrograms('/usr/sbin/apache2', `${MODULES}/mod_auth_openidc.so`);
    const { cwd, port, origin } = connection;
    chmodSync(cwd, 0o755);
    for (const folder of ['htdocs', 'htdocs/goodbye']) {
      mkdirSync(join(cwd, folder));
      writeFileSync(join(cwd, folder, 'index.html'), '<!doctype html><title>Wiki</title>Wiki');
    }
    fillIn(join(FOLDER, 'mod-auth-openidc/auth_openidc.conf'), connection);
    cpSync(join(FOLDER, 'mod-auth-openidc/httpd.conf'), join(cwd, 'httpd.conf'));
    const env = { MODULES, FOLDER: cwd, PORT: port };
    const options = { cwd, url: `${origin}/goodbye/` };
    const apache = await startParty('/usr/sbin/apache2', ['-X', '-f', join(cwd, 'httpd.conf')], env, options);
    const goodbye = encodeURIComponent(`${origin}/goodbye`);
    return webParty(apache, connection, {
      login: '/',
      claims: '/oidc/callback?info=json',
      read: ({ userinfo }) => userinfo,
      refresh: async ({ page }) => {
        const response = await page.request.get(`${origin}/oidc/callback?info=json&access_token_refresh_interval=0`);
        if (!response.ok()) throw new Error(`the refresh responds ${response.status()}`);
        return (await response.json()).access_token;
      },
      logout: `/oidc/callback?logout=${goodbye}`,
    });
  },
};

export const OAUTH2_PROXY: Party = {
  name: 'oauth2-proxy',
  section: 'oauth2-proxy',
  version: '7.15.6',
  login: 'code',
  claims: ['sub', 'email', 'preferred_username', 'groups'],
  refresh: 'refresh token',
  theirLogout: 'asks, then ends the session',
  ourLogout: 'at its next refresh',
  application: (origin) => ({
    type: 'WEB',
    redirectUris: [`${origin}/oauth2/callback`],
    postLogoutRedirectUris: [`${origin}/`],
  }),
  async start(connection) {
    const { origin, port, issuer, clientId, cwd } = connection;
    const path = await goTools('oauth2-proxy');
    const cookieSecret = randomBytes(32).toString('base64url');
    const settings = fillIn(join(FOLDER, 'oauth2-proxy/oauth2-proxy.cfg'), connection, {
      '<cookie secret>': cookieSecret,
      '"5m"': '"1s"',
      'http://127.0.0.1:8081/': 'static://200',
    });
    const env = { PATH: path, OAUTH2_PROXY_COOKIE_SECURE: 'false', OAUTH2_PROXY_HTTP_ADDRESS: `127.0.0.1:${port}` };
    const options = { cwd, url: `${origin}/ping` };
    const proxy = await startParty('oauth2-proxy', ['--config', settings], env, options);
    const endSession = new URL(`${issuer}/api/v1/auth/oauth2/end-session`);
    endSession.search = String(new URLSearchParams({ client_id: clientId, post_logout_redirect_uri: `${origin}/` }));
    return webParty(proxy, connection, {
      login: '/',
      claims: '/oauth2/userinfo',
      read: ({ user, preferredUsername, ...claims }) => ({
        ...claims,
        sub: user,
        preferred_username: preferredUsername,
      }),
      refresh: async ({ page }) => {
        // It refreshes tokens that are older than a second, and counts whole seconds.
        await new Promise((resolve) => setTimeout(resolve, 2100));
        const response = await page.request.get(`${origin}/oauth2/auth`);
        if (response.status() !== 202) throw new Error(`the refresh responds ${response.status()}`);
        return response.headers()['x-auth-request-access-token'];
      },
      logout: `/oauth2/sign_out?rd=${encodeURIComponent(endSession.href)}`,
    });
  },
};
