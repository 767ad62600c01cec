// What is the same on each screen of /console: no barriers, a lost network, an ended session, many tabs, paper and long lists.
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { launchBrowser } from '../../../client/test/support/chromium.ts';
import { seedAccount } from '../../../test/support/accounts.ts';
import { ENGINES } from '../../../test/support/databases.ts';
import { seedSession } from '../../../test/support/sessions.ts';
import { rowsOf, waitForScreen } from '../support/console.ts';
import { findBrokenWords, findCutTexts } from '../support/fitting-texts.ts';
import { expectNoBarriers } from '../support/pages.ts';
import { startSeededService, type SeededService, type User } from '../support/seeded-service.ts';

const ROOT = { tenantId: undefined, roles: ['SUPER_ADMIN'] };
const TOKEN_LIFETIME_MS = 900_000;
const USERS = 45;

/** The screens of the navigation, and whether they ask the service when they are opened. */
const SCREENS = [
  ['Tenants', true],
  ['Users', true],
  ['Service accounts', true],
  ['Applications', true],
  ['Sessions', true],
  ['Roles', true],
  ['Policy', true],
  ['Audit', true],
  ['Webhooks', true],
  ['Signing keys', true],
  ['Explain', false],
] as const;

let browser: Browser;
let service: SeededService;

beforeAll(async () => {
  [browser, service] = await Promise.all([launchBrowser(), startSeededService(ENGINES[0]!)]);
  for (let index = 0; index < USERS; index += 1)
    await seedAccount(service.deployment.database, { name: `User ${index}`, roles: ['SALES'] });
});
afterAll(async () => {
  await browser?.close();
  await service?.close();
});

const asRoot = (play: (user: User) => Promise<void>) => service.as(browser, ROOT, play);
const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });
const link = (page: Page, name: string) =>
  page.getByRole('navigation', { name: 'Screens' }).getByRole('link', { name, exact: true });

async function open(page: Page, path: string, title: string): Promise<void> {
  await page.goto(`${service.origin}/console${path}`);
  await waitForScreen(page, title);
}

async function show(page: Page, title: string): Promise<void> {
  const menu = page.getByRole('navigation', { name: 'Screens' }).getByRole('button');
  if (await menu.isVisible()) await menu.click();
  await link(page, title).click();
  await waitForScreen(page, title);
}

it('has no barriers and cuts no text on any screen, narrow and wide, light and dark', async () => {
  await asRoot(async ({ page, account }) => {
    const check = async (screen: string) => {
      await expectNoBarriers(page, screen);
      for (const width of [360, 768, 1600]) {
        await page.setViewportSize({ width, height: 800 });
        expect(await findCutTexts(page), `${screen}, ${width} px`).toEqual([]);
      }
    };
    await open(page, '?tenantId=acme', 'Overview');
    await check('Overview');
    for (const [title] of SCREENS) {
      await show(page, title);
      await check(title);
    }
    await show(page, 'Roles');
    await page.getByRole('link', { name: 'ADMIN', exact: true }).click();
    await waitForScreen(page, 'ADMIN');
    await check('a role');
    await open(page, `/users/${account.id}`, account.name);
    await check('a user');
    await button(page, 'Change roles').click();
    await page.getByRole('dialog').getByLabel('SUPER_ADMIN').waitFor();
    await check('roles of a user');
    await page.keyboard.press('Escape');
    await page.getByRole('link', { name: 'Can’t log in?' }).click();
    await waitForScreen(page, `${account.name} can’t log in`);
    await check('a user who cannot log in');
    await open(page, '/policy?tenantId=acme', 'Policy');
    await button(page, 'Change policy').click();
    await check('a form of the policy');
    await page.keyboard.press('Escape');
    await open(page, `/sessions?user=${account.id}`, 'Sessions');
    await page.locator('tbody a[href*="/sessions/"]').click();
    await waitForScreen(page, `Session of ${account.username}`);
    await check('a session');
    await page.getByRole('button', { name: /^Tenant/ }).click();
    await page.getByRole('link', { name: 'acme acme' }).waitFor();
    await check('choice of a tenant');
    await page.keyboard.press('Escape');
    await page.keyboard.press('?');
    await page.getByText('Search the list').waitFor();
    await check('keys');
  });
}, 120_000);

it('fits names of 60 characters and long states into lists, and breaks no short word', async () => {
  const { database, clock } = service.deployment;
  const username = `maximiliane-alexandra.von-und-zu-hohenstein@${'a'.repeat(9)}.example`;
  const name = 'Maximiliane Alexandra Freifrau von und zu Hohenstein-Wallers';
  const invited = { hasPassword: false, invitationExpiresAt: clock.now() + TOKEN_LIFETIME_MS };
  await seedAccount(database, { name, username, tenantId: 'acme', roles: ['TENANT_ADMIN'], ...invited });
  await asRoot(async ({ page }) => {
    const LISTS = [
      ['users', 'Users', 'Benutzer'],
      ['roles', 'Roles', 'Rollen'],
      ['sessions', 'Sessions', 'Sitzungen'],
    ] as const;
    for (const [path, ...titles] of LISTS)
      for (const [index, title] of titles.entries()) {
        await page.goto(`${service.origin}/console/${path}?tenantId=acme`);
        await button(page, index === 0 ? 'English' : 'Deutsch').click();
        await waitForScreen(page, title);
        for (const width of [360, 390, 768, 1280]) {
          await page.setViewportSize({ width, height: 800 });
          const found = [...(await findCutTexts(page)), ...(await findBrokenWords(page))];
          expect(found, `${title}, ${width} px`).toEqual([]);
        }
      }
  });
}, 120_000);

it('shows what to do about a lost network on each screen, and goes on afterwards', async () => {
  await asRoot(async ({ page, context }) => {
    const comeBack = async (title: string) => {
      await context.setOffline(false);
      await button(page, 'Try again').click();
      await button(page, 'Try again').waitFor({ state: 'detached' });
      await waitForScreen(page, title);
    };
    await open(page, '?tenantId=acme', 'Overview');
    for (const [title, asks] of SCREENS) {
      await context.setOffline(true);
      await link(page, title).click();
      await page.getByText('This screen could not be loaded').waitFor();
      await comeBack(title);
      if (!asks) continue;
      await context.setOffline(true);
      await link(page, 'Overview').click();
      await page.getByText('The service cannot be reached').first().waitFor();
      await link(page, title).click();
      await page.getByText('The service cannot be reached').first().waitFor();
      await comeBack(title);
    }
  });
});

it('leads from each screen to the login when the session has ended', async () => {
  await asRoot(async ({ page, context, account }) => {
    for (const [title] of SCREENS.filter(([, asks]) => asks)) {
      await open(page, '?tenantId=acme', 'Overview');
      await context.request.post(`${service.origin}/api/v1/auth/logout`);
      await link(page, title).click();
      await page.waitForURL('**/login?return=*');
      await page.getByRole('heading', { name: 'Log in' }).waitFor();
      const path = `/console/${title.toLowerCase().replace(' ', '-')}?tenantId=acme`;
      expect(new URL(page.url()).searchParams.get('return')).toBe(path);
      // With a session, the login would lead back.
      await page.goto('about:blank');
      await context.addCookies([service.cookieOf(await seedSession(service.deployment, account))]);
    }
  });
});

it('shows each of five tabs what another one saved, and keeps them logged in after their tokens expired', async () => {
  await asRoot(async ({ page: first, context }) => {
    const tabs = [first, ...(await Promise.all(Array.from({ length: 4 }, () => context.newPage())))];
    const openPolicy = (tab: Page) => open(tab, '/policy?tenantId=acme', 'Policy');
    // One after the other: Chromium lets tabs wait up to 20 s for a file that another one is storing.
    for (const tab of tabs) await openPolicy(tab);
    for (const tab of tabs) await button(tab, 'Change policy').dispatchEvent('click');
    for (const [index, tab] of tabs.entries()) {
      // A tab in the background renders once a second.
      await tab.bringToFront();
      await tab.getByLabel('Most sessions of an account').fill(String(50 - index));
      await button(tab, 'Save').click();
      if (index > 0) {
        await tab.getByRole('heading', { name: 'Changed meanwhile' }).waitFor();
        const values = await tab.locator('dialog tbody td').allInnerTexts();
        expect(values).toEqual([String(50 - index), String(51 - index)]);
        await button(tab, 'Save').click();
      }
      await tab.getByText('Policy saved').waitFor();
    }
    service.deployment.clock.advance(TOKEN_LIFETIME_MS);
    await Promise.all(tabs.map((tab) => link(tab, 'Sessions').dispatchEvent('click')));
    for (const tab of tabs) await waitForScreen(tab, 'Sessions');
    await button(first, 'Log out').dispatchEvent('click');
    for (const tab of tabs) await tab.waitForURL('**/login?return=*');
  });
});

it('prints the content of each screen in the light colours, as wide as the paper', async () => {
  await asRoot(async ({ page }) => {
    await page.emulateMedia({ colorScheme: 'dark', reducedMotion: 'reduce' });
    await open(page, '?tenantId=acme', 'Overview');
    for (const [title] of SCREENS) {
      await page.setViewportSize({ width: 1280, height: 1000 });
      await show(page, title);
      await page.setViewportSize({ width: 720, height: 1000 });
      await page.emulateMedia({ media: 'print' });
      const printed = await page.evaluate(() => ({
        width: document.querySelector('main')!.clientWidth,
        shown: [...document.querySelectorAll('nav, button:not(.link, .tenant *), .filters')].filter((element) =>
          element.checkVisibility(),
        ).length,
        color: getComputedStyle(document.body).color,
        emptyHeaders: [...document.querySelectorAll<HTMLElement>('tbody th')].filter((cell) => cell.innerText === '')
          .length,
      }));
      expect({ title, ...printed }).toEqual({ title, width: 720, shown: 0, color: 'rgb(0, 0, 0)', emptyHeaders: 0 });
      await page.emulateMedia({ media: 'screen' });
    }
  });
});

it('pages by cursor, forward and back, and leads out of a page that does not exist', async () => {
  await asRoot(async ({ page }) => {
    const asked: string[] = [];
    page.on('request', (request) => {
      const { pathname, search } = new URL(request.url());
      if (pathname === '/api/v1/users') asked.push(search);
    });
    await open(page, '/users?tenantId=acme&role=SALES', 'Users');
    const [before] = await rowsOf(page);
    await button(page, 'Next page').click();
    await page.getByText('21–40').waitFor();
    const second = await rowsOf(page);
    await button(page, 'Next page').click();
    await page.getByText(`41–${USERS}`).waitFor();
    await button(page, 'Previous page').click();
    await page.getByText('21–40').waitFor();
    expect(await rowsOf(page)).toEqual(second);
    expect(asked.slice(1).filter((search) => !/[?&]after=/.test(search) || /[?&]page=/.test(search))).toEqual([]);
    await button(page, 'Previous page').click();
    await page.getByText('1–20').waitFor();
    expect((await rowsOf(page))[0]).toBe(before);

    for (const place of ['page=3&after=forged', 'page=600', 'page=9']) {
      await page.goto(`${service.origin}/console/users?tenantId=acme&${place}`);
      await page.getByText('The list has fewer pages.').waitFor();
    }
    await button(page, 'First page').click();
    await page.getByText('1–20').waitFor();
  });
});

it('shows the sessions of one user', async () => {
  const { database } = service.deployment;
  const user = await seedAccount(database, { username: 'sam@acme.test' });
  await seedSession(service.deployment, user);
  await asRoot(async ({ page }) => {
    await open(page, '/sessions', 'Sessions');
    expect((await rowsOf(page)).length).toBeGreaterThan(1);
    await page.keyboard.press('/');
    expect(await page.getByLabel('Username or user id').evaluate((field) => field === document.activeElement)).toBe(
      true,
    );
    for (const text of ['Sam@acme.test', user.id]) {
      await page.getByLabel('Username or user id').fill(text);
      await page.keyboard.press('Enter');
      await page.waitForURL(`**user=${encodeURIComponent(text)}`);
      await expect.poll(() => rowsOf(page)).toEqual(['sam@acme.test']);
    }
    await page.getByLabel('Username or user id').fill('sam@acme');
    await page.keyboard.press('Enter');
    await page.getByText('Nothing matches').waitFor();
  });
});
