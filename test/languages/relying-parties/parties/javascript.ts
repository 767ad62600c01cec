// Programs in JavaScript and TypeScript.
import { allow, logIn } from '../people.ts';
import type { Party, RunningParty } from '../party.ts';
import { startSpa } from '../spa.ts';

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
