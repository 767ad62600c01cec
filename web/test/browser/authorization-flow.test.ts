// Logins for applications in Chromium, from the authorization endpoint to the tokens: all of it is the real service.
import { createHash } from 'node:crypto';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { launchBrowser } from '../../../client/test/support/chromium.ts';
import type { Account } from '../../../src/auth/access/account.ts';
import { PASSWORD, seedAccount } from '../../../test/support/accounts.ts';
import { ENGINES } from '../../../test/support/databases.ts';
import { seedSession } from '../../../test/support/sessions.ts';
import { codeAt } from '../../../test/support/totp.ts';
import { expectNoBarriers, withPage } from '../support/pages.ts';
import { startSeededService, type SeededService } from '../support/seeded-service.ts';

const VERIFIER = 'v'.repeat(43);
const CHALLENGE = createHash('sha256').update(VERIFIER).digest('base64url');

let browser: Browser;
let service: SeededService;
let administrator: string;

beforeAll(async () => {
  [browser, service] = await Promise.all([launchBrowser(), startSeededService(ENGINES.at(-1)!)]);
  const account = await seedAccount(service.deployment.database, { roles: ['ADMIN'] });
  administrator = (await seedSession(service.deployment, account)).accessToken;
});
afterAll(async () => {
  await browser?.close();
  await service?.close();
});

const heading = (page: Page, name: string) => page.getByRole('heading', { name, exact: true });
const button = (page: Page, name: string | RegExp) => page.getByRole('button', { name, exact: true });
const callback = () => `${service.origin}/health/live`;

async function logIn(page: Page, { username }: Account): Promise<void> {
  await page.getByLabel('Username').fill(username);
  await page.getByLabel('Password').fill(PASSWORD);
  await button(page, 'Log in').click();
}

/** Creates an application, and returns a function that returns the URL of an authorization request. */
async function newApplication(fields: object = {}) {
  const body = JSON.stringify({ name: 'Wiki', type: 'SPA', tenantId: 'acme', redirectUris: [callback()], ...fields });
  const headers = { 'content-type': 'application/json', authorization: `Bearer ${administrator}` };
  const response = await fetch(`${service.origin}/api/v1/applications`, { method: 'POST', headers, body });
  expect(response.status).toBe(201);
  // Without a secret, it is the body.
  const { clientId } = (await response.json()) as { readonly clientId: string };
  return (more: Readonly<Record<string, string>> = {}) => {
    const query = {
      client_id: clientId,
      redirect_uri: callback(),
      response_type: 'code',
      scope: 'openid email',
      code_challenge: CHALLENGE,
      code_challenge_method: 'S256',
      ...more,
    };
    return `${service.origin}/api/v1/auth/oauth2/authorize?${new URLSearchParams(query)}`;
  };
}

/** Returns the parameters with which the browser comes back to the application. */
async function outcomeOf(page: Page): Promise<Record<string, string>> {
  await page.waitForURL(`${callback()}?*`);
  return Object.fromEntries(new URL(page.url()).searchParams);
}

/** Redeems the code of the application to which the browser has come back. */
async function redeem(page: Page, url: string): Promise<void> {
  const { code = '' } = await outcomeOf(page);
  const body = new URLSearchParams({
    grant_type: 'authorization_code',
    code,
    client_id: new URL(url).searchParams.get('client_id')!,
    redirect_uri: callback(),
    code_verifier: VERIFIER,
  });
  const response = await fetch(`${service.origin}/api/v1/auth/oauth2/token`, { method: 'POST', body });
  expect([response.status, await response.json()]).toMatchObject([200, { id_token: expect.any(String) }]);
}

type Play = (page: Page, context: BrowserContext) => Promise<void>;
const run = (play: Play) => withPage(browser, service.origin, play);

describe('an application', () => {
  it('gets consent once', async () => {
    const url = await newApplication();
    await service.as(browser, {}, async ({ page }) => {
      await page.goto(url());
      await button(page, 'Allow').click();
      expect(await outcomeOf(page)).toHaveProperty('code');
      await page.goto(url());
      expect(await outcomeOf(page)).toHaveProperty('code');
    });
  });

  it('loses its access at a click of the user, with the consent', async () => {
    const url = await newApplication();
    await service.as(browser, {}, async ({ page }) => {
      await page.goto(url());
      await button(page, 'Allow').click();
      await redeem(page, url());
      await page.goto(`${service.origin}/account/applications`);
      await page.getByRole('rowheader', { name: 'Wiki' }).waitFor();
      await expectNoBarriers(page, 'applications with access');
      await button(page, 'End the access of Wiki').click();
      await button(page, 'End access').click();
      await page.getByText('No application has access to this account.').waitFor();
      await page.goto(url());
      await button(page, 'Deny').click();
      expect(await outcomeOf(page)).toMatchObject({ error: 'access_denied' });
    });
  });

  it('loses its access at a click of an administrator', async () => {
    const url = await newApplication({ name: 'Guest' });
    await service.as(browser, {}, async ({ page, account }) => {
      await page.goto(url());
      await button(page, 'Allow').click();
      await redeem(page, url());
      await service.as(browser, { roles: ['ADMIN'] }, async ({ page: console }) => {
        await console.goto(`${service.origin}/console/users/${account.id}`);
        await console.getByRole('rowheader', { name: 'Guest' }).waitFor();
        await expectNoBarriers(console, 'applications of a user');
        await button(console, 'End the access of Guest').click();
        await button(console, 'End access').click();
        await console.getByText('No application has access to this account.').waitFor();
      });
      await page.goto(`${service.origin}/account/applications`);
      await page.getByText('No application has access to this account.').waitFor();
    });
  });

  it('can ask for a login, which a confirmation is', async () => {
    const url = await newApplication();
    await service.as(browser, {}, async ({ page }) => {
      service.deployment.clock.advance(1_000);
      await page.goto(url({ prompt: 'login' }));
      await page.getByLabel('Password').fill(PASSWORD);
      await button(page, 'Confirm').click();
      await button(page, 'Allow').click();
      expect(await outcomeOf(page)).toHaveProperty('code');
    });
  });

  it('can ask for the account, and gets another one', async () => {
    const url = await newApplication();
    const foreign = await seedAccount(service.deployment.database, { tenantId: 'globex' });
    const second = await seedAccount(service.deployment.database);
    await service.as(browser, {}, async ({ page, account }) => {
      await page.goto(url({ prompt: 'select_account' }));
      await button(page, `Continue as ${account.name}`).waitFor();
      await button(page, 'Use another account').click();
      await logIn(page, foreign);
      await heading(page, 'No access with this account').waitFor();
      await button(page, 'Use another account').click();
      await logIn(page, second);
      await button(page, `Continue as ${second.name}`).click();
      expect(await outcomeOf(page)).toHaveProperty('code');
    });
  });

  it('that needs a second factor gets it from an account without one', async () => {
    const url = await newApplication({ requiredAcr: 'mfa' });
    const account = await seedAccount(service.deployment.database);
    await run(async (page) => {
      await page.goto(url());
      await logIn(page, account);
      await button(page, /Authenticator app/).click();
      const secret = (await page.locator('.secret code').textContent())!.replaceAll(' ', '');
      await page.getByLabel('Code').fill(codeAt(secret, service.deployment.clock.now()));
      await button(page, 'Set up app').click();
      await page.getByLabel('I have saved these codes').check();
      await button(page, 'Continue').click();
      await button(page, 'Allow').click();
      expect(await outcomeOf(page)).toHaveProperty('code');
    });
  });

  it('that needs a second factor learns that the user goes on without', async () => {
    const url = await newApplication({ requiredAcr: 'mfa' });
    await service.as(browser, {}, async ({ page }) => {
      await page.goto(url());
      await button(page, 'Continue without it').click();
      expect(await outcomeOf(page)).toMatchObject({ error: 'unmet_authentication_requirements' });
    });
  });
});

describe('a request', () => {
  it('that has expired leads to the start of the application', async () => {
    const url = await newApplication({ homeUrl: 'https://wiki.test/' });
    const account = await seedAccount(service.deployment.database);
    await run(async (page) => {
      await page.goto(url({ login_hint: account.username, ui_locales: 'de' }));
      await heading(page, 'Anmelden').waitFor();
      await button(page, 'English').click();
      service.deployment.clock.advance(601_000);
      await page.getByLabel('Password').fill(PASSWORD);
      await button(page, 'Log in').click();
      await heading(page, 'This request has expired').waitFor();
      const link = page.getByRole('link', { name: 'Start again at Wiki' });
      expect(await link.getAttribute('href')).toBe('https://wiki.test/');
    });
  });

  it('of an unknown application gets a page without a script, in the language of the browser', async () => {
    await run(async (page) => {
      await page.goto(`${service.origin}/api/v1/auth/oauth2/authorize?client_id=unknown`);
      await heading(page, 'This application cannot log you in here').waitFor();
      expect(await page.locator('script').count()).toBe(0);
      expect(await page.locator('h1').evaluate((title) => getComputedStyle(title).fontWeight)).toBe('650');
    });
  });
});
