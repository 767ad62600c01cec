// How the console is used by people who do not follow its steps: nothing typed is lost, and nothing happens twice.
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { launchBrowser } from '../../../client/test/support/chromium.ts';
import { seedAccount } from '../../../test/support/accounts.ts';
import { caller } from '../../../test/support/callers.ts';
import { ENGINES } from '../../../test/support/databases.ts';
import { seedSession } from '../../../test/support/sessions.ts';
import { waitForScreen } from '../support/console.ts';
import { expectNoBarriers } from '../support/pages.ts';
import { startSeededService, type SeededService } from '../support/seeded-service.ts';

const ADMIN = { roles: ['ADMIN'] };

let browser: Browser;
let service: SeededService;

beforeAll(async () => {
  [browser, service] = await Promise.all([launchBrowser(), startSeededService(ENGINES[0]!)]);
});
afterAll(async () => {
  await browser?.close();
  await service?.close();
});

const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });

async function open(page: Page, path: string, title: string): Promise<void> {
  await page.goto(`${service.origin}/console${path}`);
  await waitForScreen(page, title);
}

it('shows both values if two tabs change one user, and keeps what the second has typed', async () => {
  const user = await seedAccount(service.deployment.database, { name: 'Sam Silva' });
  await service.as(browser, ADMIN, async ({ page: first, context }) => {
    const second = await context.newPage();
    for (const tab of [first, second]) {
      await open(tab, `/users/${user.id}`, 'Sam Silva');
      await button(tab, 'Edit').click();
    }
    for (const [tab, name] of [
      [first, 'Sam One'],
      [second, 'Sam Two'],
    ] as const) {
      await tab.bringToFront();
      await tab.getByLabel('Name', { exact: true }).fill(name);
      await button(tab, 'Save').click();
    }
    await second.getByRole('heading', { name: 'Changed meanwhile' }).waitFor();
    expect(await second.locator('dialog tbody td').allInnerTexts()).toEqual(['Sam Two', 'Sam One']);
    expect(await second.getByLabel('Name', { exact: true }).inputValue()).toBe('Sam Two');
    await expectNoBarriers(second, 'a conflict');
    await button(second, 'Save').click();
    await waitForScreen(second, 'Sam Two');
  });
});

it('acts once, however often the button is clicked', async () => {
  const user = await seedAccount(service.deployment.database, { name: 'Dora Double' });
  await service.as(browser, ADMIN, async ({ page }) => {
    const sent: string[] = [];
    page.on('request', (request) => {
      if (request.method() === 'PUT') sent.push(request.url());
    });
    await open(page, `/users/${user.id}/login`, 'Dora Double can’t log in');
    await button(page, 'Temporary password').click();
    await button(page, 'Create password').dblclick();
    await page.locator('.secret').waitFor();
    expect(sent).toHaveLength(1);
  });
});

it('keeps a form whose session has ended, and sends it after a login in another tab', async () => {
  const user = await seedAccount(service.deployment.database, { name: 'Kim Kept' });
  await service.as(browser, ADMIN, async ({ page, context, account }) => {
    await open(page, `/users/${user.id}`, 'Kim Kept');
    await button(page, 'Edit').click();
    await page.getByLabel('Name', { exact: true }).fill('Kim Kept New');
    await context.request.post(`${service.origin}/api/v1/auth/logout`);
    service.deployment.clock.advance(900_000);
    await button(page, 'Save').click();
    const dialog = page.getByRole('dialog', { name: 'Your session has ended' });
    await dialog.waitFor();
    await expectNoBarriers(page, 'an ended session');
    await context.addCookies([service.cookieOf(await seedSession(service.deployment, account))]);
    const other = await context.newPage();
    await other.goto(`${service.origin}/account`);
    await dialog.waitFor({ state: 'detached' });
    await page.bringToFront();
    expect(await page.getByLabel('Name', { exact: true }).inputValue()).toBe('Kim Kept New');
    await button(page, 'Save').click();
    await waitForScreen(page, 'Kim Kept New');
  });
});

it('leads to the same screen after a login, and back and forward through it', async () => {
  const user = await seedAccount(service.deployment.database, { name: 'Lea Link' });
  await service.as(browser, ADMIN, async ({ page, context, account }) => {
    await context.clearCookies();
    await page.goto(`${service.origin}/console/users/${user.id}/login`);
    await page.waitForURL('**/login?return=*');
    expect(new URL(page.url()).searchParams.has('ended')).toBe(false);
    await context.addCookies([service.cookieOf(await seedSession(service.deployment, account))]);
    await page.reload();
    await waitForScreen(page, 'Lea Link can’t log in');
    await page.getByRole('link', { name: 'Show the user' }).click();
    await waitForScreen(page, 'Lea Link');
    await page.goBack();
    await waitForScreen(page, 'Lea Link can’t log in');
    await page.reload();
    await waitForScreen(page, 'Lea Link can’t log in');
  });
});

it('takes what was pasted with blanks around it, and shows each refusal at its field', async () => {
  await service.as(browser, ADMIN, async ({ page }) => {
    await open(page, '/roles', 'Roles');
    await button(page, 'Create role').click();
    await page.getByLabel('Name', { exact: true }).fill('\u00a0 PASTED_ROLE \t');
    await page.getByLabel('Permissions of your own programs').fill('MANAGE_TENANTS');
    await page.getByRole('dialog').getByRole('button', { name: 'Create role' }).click();
    await page.locator('textarea[aria-invalid]').waitFor();
    expect(await page.getByLabel('Name', { exact: true }).inputValue()).toBe('PASTED_ROLE');
    await page.getByLabel('Permissions of your own programs').fill('');
    await page.getByRole('dialog').getByRole('button', { name: 'Create role' }).click();
    await waitForScreen(page, 'PASTED_ROLE');
  });
});

it('says that a session was over, and lists it no longer', async () => {
  const user = await seedAccount(service.deployment.database, { username: 'gone@acme.test' });
  await seedSession(service.deployment, user);
  await service.as(browser, ADMIN, async ({ page, account }) => {
    await open(page, '/sessions?user=gone%40acme.test', 'Sessions');
    await page.getByRole('button', { name: /^End the session of/ }).click();
    const other = await caller(service.deployment, { ...ADMIN, tenantId: account.tenantId });
    expect((await other.delete(`/users/${user.id}`)).status).toBe(204);
    await button(page, 'End session').click();
    await page.getByText('This session had ended before').waitFor();
    await page.getByText('Nothing matches').waitFor();
  });
});

it('offers the help desk what helps, the auditor what is to be read, and neither what would be refused', async () => {
  const { database, clock } = service.deployment;
  const lockedUntil = clock.now() + 3_600_000;
  const user = await seedAccount(database, { name: 'Loni Locked', lockedUntil, loginFailedCount: 5 });
  const shown = async (page: Page) => {
    await open(page, `/users/${user.id}`, 'Loni Locked');
    const acts = await page.locator('main .actions button').allInnerTexts();
    await open(page, `/users/${user.id}/login`, 'Loni Locked can’t log in');
    await page.getByText('Wrong passwords (5) have locked the user').waitFor();
    return [acts, await page.locator('main .actions button').allInnerTexts()];
  };
  await service.as(browser, { roles: ['AUDITOR'] }, async ({ page }) => {
    expect(await shown(page)).toEqual([['Save evidence'], []]);
    await open(page, '/users', 'Users');
    expect(await page.getByRole('checkbox').count()).toBe(0);
    expect(await button(page, 'Create user').count()).toBe(0);
    await open(page, '/roles', 'Roles');
    expect(await button(page, 'Create role').count()).toBe(0);
  });
  await service.as(browser, { roles: ['HELP_DESK'] }, async ({ page }) => {
    expect(await shown(page)).toEqual([['Save evidence'], ['Unlock']]);
    await button(page, 'Unlock').click();
    await button(page, 'Unlock user').click();
    await page.getByText('Nothing: with the right password').waitFor();
  });
});
