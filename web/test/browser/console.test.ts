// The frame of /console and its tenants, in Chromium against the service with its demo data.
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { launchBrowser } from '../../../client/test/support/chromium.ts';
import { startService, type Service } from '../../../client/test/support/services.ts';
import { ENGINES } from '../../../test/support/databases.ts';
import { endProcesses } from '../../../test/support/service-process.ts';
import { rowsOf, screensOf, waitForScreen, withSession } from '../support/console.ts';
import { findBarriers, withPage } from '../support/pages.ts';

const HOSTILE = `<b>x</b> שלום 💥 ${'ä'.repeat(170)}`;
let browser: Browser;
let service: Service;
let origin: string;

beforeAll(async () => {
  [browser, service] = await Promise.all([launchBrowser(), startService(ENGINES[0]!)]);
  origin = service.url;
});
afterAll(async () => {
  await browser?.close();
  await service?.stop();
  await endProcesses();
});

it('leads to the login and back to the same screen', async () => {
  await withPage(browser, origin, async (page) => {
    await page.goto(`${origin}/console/tenants?q=acme`);
    await page.getByLabel('Username').fill('root');
    await page.getByLabel('Password').fill('demo-password-1');
    await page.getByRole('button', { name: 'Log in' }).first().click();
    await waitForScreen(page, 'Tenants');
    expect(new URL(page.url()).search).toBe('?q=acme');
    expect(await rowsOf(page)).toEqual(['Acme Flowers']);
  });
});

it('folds the navigation on narrow screens, and opens it by keyboard', async () => {
  await withSession(browser, origin, 'root', async (page) => {
    await page.setViewportSize({ width: 360, height: 800 });
    await page.goto(`${origin}/console/tenants`);
    await waitForScreen(page, 'Tenants');
    expect(await screensOf(page)).toEqual([]);
    const menu = page.getByRole('button', { name: 'Tenants', exact: true });
    await menu.press('Enter');
    expect(await screensOf(page)).toContain('Overview');
    expect(await findBarriers(page)).toEqual([]);
    await page.keyboard.press('Escape');
    expect(await screensOf(page)).toEqual([]);
    await menu.press('Enter');
    await page.getByRole('link', { name: 'Roles' }).press('Enter');
    await waitForScreen(page, 'Roles');
    expect(await screensOf(page)).toEqual([]);
  });
});

it('shows that an account may see nothing', async () => {
  await withSession(browser, origin, 'flora@acme.test', async (page) => {
    for (const path of ['/console', '/console/tenants']) {
      await page.goto(origin + path);
      await page.getByRole('heading', { name: 'You may not see this' }).waitFor();
      expect(await screensOf(page)).toEqual([]);
    }
    expect(await findBarriers(page)).toEqual([]);
    await page.getByRole('main').getByRole('link', { name: 'My account' }).click();
    await page.getByRole('heading', { name: 'Second factors' }).waitFor();
    expect(await page.getByRole('link', { name: 'Console' }).count()).toBe(0);
  });
});

it('begins with an overview, by hour and by day, as a picture and as a table', async () => {
  await withSession(browser, origin, 'root', async (page) => {
    const start = Date.UTC(2026, 10, 1);
    const period = (index: number, length: number) => ({
      start: new Date(start + index * length).toISOString(),
      logins: index,
      failures: index === 3 ? 2 : 0,
      locks: 0,
      failuresByReason: index === 3 ? [{ reason: 'BAD_CREDENTIALS', count: 2 }] : [],
      authorizations: index < 2 ? 8 : 0,
      authorizationsByApplication: [
        ...(index < 2 ? [{ clientId: 'wiki', name: 'Wiki', count: 5 }] : []),
        ...(index === 0 ? [{ clientId: 'deleted', count: 2 }] : []),
      ],
      otherAuthorizations: [1, 3][index] ?? 0,
    });
    const periods = (count: number, length: number) =>
      Array.from({ length: count }, (_, index) => period(index, length));
    await page.route('**/api/v1/statistics*', (route) =>
      route.fulfill({
        json: {
          hours: periods(48, 3_600_000),
          days: periods(30, 86_400_000),
          countedAt: new Date(start).toISOString(),
          openSessions: 10_000,
          openSessionsIsMinimum: true,
        },
      }),
    );
    await page.goto(`${origin}/console`);
    await waitForScreen(page, 'Overview');
    expect(await page.locator('.sums').first().getByRole('definition').allInnerTexts()).toEqual([
      '1,128',
      '2',
      '0',
      'at least 10,000',
    ]);
    await page.getByRole('button', { name: 'Last 30 days' }).click();
    await page.waitForURL(/period=days$/);
    await page.getByText('Highest: 29').waitFor();
    await page.getByText('As a table').click();
    expect(
      await page
        .getByRole('row', { name: /^4 Nov/ })
        .getByRole('cell')
        .allInnerTexts(),
    ).toEqual(['3', '2', '0']);
    await page.locator('.facts').getByText('Wrong password').waitFor();
    const heading = page.getByRole('heading', { name: 'Authorizations by application' });
    const ofApplications = page.locator('section').filter({ has: heading });
    expect(await ofApplications.getByRole('term').allInnerTexts()).toEqual(['Wiki', 'deleted', 'Other applications']);
    expect(await ofApplications.getByRole('definition').allInnerTexts()).toEqual(['10', '2', '4']);
    expect(await findBarriers(page)).toEqual([]);
    await page.reload();
    await page.getByText('Highest: 29').waitFor();
  });
});

it('reads the overview of the service', async () => {
  await withSession(browser, origin, 'root', async (page) => {
    await page.goto(`${origin}/console?tenantId=acme`);
    await waitForScreen(page, 'Overview');
    await page.getByText('Open sessions now').waitFor();
  });
});

it('creates, suspends and activates a tenant, and says what ends', async () => {
  await withSession(browser, origin, 'root', async (page) => {
    await page.goto(`${origin}/console/tenants`);
    await waitForScreen(page, 'Tenants');
    await page.getByRole('button', { name: 'Create tenant' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Name').fill(HOSTILE);
    await dialog.getByLabel('Id', { exact: true }).fill('acme');
    await dialog.getByRole('button', { name: 'Create tenant' }).click();
    await dialog.getByText('This id is taken').waitFor();
    await dialog.getByLabel('Id', { exact: true }).fill('hostile');
    await dialog.getByRole('button', { name: 'Create tenant' }).click();
    await waitForScreen(page, HOSTILE);
    expect(new URL(page.url()).pathname).toBe('/console/tenants/hostile');
    expect(await findBarriers(page)).toEqual([]);

    await page.getByRole('button', { name: 'Suspend' }).click();
    await page.getByRole('dialog').getByText('All credentials of the tenant are refused at once').waitFor();
    await page.getByRole('button', { name: 'Cancel' }).click();
    expect(await page.locator('.status').innerText()).toBe('Active');
    await page.getByRole('button', { name: 'Suspend' }).click();
    await page.getByRole('button', { name: 'Suspend tenant' }).click();
    await page.getByText('Suspended', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Activate' }).click();
    await page.getByRole('button', { name: 'Activate tenant' }).click();
    await page.getByText('Active', { exact: true }).waitFor();
  });
});

it('shows a refused login domain at its field', async () => {
  await withSession(browser, origin, 'root', async (page) => {
    await page.goto(`${origin}/console/tenants/acme`);
    await page.getByRole('button', { name: 'Change login domains' }).click();
    const domains = page.getByRole('textbox', { name: 'Login domains' });
    await domains.fill('acme.example not_a_domain');
    await page.getByRole('button', { name: 'Save domains' }).click();
    await page.locator('textarea[aria-invalid]').waitFor();
    await domains.fill('acme.example shop.acme.example');
    await page.getByRole('button', { name: 'Save domains' }).click();
    await page.getByRole('definition').getByText('acme.example, shop.acme.example').waitFor();
  });
});

it('keeps the search in the URL, for a reload, back and forward', async () => {
  await withSession(browser, origin, 'root', async (page) => {
    await page.goto(`${origin}/console/tenants`);
    await waitForScreen(page, 'Tenants');
    await page.keyboard.press('/');
    await page.keyboard.type('globex');
    await page.waitForURL('**?q=globex');
    await expect.poll(() => rowsOf(page)).toEqual(['Globex Gardens']);
    await page.reload();
    await waitForScreen(page, 'Tenants');
    expect(await rowsOf(page)).toEqual(['Globex Gardens']);
    await page.getByRole('link', { name: 'Globex Gardens' }).click();
    await waitForScreen(page, 'Globex Gardens');
    await page.goBack();
    await waitForScreen(page, 'Tenants');
    expect(await page.getByRole('searchbox').inputValue()).toBe('globex');
    await page.goForward();
    await waitForScreen(page, 'Globex Gardens');
    await page.goto(`${origin}/console/tenants?q=nothing`);
    await page.getByRole('button', { name: 'Show all' }).click();
    await page.getByRole('link', { name: 'Acme Flowers' }).waitFor();
  });
});

it('does not use the next page of one tenant for another, while its list loads', async () => {
  await withSession(browser, origin, 'root', async (page) => {
    const released = Promise.withResolvers<void>();
    await page.route('**/api/v1/users?*', async (route) => {
      const tenant = new URL(route.request().url()).searchParams.get('tenantId') ?? 'all';
      if (tenant === 'globex') await released.promise;
      const id = '01a202b5-a6f5-72ee-ba2c-94aad4e044e8';
      const user = {
        id,
        username: tenant,
        name: tenant,
        heldRoles: [],
        roles: [],
        factors: [],
        createdAt: new Date(0),
      };
      await route.fulfill({
        json: Array.from({ length: 20 }, (_, index) => ({ ...user, id: id.replace(/..$/, String(10 + index)) })),
        headers: {
          'x-page': '1',
          'x-per-page': '20',
          'x-total-count': '40',
          link: `</api/v1/users?after=cursor-of-${tenant}>; rel="next"`,
        },
      });
    });
    await page.goto(`${origin}/console/users?tenantId=acme`);
    await waitForScreen(page, 'Users');
    await page.getByRole('button', { name: 'Tenant Acme Flowers' }).click();
    await page.getByRole('link', { name: 'Globex Gardens' }).click();
    await page.waitForURL('**/users?tenantId=globex');
    await page.getByRole('button', { name: 'Next page' }).click();
    await page.waitForURL(/page=2/);
    expect(new URL(page.url()).searchParams.get('after')).toBeNull();
    released.resolve();
  });
});
