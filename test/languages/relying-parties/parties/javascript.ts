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
  startParty(process.execPath, [join(await installed(name), 'wiki.mjs')], {
    ...environment(connection),
    AUTH_TENANT: 'acme',
  });

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
  section: 'Express',
  version: '3.4.0',
  claims: ['sub', 'name', 'email', 'preferred_username', 'groups'],
  start: async (connection) => webParty(await startWiki('express-openid-connect', connection), connection, STEPS),
};

export const OPENID_CLIENT: Party = {
  ...WEB,
  name: 'openid-client',
  section: 'Express',
  version: '6.9.0',
  claims: ['sub', 'name', 'email', 'preferred_username', 'groups'],
  start: async (connection) => webParty(await startWiki('openid-client', connection), connection, STEPS),
};

export const NEXT_AUTH: Party = {
  name: 'next-auth with Next.js 16.4.6',
  section: 'Next.js',
  version: '4.24.15',
  login: 'code',
  claims: ['name', 'email'],
  refresh: 'refresh token',
  theirLogout: 'ends the session',
  ourLogout: 'at its next refresh',
  application: (origin) => ({
    type: 'WEB',
    redirectUris: [`${origin}/api/auth/callback/auth`],
    postLogoutRedirectUris: [`${origin}/goodbye`],
    // It refreshes a minute before the end: at each use.
    accessTokenTtl: 60,
  }),
  async start(connection) {
    const { origin, port } = connection;
    const cwd = await installed('next-auth');
    const next = join(cwd, 'node_modules/next/dist/bin/next');
    const built = { NEXT_TELEMETRY_DISABLED: '1', NODE_ENV: 'production' };
    // Builds again when a source has changed.
    const newer = "find . '(' -name node_modules -o -name .next ')' -prune -o -type f -newer .next/BUILD_ID -print";
    const isBuilt = `[ -e .next/BUILD_ID ] && [ -z "$(${newer})" ]`;
    await runShell(`${isBuilt} || '${process.execPath}' '${next}' build`, { cwd, env: built });
    const env = { ...built, ...environment(connection), NEXTAUTH_URL: origin, NEXTAUTH_SECRET: 'of the test alone' };
    const options = { cwd, url: `${origin}/goodbye` };
    const child = await startParty(process.execPath, [next, 'start', '--port', port], env, options);
    return webParty(child, connection, {
      ...STEPS,
      login: '/api/auth/signin',
      begin: (page) => page.getByRole('button', { name: 'Sign in with Acme' }).click(),
      refresh: async ({ page }) => {
        await page.request.get(`${origin}/api/auth/session`);
        const response = await page.request.get(`${origin}/refresh`);
        if (!response.ok()) throw new Error(`the refresh responds ${response.status()}`);
        return response.json();
      },
    });
  },
};

export const MCP: Party = {
  name: 'MCP TypeScript SDK',
  section: 'MCP servers',
  version: '1.32.2',
  login: 'code',
  claims: ['sub'],
  refresh: 'refresh token',
  theirLogout: 'none',
  ourLogout: 'at its next refresh',
  application: (origin) => ({
    type: 'NATIVE',
    redirectUris: [`${origin}/callback`],
    resources: [`${origin}/mcp`],
  }),
  start: async (connection) => webParty(await startWiki('mcp', connection), connection, STEPS),
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
  section: 'A React application',
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
