// The page for devices in Chromium: the code, the decision, and what the device then gets from the real service.
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { launchBrowser } from '../../../client/test/support/chromium.ts';
import { PASSWORD, seedAccount } from '../../../test/support/accounts.ts';
import { ENGINES } from '../../../test/support/databases.ts';
import { seedSession } from '../../../test/support/sessions.ts';
import { expectNoBarriers, withPage } from '../support/pages.ts';
import { startSeededService, type SeededService } from '../support/seeded-service.ts';

const GRANT_TYPE = 'urn:ietf:params:oauth:grant-type:device_code';
const WARNING = 'Only continue if you started this on your own device.';

let browser: Browser;
let service: SeededService;
let clientId: string;

beforeAll(async () => {
  [browser, service] = await Promise.all([launchBrowser(), startSeededService(ENGINES.at(-1)!)]);
  const account = await seedAccount(service.deployment.database, { roles: ['ADMIN'] });
  const { accessToken } = await seedSession(service.deployment, account);
  const body = JSON.stringify({
    name: 'Television',
    type: 'NATIVE',
    tenantId: 'acme',
    redirectUris: [],
    deviceGrant: true,
  });
  const headers = { 'content-type': 'application/json', authorization: `Bearer ${accessToken}` };
  const response = await fetch(`${service.origin}/api/v1/applications`, { method: 'POST', headers, body });
  const created = await response.json();
  expect([response.status, created]).toMatchObject([201, { clientId: expect.any(String) }]);
  ({ clientId } = created as { readonly clientId: string });
});
afterAll(async () => {
  await browser?.close();
  await service?.close();
});

const heading = (page: Page, name: string) => page.getByRole('heading', { name, exact: true });
const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });

interface Device {
  readonly device_code: string;
  readonly user_code: string;
  readonly verification_uri: string;
  readonly verification_uri_complete: string;
}

async function post(path: string, parameters: Readonly<Record<string, string>>) {
  const body = new URLSearchParams({ client_id: clientId, ...parameters });
  const response = await fetch(`${service.origin}/api/v1/auth/oauth2/${path}`, { method: 'POST', body });
  return (await response.json()) as Record<string, unknown>;
}
const start = async () => (await post('device', { scope: 'openid email offline_access' })) as unknown as Device;
const poll = ({ device_code }: Device) => post('token', { grant_type: GRANT_TYPE, device_code });

describe('a device', () => {
  it('is allowed after a login and its code, in lower case', async () => {
    const device = await start();
    const { username } = await seedAccount(service.deployment.database);
    await withPage(browser, service.origin, async (page) => {
      await page.goto(device.verification_uri);
      await page.getByLabel('Username').fill(username);
      await page.getByLabel('Password').fill(PASSWORD);
      await button(page, 'Log in').click();
      await heading(page, 'Connect a device').waitFor();
      await expectNoBarriers(page, 'code of a device');
      await page.getByLabel('Code').fill(device.user_code.toLowerCase().replace('-', ''));
      await button(page, 'Next').click();
      await heading(page, 'Connect this device?').waitFor();
      for (const text of ['Television', 'See your e-mail address', 'Network of the device', WARNING, username])
        await page.getByText(text).first().waitFor();
      await expectNoBarriers(page, 'decision on a device');
      await button(page, 'Allow').click();
      await heading(page, 'Your device is connected').waitFor();
      await expectNoBarriers(page, 'connected device');
    });
    expect(await poll(device)).toMatchObject({ token_type: 'Bearer', id_token: expect.any(String) });
  });

  it('fills in the code of its link, and is denied', async () => {
    const device = await start();
    await service.as(browser, {}, async ({ page }) => {
      await page.goto(device.verification_uri_complete);
      expect(await page.getByLabel('Code').inputValue()).toBe(device.user_code);
      await button(page, 'Next').click();
      await button(page, 'Deny').click();
      await heading(page, 'The device gets no access').waitFor();
    });
    expect(await poll(device)).toMatchObject({ error: 'access_denied' });
  });

  it('says what is wrong with a code, in both languages, until there were too many', async () => {
    await service.as(browser, {}, async ({ page }) => {
      await page.goto(`${service.origin}/device`);
      await page.getByLabel('Code').fill('1234');
      await button(page, 'Next').click();
      await page.getByText('The code has eight letters, such as WDJB-MJHT.').waitFor();
      for (let guesses = 0; guesses < 5; guesses += 1) {
        await page.getByLabel('Code').fill('BBBB-BBBB');
        const answered = page.waitForResponse(/device-requests$/);
        await button(page, 'Next').click();
        await answered;
      }
      await page.getByText('No device waits with this code.', { exact: false }).waitFor();
      await button(page, 'Next').click();
      await page.getByText('Too many attempts.', { exact: false }).waitFor();
      await button(page, 'Deutsch').click();
      await heading(page, 'Gerät verbinden').waitFor();
      await expectNoBarriers(page, 'code of a device in German');
    });
  });

  it('is decided in a session that was confirmed recently', async () => {
    const device = await start();
    await service.as(
      browser,
      {},
      async ({ page }) => {
        await page.goto(device.verification_uri_complete);
        await button(page, 'Next').click();
        await button(page, 'Allow').click();
        await page.getByLabel('Password').fill(PASSWORD);
        await button(page, 'Confirm').click();
        await heading(page, 'Your device is connected').waitFor();
      },
      3_600_000,
    );
    expect(await poll(device)).toHaveProperty('access_token');
  });

  it('is not connected by an account that its application does not serve', async () => {
    const device = await start();
    await service.as(browser, { tenantId: 'globex' }, async ({ page }) => {
      await page.goto(device.verification_uri_complete);
      await button(page, 'Next').click();
      await button(page, 'Allow').click();
      await page.getByText('The application is not open to this account.', { exact: false }).waitFor();
    });
    expect(await poll(device)).toMatchObject({ error: 'authorization_pending' });
  });
});
