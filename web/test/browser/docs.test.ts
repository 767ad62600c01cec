// The page of the API, and the brand of a deployment on all pages.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { launchBrowser } from '../../../client/test/support/chromium.ts';
import type { Service } from '../../../client/test/support/services.ts';
import { endProcesses } from '../../../test/support/service-process.ts';
import { temporaryFolder } from '../../../test/support/temporary-folder.ts';
import { expectNoBarriers, startPublicService, withPage } from '../support/pages.ts';

const LOGO =
  '<svg xmlns="http://www.w3.org/2000/svg" width="90" height="30"><script>document.title = "run"</script>' +
  '<rect width="90" height="30" fill="#ffd400"/></svg>';

let browser: Browser;
let service: Service;

beforeAll(async () => {
  const logo = join(temporaryFolder('brand-'), 'logo.svg');
  writeFileSync(logo, LOGO);
  browser = await launchBrowser();
  service = await startPublicService('sqlite', {
    'app.brand.name': 'Müller & Söhne',
    'app.brand.logo': logo,
    // Unreadable on white, so the pages darken it.
    'app.brand.color': '#ffd400',
  });
});
afterAll(async () => {
  await browser.close();
  await endProcesses();
});

describe('the brand', () => {
  it('is on the login page: name, logo and a readable colour', async () => {
    await withPage(browser, service.url, async (page) => {
      await page.goto(`${service.url}/login`);
      await page.getByRole('heading', { name: 'Log in' }).waitFor();
      expect(await page.title()).toBe('Log in · Müller & Söhne');
      const logo = page.locator('.brand img');
      await expect.poll(() => logo.evaluate((image) => (image as HTMLImageElement).naturalWidth)).toBe(90);
      await expectNoBarriers(page, '/login');
    });
  });

  it('has a logo that runs no script, even if it is opened as a page', async () => {
    await withPage(browser, service.url, async (page) => {
      await page.goto(`${service.url}/login`);
      const address = await page.locator('.brand img').getAttribute('src');
      // In a context of its own, because the browser reports the script that the policy stops.
      const opened = await (await browser.newContext()).newPage();
      await opened.goto(service.url + address!);
      expect(await opened.title()).not.toBe('run');
      await opened.context().close();
    });
  });
});

describe('the page of the API', () => {
  it('finds an operation by keyboard, and copies its command', async () => {
    const permissions = { permissions: ['clipboard-read', 'clipboard-write'] };
    await withPage(
      browser,
      service.url,
      async (page) => {
        await page.goto(`${service.url}/docs`);
        await page.getByRole('heading', { level: 1, name: 'API' }).waitFor();
        await page.keyboard.press('/');
        await page.keyboard.type('tenants post create');
        await page.waitForURL(/\?q=tenants\+post\+create$/);
        const found = page.locator('.operations a');
        expect(await found.allInnerTexts()).toEqual([
          expect.stringMatching(/^POST\s+\/api\/v1\/tenants\s+Create a tenant$/),
        ]);
        await page.keyboard.press('Tab');
        await page.keyboard.press('Enter');
        await page.getByRole('heading', { level: 1, name: 'Create a tenant' }).waitFor();
        await page.getByRole('button', { name: 'Copy the command' }).click();
        await page.getByRole('button', { name: 'Copied' }).waitFor();
        const command = await page.evaluate(() => navigator.clipboard.readText());
        expect(command).toContain(`curl -s '${service.url}/api/v1/tenants'`);
        expect(command).toContain('"name"');
        await page.goBack();
        await page.waitForURL(/\?q=tenants\+post\+create$/);
        expect(await found.count()).toBe(1);
      },
      permissions,
    );
  });

  it('opens a link to an operation, and says if there is none', async () => {
    await withPage(browser, service.url, async (page) => {
      await page.goto(`${service.url}/docs/listUsers`);
      await page.getByRole('heading', { level: 1, name: 'List users' }).waitFor();
      expect(await page.getByRole('rowheader').allInnerTexts()).toContain('perPage');
      await page.goto(`${service.url}/docs/missing`);
      await page.getByRole('heading', { level: 1, name: 'This operation does not exist' }).waitFor();
      await page.getByRole('link', { name: 'All operations' }).click();
      await page.waitForURL(/\/docs\/?$/);
      await page.reload();
      await page.getByRole('heading', { level: 1, name: 'API' }).waitFor();
    });
  });

  it.each([
    ['/docs?q=recovery', 'API'],
    ['/docs/createTenant', 'Create a tenant'],
  ])('%s has no barriers', async (path, title) => {
    await withPage(browser, service.url, async (page) => {
      await page.goto(service.url + path);
      await page.getByRole('heading', { level: 1, name: title }).waitFor();
      await expectNoBarriers(page, path);
    });
  });
});
