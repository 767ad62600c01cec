// The second factors of the page /account in Chromium, with its virtual authenticator, and the dialog that confirms a session.
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { launchBrowser } from '../../../client/test/support/chromium.ts';
import { PASSWORD, seedAccount } from '../../../test/support/accounts.ts';
import { ENGINES } from '../../../test/support/databases.ts';
import { seedSession } from '../../../test/support/sessions.ts';
import { codeAt, wrongCode } from '../../../test/support/totp.ts';
import { addAuthenticator, expectNoBarriers } from '../support/pages.ts';
import { startSeededService, type SeededService } from '../support/seeded-service.ts';

const HOUR_MS = 3_600_000;

let browser: Browser;
let service: SeededService;

beforeAll(async () => {
  [browser, service] = await Promise.all([launchBrowser(), startSeededService(ENGINES[0]!)]);
});
afterAll(async () => {
  await browser?.close();
  await service?.close();
});

const heading = (page: Page, name: string) => page.getByRole('heading', { name, exact: true });
const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });
const dialog = (page: Page) => page.getByRole('dialog');
const open = (page: Page, screen = '') => page.goto(`${service.origin}/account${screen}`);
const now = () => service.deployment.clock.now();

async function saveCodes(page: Page): Promise<string[]> {
  await heading(page, 'Save your recovery codes').waitFor();
  const codes = await page.locator('.recovery-codes code').allTextContents();
  await page.getByLabel('I have saved these codes').check();
  await button(page, 'Continue').click();
  await heading(page, 'Overview').waitFor();
  return codes;
}

/** Sets up an authenticator app and returns its secret. */
async function setUpTotp(page: Page): Promise<string> {
  await page.getByRole('link', { name: 'Set up app' }).click();
  await page.getByRole('img', { name: /QR/ }).waitFor();
  const secret = (await page.locator('.secret code').textContent())!.replaceAll(' ', '');
  await page.getByLabel('Code').fill(wrongCode(secret, now()));
  await button(page, 'Set up app').click();
  await page.getByText('The code is wrong or was used before.').waitFor();
  await expectNoBarriers(page, 'authenticator app');
  await page.getByLabel('Code').fill(codeAt(secret, now()));
  await button(page, 'Set up app').click();
  return secret;
}

describe('a passkey', () => {
  it('is added after the session is confirmed, renamed and removed', async () => {
    await service.as(
      browser,
      {},
      async ({ page }) => {
        await addAuthenticator(page);
        await open(page);
        await button(page, 'Add passkey').click();
        await dialog(page).getByRole('button', { name: 'Close' }).click();
        await page.getByText('You have not confirmed that it is you').waitFor();

        await button(page, 'Add passkey').click();
        await dialog(page).getByLabel('Password').fill('wrong');
        await dialog(page).getByRole('button', { name: 'Confirm' }).click();
        await dialog(page).getByText('The password is wrong.').waitFor();
        await expectNoBarriers(page, 'confirm the session');
        await dialog(page).getByLabel('Password').fill(PASSWORD);
        await dialog(page).getByRole('button', { name: 'Confirm' }).click();
        expect(await saveCodes(page)).toHaveLength(10);

        await button(page, 'Rename Chrome, Linux').click();
        await page.getByLabel('Name of the passkey').fill('<b>Blue</b> 🔑');
        await button(page, 'Save').click();
        await page.getByText('<b>Blue</b> 🔑').waitFor();
        await page.getByText('10 left').waitFor();
        await expectNoBarriers(page, 'factors');

        await button(page, 'Add passkey').click();
        await page.getByRole('alert').filter({ hasText: 'This device already has a passkey' }).waitFor();

        await button(page, 'Remove <b>Blue</b> 🔑').click();
        await dialog(page).getByText('This is your only second factor.').waitFor();
        await dialog(page).getByRole('button', { name: 'Remove' }).click();
        await page.getByText('Passkey removed').waitFor();
        await page.getByText('10 left').waitFor({ state: 'detached' });
      },
      HOUR_MS,
    );
  });
});

describe('an authenticator app', () => {
  it('is set up with a code, confirms the session, and gets new recovery codes', async () => {
    await service.as(browser, {}, async ({ page }) => {
      await open(page);
      const secret = await setUpTotp(page);
      const first = await saveCodes(page);
      await page.getByText('Added').first().waitFor();

      service.deployment.clock.advance(HOUR_MS);
      await button(page, 'New recovery codes').click();
      await dialog(page).getByText('All earlier recovery codes end.').waitFor();
      await dialog(page).getByRole('button', { name: 'Create codes' }).click();
      await heading(page, 'Confirm that it is you').waitFor();
      await dialog(page).getByLabel('Code').fill(wrongCode(secret, now()));
      await dialog(page).getByRole('button', { name: 'Confirm' }).click();
      await dialog(page).getByText('The code is wrong or was used before.').waitFor();
      await dialog(page).getByLabel('Code').fill(codeAt(secret, now()));
      await dialog(page).getByRole('button', { name: 'Confirm' }).click();
      expect((await saveCodes(page)).filter((code) => first.includes(code))).toEqual([]);

      await button(page, 'Remove app').click();
      await dialog(page).getByRole('button', { name: 'Remove' }).click();
      await page.getByText('Authenticator app removed').waitFor();
      await page.getByRole('link', { name: 'Set up app' }).waitFor();
    });
  });

  it('stays if it is the last one and the tenant has meanwhile required a factor', async () => {
    const tenantId = 'strict';
    await service.as(browser, { tenantId }, async ({ page }) => {
      await open(page);
      await setUpTotp(page);
      await saveCodes(page);
      // The page has loaded the factors before the change.
      await button(page, 'Remove app').waitFor();
      await requireFactors(tenantId);
      await button(page, 'Remove app').click();
      await dialog(page).getByRole('button', { name: 'Remove' }).click();
      await page.getByRole('alert').filter({ hasText: 'this is the only one' }).waitFor();
      await page.reload();
      await page.getByText('this is the only one').waitFor();
      expect(await button(page, 'Remove app').count()).toBe(0);
    });
  });

  async function requireFactors(tenantId: string): Promise<void> {
    const { deployment, origin } = service;
    const administrator = await seedAccount(deployment.database, { tenantId, roles: ['ADMIN'] });
    const { accessToken } = await seedSession(deployment, administrator);
    const response = await fetch(`${origin}/api/v1/tenants/${tenantId}/policy`, {
      method: 'PATCH',
      headers: { authorization: `Bearer ${accessToken}`, 'content-type': 'application/json' },
      body: JSON.stringify({ secondFactor: 'REQUIRED' }),
    });
    expect(response.status).toBe(200);
  }

  it('gets a new secret when the first one has expired', async () => {
    await service.as(browser, {}, async ({ page }) => {
      await open(page, '/totp');
      const secret = page.locator('.secret code');
      const first = (await secret.textContent())!;
      service.deployment.clock.advance(10 * 60_000 - 1_000);
      await page.getByLabel('Code').fill(codeAt(first.replaceAll(' ', ''), now()));
      service.deployment.clock.advance(2_000);
      await button(page, 'Set up app').click();
      await dialog(page).getByLabel('Password').fill(PASSWORD);
      await dialog(page).getByRole('button', { name: 'Confirm' }).click();
      await page.getByText('Ten minutes are over').waitFor();
      await page.getByText(first).waitFor({ state: 'detached' });
    });
  });
});
