// The page that asks before an application logs out its user, in Chromium, with the real service.
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { launchBrowser } from '../../../client/test/support/chromium.ts';
import { PASSWORD, seedAccount } from '../../../test/support/accounts.ts';
import { caller } from '../../../test/support/callers.ts';
import { ENGINES } from '../../../test/support/databases.ts';
import { expectNoBarriers, withPage } from '../support/pages.ts';
import { startSeededService, type SeededService } from '../support/seeded-service.ts';

let browser: Browser;
beforeAll(async () => void (browser = await launchBrowser()));
afterAll(() => browser?.close());

const heading = (page: Page, name: string) => page.getByRole('heading', { name, exact: true });
const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });

/** Registers an application. Returns its URL for logouts. */
async function register({ deployment, origin }: SeededService) {
  await seedAccount(deployment.database);
  const back = `${origin}/health/live`;
  const root = await caller(deployment, { tenantId: undefined, roles: ['SUPER_ADMIN'] });
  const { status, body } = await root.post('/applications', {
    name: 'Wiki',
    type: 'SPA',
    tenantId: 'acme',
    redirectUris: ['https://wiki.example.com/callback'],
    postLogoutRedirectUris: [back],
  });
  expect(status).toBe(201);
  const urlOf = (parameters: Readonly<Record<string, string>> = {}) =>
    `${origin}/api/v1/auth/oauth2/end-session?${new URLSearchParams({ client_id: body.clientId, ...parameters })}`;
  return { urlOf, back };
}

describe('a logout by an application', () => {
  let service: SeededService;
  let urlOf: Awaited<ReturnType<typeof register>>['urlOf'];
  let back: string;
  beforeAll(async () => {
    service = await startSeededService(ENGINES.at(-1)!);
    ({ urlOf, back } = await register(service));
  });
  afterAll(() => service?.close());

  it('asks, ends the session of the browser, and returns to the application', async () => {
    await service.as(browser, {}, async ({ page, context }) => {
      await page.goto(urlOf({ post_logout_redirect_uri: back, state: 'a b' }));
      await heading(page, 'Log out?').waitFor();
      expect(new URL(page.url()).pathname).toBe('/logout');
      await expectNoBarriers(page, 'question of a logout');
      await button(page, 'Log out').click();
      await page.waitForURL(`${back}?state=a%20b`);
      expect(await context.cookies()).toEqual([]);
      // Without a session, nothing is asked.
      await page.goto(urlOf({ post_logout_redirect_uri: back }));
      expect(page.url()).toBe(back);
    });
  });

  it('leads to the account instead, whose session lives on', async () => {
    await service.as(browser, {}, async ({ page, context }) => {
      await page.goto(urlOf({ post_logout_redirect_uri: back }));
      await page.getByRole('link', { name: 'Stay logged in' }).click();
      await page.waitForURL('**/account');
      await button(page, 'Log out').waitFor();
      expect(await context.cookies()).not.toEqual([]);
    });
  });

  it('stays if the application names no URI, in the language that it asks for', async () => {
    await service.as(browser, {}, async ({ page }) => {
      await page.goto(urlOf({ ui_locales: 'fr de' }));
      await heading(page, 'Abmelden?').waitFor();
      await expectNoBarriers(page, 'question of a logout in German');
      await button(page, 'Abmelden').click();
      await heading(page, 'Sie sind abgemeldet').waitFor();
      await expectNoBarriers(page, 'after a logout in German');
      await page.goto(urlOf({ ui_locales: 'de' }));
      await heading(page, 'Sie sind abgemeldet').waitFor();
    });
  });

  it('is answered once: another tab says so, in both languages, and nothing else ends', async () => {
    await service.as(browser, {}, async ({ page, context }) => {
      await page.goto(urlOf());
      await heading(page, 'Log out?').waitFor();
      const other = await context.newPage();
      await other.goto(page.url());
      await button(other, 'Log out').click();
      await heading(other, 'You are logged out').waitFor();
      await expectNoBarriers(other, 'after a logout');
      await button(page, 'Log out').click();
      await heading(page, 'This request has expired').waitFor();
      await expectNoBarriers(page, 'expired request of a logout');
      await button(page, 'Deutsch').click();
      await heading(page, 'Diese Anfrage ist abgelaufen').waitFor();
    });
    await service.as(browser, {}, async ({ page, context }) => {
      await page.goto(`${service.origin}/logout`);
      await heading(page, 'This request has expired').waitFor();
      await page.goto(`${service.origin}/logout?request=${'x'.repeat(43)}`);
      await button(page, 'Log out').click();
      await heading(page, 'This request has expired').waitFor();
      expect(await context.cookies()).toHaveLength(1);
    });
  });

  it('ends nothing with a URI that is not registered', async () => {
    await service.as(browser, {}, async ({ page, context }) => {
      const response = await page.goto(urlOf({ post_logout_redirect_uri: `${back}/` }));
      expect([response?.status(), new URL(page.url()).pathname]).toEqual([400, '/api/v1/auth/oauth2/end-session']);
      await expectNoBarriers(page, 'refused logout');
      expect(await context.cookies()).toHaveLength(1);
    });
  });
});

describe('under Profile B', () => {
  let service: SeededService;
  beforeAll(async () => {
    service = await startSeededService(ENGINES[0]!, { 'app.security.auth-profile': 'B' });
  });
  afterAll(() => service?.close());

  it('asks for a login, because no cookie shows the session, and ends that one', async () => {
    const { urlOf, back } = await register(service);
    const { username } = await seedAccount(service.deployment.database);
    await withPage(browser, service.origin, async (page) => {
      await page.goto(urlOf({ post_logout_redirect_uri: back }));
      await page.getByLabel('Username').fill(username);
      await page.getByLabel('Password').fill(PASSWORD);
      await button(page, 'Log in').click();
      await heading(page, 'Log out?').waitFor();
      await button(page, 'Log out').click();
      await page.waitForURL(back);
    });
  });
});
