// The console in the browser, with a session that needs no form.
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { expect } from 'vitest';
import { withPage } from './pages.ts';

const PASSWORD = 'demo-password-1';

/** Runs with a page whose browser has a session of an account of the demo. */
export async function withSession(
  browser: Browser,
  origin: string,
  username: string,
  run: (page: Page) => Promise<void>,
  options: BrowserContextOptions = {},
): Promise<void> {
  await withPage(
    browser,
    origin,
    async (page, context) => {
      const response = await context.request.post(`${origin}/api/v1/auth/login`, {
        data: { username, password: PASSWORD },
      });
      expect(response.status()).toBe(200);
      await run(page);
    },
    options,
  );
}

/** Waits until a screen with this title has loaded. */
export async function waitForScreen(page: Page, title: string): Promise<void> {
  await page.getByRole('heading', { level: 1, name: title, exact: true }).waitFor();
  await page.locator('main:not(:has([aria-busy="true"]))').waitFor();
}

/** Returns the names of the screens in the navigation. */
export const screensOf = (page: Page): Promise<string[]> =>
  page.getByRole('navigation', { name: 'Screens' }).getByRole('link').allInnerTexts();

/** Returns the texts of the first column. */
export const rowsOf = (page: Page): Promise<string[]> => page.locator('tbody th').allInnerTexts();
