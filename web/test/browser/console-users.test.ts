// The users and sessions of /console, in Chromium against the service with its demo data.
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { launchBrowser } from '../../../client/test/support/chromium.ts';
import { startService, type Service } from '../../../client/test/support/services.ts';
import { ENGINES } from '../../../test/support/databases.ts';
import { endProcesses } from '../../../test/support/service-process.ts';
import { rowsOf, screensOf, waitForScreen, withSession } from '../support/console.ts';
import { findBarriers } from '../support/pages.ts';

const ADMIN = 'alice@acme.test';
const HOSTILE = `<img src=x onerror=alert(1)> ${'\u05D0\u05D1'.repeat(10)} ${'W'.repeat(140)}`;
let browser: Browser;
let service: Service;
let origin: string;

beforeAll(async () => {
  [browser, service] = await Promise.all([launchBrowser(), startService(ENGINES.at(-1)!)]);
  origin = service.url;
});
afterAll(async () => {
  await browser?.close();
  await service?.stop();
  await endProcesses();
});

async function openUser(page: Page, name: string): Promise<void> {
  await page.goto(`${origin}/console/users?q=${encodeURIComponent(name)}`);
  await page.getByRole('link', { name }).click();
  await waitForScreen(page, name);
}

const fact = (page: Page, label: string) =>
  page
    .locator('.facts > div', { has: page.getByRole('term').getByText(label, { exact: true }) })
    .getByRole('definition');

it('shows the own tenant to its administrator', async () => {
  await withSession(browser, origin, ADMIN, async (page) => {
    await page.goto(`${origin}/console/users?tenantId=globex`);
    await waitForScreen(page, 'Users');
    expect(await screensOf(page)).toEqual(expect.arrayContaining(['Overview', 'Users', 'Sessions']));
    expect(await screensOf(page)).not.toContain('Tenants');
    await page.getByRole('link', { name: 'Alice Adams' }).waitFor();
    expect(await rowsOf(page)).not.toContain('Gina Green');
    await page.getByLabel('Role').selectOption('SALES');
    await page.waitForURL(/role=SALES$/);
    await expect.poll(() => rowsOf(page)).toEqual(['Otto Olsen', 'Sam Silva']);
  });
});

it('shows the tenant that a SUPER_ADMIN chooses, on every screen', async () => {
  await withSession(browser, origin, 'root', async (page) => {
    await page.goto(`${origin}/console/users`);
    await page.getByRole('columnheader', { name: 'Tenant' }).waitFor();
    await page.getByRole('button', { name: /^Tenant/ }).click();
    await page.getByRole('searchbox', { name: 'Search tenants' }).fill('glob');
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('link', { name: 'Acme Flowers' }).waitFor({ state: 'hidden' });
    await dialog.getByRole('link', { name: 'Globex Gardens' }).click();
    await expect.poll(() => rowsOf(page)).toEqual(['Gina Green']);
    await page.getByRole('link', { name: 'Sessions' }).click();
    await waitForScreen(page, 'Sessions');
    expect(new URL(page.url()).search).toBe('?tenantId=globex');
    await page.getByText('No session is open.').waitFor();
    await page.goto(`${origin}/console/policy`);
    await page.getByRole('button', { name: 'Choose a tenant' }).click();
    await page.getByRole('link', { name: 'Globex Gardens' }).click();
    await page.getByRole('rowheader', { name: 'Second factor' }).waitFor();
    expect(new URL(page.url()).search).toBe('?tenantId=globex');
  });
});

it('creates, changes, disables and deletes a user with a hostile name', async () => {
  await withSession(browser, origin, ADMIN, async (page) => {
    await page.goto(`${origin}/console/users`);
    await page.getByRole('button', { name: 'Create user' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Name', { exact: true }).fill(HOSTILE);
    await dialog.getByLabel('Username').fill('mia@acme.test');
    await dialog.getByLabel('SALES').check();
    await dialog.getByRole('button', { name: 'Create user' }).click();
    await dialog.getByText('This username is taken').waitFor();
    await dialog.getByLabel('Username').fill('hostile@acme.test');
    await dialog.getByRole('button', { name: 'Create user' }).click();
    // Nobody invents a password: the service has generated one, which the first login replaces.
    await page.locator('.secret').waitFor();
    await page.getByRole('button', { name: 'I have stored it' }).click();
    await waitForScreen(page, HOSTILE);
    expect(await fact(page, 'Roles').innerText()).toBe('SALES');
    expect(await findBarriers(page)).toEqual([]);

    await page.getByRole('button', { name: 'Edit' }).click();
    await dialog.getByLabel('Name', { exact: true }).fill('Nora New');
    await dialog.getByLabel('E-mail').fill('nora@acme.test');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await waitForScreen(page, 'Nora New');
    expect(await fact(page, 'E-mail').innerText()).toBe('nora@acme.test (not proven)');

    await page.getByRole('button', { name: 'Change roles' }).click();
    await dialog.getByLabel('SALES').uncheck();
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.getByRole('alert').filter({ hasText: /./ }).waitFor();
    await dialog.getByLabel('MANAGER').check();
    await dialog.getByRole('button', { name: 'Save' }).click();
    await fact(page, 'Roles').getByText('MANAGER').waitFor();

    await page.getByRole('button', { name: 'Disable', exact: true }).click();
    await page.getByText('All credentials and sessions of the user are refused at once').waitFor();
    await page.getByRole('button', { name: 'Disable user' }).click();
    await fact(page, 'State').getByText('Disabled').waitFor();
    await page.getByRole('button', { name: 'Enable', exact: true }).click();
    await page.getByRole('button', { name: 'Enable user' }).click();
    await fact(page, 'State').getByText('Enabled').waitFor();

    await page.getByRole('button', { name: 'Delete', exact: true }).click();
    await page.getByText('This is final').waitFor();
    await page.getByRole('button', { name: 'Delete user' }).click();
    await waitForScreen(page, 'Users');
    expect(await rowsOf(page)).not.toContain('Nora New');
  });
});

it('deletes the second factors of a user, and says so before', async () => {
  await withSession(browser, origin, ADMIN, async (page) => {
    await openUser(page, 'Otto Olsen');
    await fact(page, 'Second factors').getByText('Authenticator app').waitFor();
    await page.getByRole('link', { name: 'Can’t log in?' }).click();
    await page.getByRole('rowheader', { name: 'Authenticator app' }).waitFor();
    await page.getByRole('button', { name: 'Reset second factors' }).click();
    await page.getByRole('dialog').getByText('This is final').waitFor();
    await page.getByRole('button', { name: 'Delete second factors' }).click();
    await page.getByText('The user has no second factor and needs none.').waitFor();
    await page.getByRole('link', { name: 'Show the user' }).click();
    await fact(page, 'Second factors').getByText('None').waitFor();
  });
});

it('offers an administrator nothing that would lock out the own account', async () => {
  await withSession(browser, origin, 'root', async (page) => {
    await openUser(page, 'root');
    await page.getByRole('button', { name: 'Edit' }).waitFor();
    for (const name of ['Delete', 'Disable', 'Secure this account'])
      expect(await page.getByRole('button', { name, exact: true }).count()).toBe(0);
  });
});

it('ends a session, whose user is logged out', async () => {
  await withSession(browser, origin, ADMIN, async (page) => {
    const login = await fetch(`${origin}/api/v1/auth/login`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'user-agent': '<script>evil</script>/1' },
      body: JSON.stringify({ username: 'mia@acme.test', password: 'demo-password-1' }),
    });
    const { accessToken } = (await login.json()) as { accessToken: string };
    await page.goto(`${origin}/console/sessions`);
    await waitForScreen(page, 'Sessions');
    const row = page.getByRole('row', { name: 'mia@acme.test' });
    await row.getByText('<script>evil</script>/1').waitFor();
    await row.getByRole('button', { name: 'End the session of' }).click();
    await page.getByRole('button', { name: 'End session' }).click();
    await row.waitFor({ state: 'detached' });
    const headers = { authorization: `Bearer ${accessToken}` };
    expect((await fetch(`${origin}/api/v1/auth/me`, { headers })).status).toBe(401);
  });
});
