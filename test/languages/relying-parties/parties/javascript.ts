// Programs in JavaScript and TypeScript.
import { join } from 'node:path';
import { runShell } from '../../commands.ts';
import { openWorkspace } from '../../workspace.ts';
import { allow, logIn } from '../people.ts';
import { loopback, type Connection, type Party, type RunningParty } from '../party.ts';
import { startParty } from '../programs.ts';
import { startSpa } from '../spa.ts';
import { environment, STEPS, webParty } from '../web-party.ts';

/** Returns a folder with the packages of a program. */
async function installed(name: string): Promise<string> {
  const cwd = join(openWorkspace(), 'examples/relying-parties', name);
  const install = 'npm ci --ignore-scripts --no-audit --no-fund';
  await runShell(`[ node_modules/.package-lock.json -nt package-lock.json ] || ${install}`, { cwd });
  return cwd;
}

const startWiki = async (name: string, connection: Connection) =>
  startParty(process.execPath, [join(await installed(name), 'wiki.mjs')], environment(connection));

/** A web application that does all by its server. */
const WEB = {
  login: 'code',
  refresh: 'refresh token',
  theirLogout: 'ends the session',
  ourLogout: 'at once',
  application: (origin: string) => ({
    type: 'WEB',
    redirectUris: [`${origin}/callback`],
    postLogoutRedirectUris: [origin, `${origin}/`],
    backchannelLogoutUri: `${loopback(origin)}/backchannel-logout`,
  }),
} as const;

export const EXPRESS: Party = {
  ...WEB,
  name: 'express-openid-connect',
  version: '3.4.0',
  claims: ['sub', 'name', 'email', 'preferred_username', 'groups'],
  start: async (connection) => webParty(await startWiki('express-openid-connect', connection), connection, STEPS),
};

export const OPENID_CLIENT: Party = {
  ...WEB,
  name: 'openid-client',
  version: '6.9.0',
  claims: ['sub', 'name', 'email', 'preferred_username', 'groups'],
  start: async (connection) => webParty(await startWiki('openid-client', connection), connection, STEPS),
};

/** What oidc-client-ts keeps of a user: spa.ts. */
declare const ready: Promise<{ profile: Record<string, unknown> } | null>;
declare const users: {
  signinSilent(): Promise<{ access_token: string } | null>;
  getUser(): Promise<{ profile: Record<string, unknown> } | null>;
  signoutRedirect(options: object): Promise<void>;
};

export const OIDC_CLIENT_TS: Party = {
  name: 'oidc-client-ts',
  version: '3.5.0',
  login: 'code',
  claims: ['sub', 'name', 'email', 'preferred_username'],
  refresh: 'refresh token',
  theirLogout: 'ends the session',
  ourLogout: 'at its next refresh',
  application: (origin) => ({
    type: 'SPA',
    redirectUris: [`${origin}/callback`],
    postLogoutRedirectUris: [`${origin}/`],
  }),
  async start({ issuer, clientId, port, origin }): Promise<RunningParty> {
    const settings = { authority: issuer, client_id: clientId, post_logout_redirect_uri: `${origin}/` };
    const spa = await startSpa(async () => settings, 'localhost', Number(port));
    return {
      async logIn({ page, user }) {
        await page.goto(origin);
        await page.getByRole('button', { name: 'Redirect', exact: true }).click();
        await logIn(page, user);
        await allow(page);
        await page.waitForURL('**/callback?code=*');
        await page.evaluate(() => ready.then(() => undefined));
      },
      claims: ({ page }) => page.evaluate(() => users.getUser().then((user) => user?.profile)),
      refresh: ({ page }) => page.evaluate(() => users.signinSilent().then((user) => user!.access_token)),
      async logOut({ page }) {
        await page.evaluate(() => void users.signoutRedirect({}));
        await page.waitForURL(`${origin}/`);
      },
      stop: async () => await spa[Symbol.asyncDispose](),
    };
  },
};
