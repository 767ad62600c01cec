// Acts of the console that need a session which was confirmed recently.
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { launchBrowser } from '../../../client/test/support/chromium.ts';
import { PASSWORD, seedAccount } from '../../../test/support/accounts.ts';
import { caller } from '../../../test/support/callers.ts';
import { ENGINES } from '../../../test/support/databases.ts';
import { waitForScreen } from '../support/console.ts';
import { expectNoBarriers } from '../support/pages.ts';
import { startSeededService, type SeededService } from '../support/seeded-service.ts';

const HOUR_MS = 3_600_000;

let browser: Browser;
let service: SeededService;

beforeAll(async () => {
  [browser, service] = await Promise.all([launchBrowser(), startSeededService(ENGINES.at(-1)!)]);
});
afterAll(async () => {
  await browser?.close();
  await service?.close();
});

const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });
const question = (page: Page) => page.getByRole('dialog', { name: 'Confirm that it is you' });

async function open(page: Page, path: string, title: string): Promise<void> {
  await page.goto(`${service.origin}/console${path}`);
  await waitForScreen(page, title);
}

async function confirmByPassword(page: Page): Promise<void> {
  await question(page).getByLabel('Password').fill(PASSWORD);
  await question(page).getByRole('button', { name: 'Confirm' }).click();
}

async function createRole(page: Page, name: string): Promise<void> {
  await button(page, 'Create role').click();
  const dialog = page.getByRole('dialog', { name: 'Create role' });
  await dialog.getByLabel('Name', { exact: true }).fill(name);
  await dialog.getByRole('button', { name: 'Create role' }).click();
}

it('asks before acts, keeps what was typed, and goes on after the password', async () => {
  const user = await seedAccount(service.deployment.database, { name: 'Sam Silva' });
  const acts: readonly (readonly [path: string, title: string, act: (page: Page) => Promise<void>])[] = [
    ['/signing-keys', 'Signing keys', rotateKey],
    [`/users/${user.id}/login`, 'Sam Silva can’t log in', setPassword],
    ['/policy?tenantId=acme', 'Policy', changePolicy],
  ];
  const root = { tenantId: undefined, roles: ['SUPER_ADMIN'] };
  await service.as(
    browser,
    root,
    async ({ page }) => {
      for (const [path, title, act] of acts) {
        await open(page, path, title);
        await act(page);
        await question(page).getByRole('button', { name: 'Close' }).click();
        await page.getByText('You have not confirmed that it is you').waitFor();
      }
      // The form of the policy is still open.
      expect(await page.getByLabel('Most sessions of an account').inputValue()).toBe('7');
      await button(page, 'Save').click();
      await expectNoBarriers(page, 'confirm an act');
      await confirmByPassword(page);
      await page.getByText('Policy saved').waitFor();
      await open(page, '/signing-keys', 'Signing keys');
      await rotateKey(page);
      await page.getByText('Published', { exact: true }).first().waitFor();
    },
    HOUR_MS,
  );
});

async function rotateKey(page: Page): Promise<void> {
  await button(page, 'Rotate').click();
  await button(page, 'Rotate signing key').click();
}

async function setPassword(page: Page): Promise<void> {
  await button(page, 'Temporary password').click();
  await button(page, 'Create password').click();
}

async function changePolicy(page: Page): Promise<void> {
  await button(page, 'Change policy').click();
  await page.getByLabel('Most sessions of an account').fill('7');
  await button(page, 'Save').click();
}

it('offers no password to an account whose tenant requires a factor that it lacks', async () => {
  const admin = { tenantId: 'strict', roles: ['ADMIN'] };
  await service.as(
    browser,
    admin,
    async ({ page }) => {
      await open(page, '/roles', 'Roles');
      const other = await caller(service.deployment, admin);
      expect((await other.patch('/tenants/strict/policy', { secondFactor: 'REQUIRED' })).status).toBe(200);
      await createRole(page, 'CLERK');
      await question(page).getByText('Your organisation requires a second factor, and you have none.').waitFor();
      expect(await question(page).getByLabel('Password').count()).toBe(0);
      await question(page).getByRole('button', { name: 'Log in again instead' }).click();
      await page.waitForURL('**/login?return=*');
    },
    HOUR_MS,
  );
});

it('says until when the password is locked, and what to do if the service does not tell', async () => {
  const lockedUntil = service.deployment.clock.now() + HOUR_MS;
  await service.as(
    browser,
    { roles: ['ADMIN'], lockedUntil },
    async ({ page }) => {
      await open(page, '/roles', 'Roles');
      await createRole(page, 'CLERK');
      await confirmByPassword(page);
      const alert = question(page).getByRole('alert').filter({ hasText: 'the account is locked' });
      await alert.waitFor();
      expect(await alert.innerText()).not.toMatch(/undefined|NaN|Invalid/);
      await page.route('**/api/v1/account/confirm', (route) =>
        route.fulfill({ status: 423, contentType: 'application/problem+json', json: { errorCode: 'account-locked' } }),
      );
      await confirmByPassword(page);
      await alert.filter({ hasText: 'Try again in a few minutes.' }).waitFor();
    },
    HOUR_MS,
  );
});
