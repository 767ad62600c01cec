// The page /login in Chromium against the service with its demo data.
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { launchBrowser } from '../../../client/test/support/chromium.ts';
import { startService, type Service } from '../../../client/test/support/services.ts';
import { ENGINES } from '../../../test/support/databases.ts';
import { endProcesses } from '../../../test/support/service-process.ts';
import { findBarriers, VIEWS, withPage } from '../support/pages.ts';

const PASSWORD = 'demo-password-1';
let browser: Browser;

beforeAll(async () => {
  browser = await launchBrowser();
});
afterAll(async () => {
  await browser?.close();
  await endProcesses();
});

async function fill(page: Page, username: string, password = PASSWORD): Promise<void> {
  await page.getByLabel('Username').fill(username);
  await page.getByLabel('Password').fill(password);
  await page.getByRole('button', { name: 'Log in' }).first().click();
}

// The engines differ where a login writes, the profiles in the messages: each value of both is tried once.
describe.each([
  { profile: 'A', engine: ENGINES[0]! },
  { profile: 'B', engine: ENGINES.at(-1)! },
])('Profile $profile on $engine', ({ profile, engine }) => {
  let service: Service;
  let origin: string;

  beforeAll(async () => {
    service = await startService(engine, { 'app.security.auth-profile': profile });
    origin = service.url;
  });
  afterAll(async () => service?.stop());

  it('logs in and out', async () => {
    await withPage(browser, origin, async (page) => {
      await page.goto(`${origin}/login`);
      await fill(page, 'alice@acme.test');
      await page.getByRole('heading', { name: 'You are logged in' }).waitFor();
      await page.getByRole('button', { name: 'Log out' }).click();
      await page.getByRole('heading', { name: 'Log in' }).waitFor();
    });
  });

  it('shows a wrong password, keeps the username and leads to the password', async () => {
    await withPage(browser, origin, async (page) => {
      await page.goto(`${origin}/login`);
      await fill(page, 'alice@acme.test', 'wrong');
      await page.getByRole('alert').filter({ hasText: 'The username or the password is wrong' }).waitFor();
      expect(await page.getByLabel('Username').inputValue()).toBe('alice@acme.test');
      expect(await page.evaluate(() => (document.activeElement as HTMLInputElement).name)).toBe('password');
    });
  });

  it.each(VIEWS)('has no barriers at $width px, $colorScheme', async ({ width, colorScheme }) => {
    const view = { viewport: { width, height: 800 }, colorScheme };
    await withPage(
      browser,
      origin,
      async (page) => {
        await page.goto(`${origin}/login`);
        await page.getByRole('button', { name: 'Log in' }).first().click();
        await page.getByText('Fill in this field.').first().waitFor();
        expect(await findBarriers(page)).toEqual([]);
      },
      view,
    );
  });
});
