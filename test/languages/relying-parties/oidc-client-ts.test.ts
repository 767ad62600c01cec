// oidc-client-ts in Chromium, on another origin of the same site, with the issuer and a client id.
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { launchBrowser } from '../../../client/test/support/chromium.ts';
import { withWatchedPage } from '../../../web/test/support/watched-page.ts';
import { PASSWORD, PROVIDERS, startedProvider, type User } from './deployments.ts';
import { allow, logIn, logInFirst } from './people.ts';
import { startSpa, type Spa } from './spa.ts';

interface SpaUser {
  readonly access_token: string;
  readonly refresh_token: string;
  readonly id_token: string;
  readonly profile: Readonly<Record<string, unknown>>;
}

interface RenewOptions {
  readonly forceIframeAuth?: true;
}

/** The page of the application: spa.ts. */
declare const ready: Promise<SpaUser>;
declare const popped: Promise<SpaUser>;
declare const plain: (user: unknown) => SpaUser;
declare const errorOf: (reason: unknown) => string;
declare const users: {
  signinSilent(options: RenewOptions): Promise<unknown>;
  getUser(): Promise<unknown>;
  revokeTokens(): Promise<void>;
  storeUser(user: unknown): Promise<void>;
};

let browser: Browser;

beforeAll(async () => {
  browser = await launchBrowser();
});
afterAll(() => browser?.close());

const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });

/** Returns the user of the application to which a page has come back. */
async function returned(page: Page): Promise<SpaUser> {
  await page.waitForURL('**/callback?code=*');
  return page.evaluate(() => ready);
}

const IN_FRAME = { forceIframeAuth: true } as const;

/** Renews the tokens, by default with the refresh token. */
const renew = (page: Page, options: RenewOptions = {}) =>
  page.evaluate((given) => users.signinSilent(given).then(plain), options);

/** Returns the error that a renewal gets. */
const refusal = (page: Page, options: RenewOptions = {}) =>
  page.evaluate((given) => users.signinSilent(given).then(() => undefined, errorOf), options);

const storedUser = (page: Page) => page.evaluate(() => users.getUser().then(plain));

describe.each(PROVIDERS)('Profile $profile, $processes, $engine', ({ profile, ...kind }) => {
  const provider = startedProvider({ profile, ...kind });
  let spa: Spa;
  beforeAll(async () => {
    spa = await startSpa(register);
  });
  afterAll(() => spa?.[Symbol.asyncDispose]());

  async function register(origin: string, fields: object = {}) {
    const application = { type: 'SPA', redirectUris: [`${origin}/callback`], ...fields };
    const { clientId } = await provider.register(application);
    return { authority: provider.issuer, client_id: clientId };
  }

  /** Runs with a page of the application in a new browser. */
  const run = (play: (page: Page, context: BrowserContext) => Promise<void>, { origin } = spa) =>
    withWatchedPage(browser, [origin, new URL(provider.issuer).origin], async (page, context) => {
      await page.goto(origin);
      await play(page, context);
    });

  async function logInByRedirect(page: Page, user: User): Promise<SpaUser> {
    await button(page, 'Redirect').click();
    await logInFirst(page, user);
    return returned(page);
  }

  it('logs in by redirect, and gets the claims of the ID token and of userinfo', async () => {
    const user = await provider.user();
    await run(async (page) => {
      const { profile: claims } = await logInByRedirect(page, user);
      expect(claims).toMatchObject({ sub: user.id, name: user.name, email: user.username, email_verified: false });
    });
  });

  it('logs in in a popup', async () => {
    const user = await provider.user();
    await run(async (page, context) => {
      const [popup] = await Promise.all([context.waitForEvent('page'), button(page, 'Popup').click()]);
      const closed = popup.waitForEvent('close');
      await logInFirst(popup, user);
      await closed;
      expect((await page.evaluate(() => popped)).profile['sub']).toBe(user.id);
      if (profile === 'B') return;
      // With a session and the consent, it closes by itself.
      const [again] = await Promise.all([context.waitForEvent('page'), button(page, 'Popup').click()]);
      if (!again.isClosed()) await again.waitForEvent('close');
      expect((await page.evaluate(() => popped)).profile['sub']).toBe(user.id);
    });
  });

  it('gets the error of a user who denies', async () => {
    const user = await provider.user();
    await run(async (page) => {
      await button(page, 'Redirect').click();
      await logIn(page, user);
      await button(page, 'Deny').click();
      await page.waitForURL('**/callback?error=*');
      expect(await page.evaluate(() => ready.then(() => undefined, errorOf))).toBe('access_denied');
    });
  });

  it('renews by the refresh token, which changes', async () => {
    const user = await provider.user();
    await run(async (page) => {
      let { access_token: accessToken, refresh_token: refreshToken } = await logInByRedirect(page, user);
      for (let times = 0; times < 2; times += 1) {
        const renewed = await renew(page);
        expect(renewed.profile['sub']).toBe(user.id);
        expect(renewed.access_token).not.toBe(accessToken);
        expect(renewed.refresh_token).not.toBe(refreshToken);
        ({ access_token: accessToken, refresh_token: refreshToken } = renewed);
      }
    });
  });

  it('renews by itself before the access token expires', async () => {
    const user = await provider.user();
    // oidc-client-ts renews 60 s before the end.
    await using eager = await startSpa(async (origin) => ({
      ...(await register(origin, { accessTokenTtl: 60 })),
      automaticSilentRenew: true,
    }));
    await run(async (page) => {
      const { access_token: first } = await logInByRedirect(page, user);
      await expect.poll(async () => (await storedUser(page)).access_token, { timeout: 20_000 }).not.toBe(first);
      expect((await storedUser(page)).profile['sub']).toBe(user.id);
    }, eager);
  });

  it('revokes its tokens, which cannot be renewed then', async () => {
    const user = await provider.user();
    await run(async (page) => {
      await logInByRedirect(page, user);
      await page.evaluate(async () => {
        const user = await users.getUser();
        await users.revokeTokens();
        // The application has not forgotten them.
        await users.storeUser(user);
      });
      expect(await refusal(page)).toBe('invalid_grant');
    });
  });

  it(
    profile === 'A'
      ? 'renews in a frame, without a page, while the session lives'
      : 'cannot renew in a frame, since the browser has no cookie',
    async () => {
      const user = await provider.user();
      await run(async (page, context) => {
        const first = await logInByRedirect(page, user);
        if (profile === 'A') {
          const renewed = await renew(page, IN_FRAME);
          expect(renewed.profile).toMatchObject({ sub: user.id, sid: first.profile['sid'] });
          expect(renewed.access_token).not.toBe(first.access_token);
          expect(context.pages()).toHaveLength(1);
          await endSession(context);
        }
        expect(await refusal(page, IN_FRAME)).toBe('login_required');
      });
    },
  );

  /** Returns the subject of an access token by the answer of the service. */
  async function subjectOf(token: string): Promise<string> {
    const url = `${provider.issuer}/api/v1/auth/oauth2/userinfo`;
    const response = await fetch(url, { headers: { authorization: `Bearer ${token}` } });
    return ((await response.json()) as { readonly sub: string }).sub;
  }

  /** Logs out at the service. */
  async function endSession(context: BrowserContext): Promise<void> {
    const headers = { origin: new URL(provider.issuer).origin };
    const response = await context.request.post(`${provider.issuer}/api/v1/auth/logout`, { headers });
    expect(response.status()).toBe(200);
  }

  it('cannot renew in a frame on another site, but by the refresh token', async () => {
    const user = await provider.user();
    await using elsewhere = await startSpa(register, '127.0.0.1');
    await run(async (page) => {
      await logInByRedirect(page, user);
      expect(await refusal(page, IN_FRAME)).toBe('login_required');
      expect((await renew(page)).profile['sub']).toBe(user.id);
    }, elsewhere);
  });

  if (profile === 'A')
    it('loses its tokens with the session', async () => {
      const user = await provider.user();
      await run(async (page, context) => {
        await logInByRedirect(page, user);
        await endSession(context);
        expect(await refusal(page)).toBe('invalid_grant');
      });
    });

  it('logs in in two tabs at once', async () => {
    const user = await provider.user();
    await run(async (page, context) => {
      const second = await context.newPage();
      await second.goto(spa.origin);
      for (const tab of [page, second]) {
        await button(tab, 'Redirect').click();
        await tab.getByLabel('Username').fill(user.username);
        await tab.getByLabel('Password').fill(PASSWORD);
      }
      await button(page, 'Log in').click();
      await button(second, 'Log in').click();
      await allow(page);
      const first = await returned(page);
      await allow(second);
      for (const { access_token: token } of [first, await returned(second)])
        expect(await subjectOf(token)).toBe(user.id);
    });
  });

  it('renews in two tabs at once, with one refresh token', async () => {
    const user = await provider.user();
    await run(async (page, context) => {
      const { refresh_token: first } = await logInByRedirect(page, user);
      const second = await context.newPage();
      await second.goto(spa.origin);
      expect((await storedUser(second)).refresh_token).toBe(first);
      const renewed = await Promise.all([page, second].map((tab) => renew(tab)));
      expect(renewed.map(({ profile: { sub } }) => sub)).toEqual([user.id, user.id]);
      for (const tab of [page, second]) expect((await renew(tab)).profile['sub']).toBe(user.id);
    });
  });
});
