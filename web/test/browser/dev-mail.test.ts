// The mails of DEV: from the recovery of a password to the mail, and from its link to the page of the new password.
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { launchBrowser } from '../../../client/test/support/chromium.ts';
import type { Service } from '../../../client/test/support/services.ts';
import { mailFolder } from '../../../test/support/mails.ts';
import { endProcesses } from '../../../test/support/service-process.ts';
import { expectNoBarriers, startPublicService, withPage } from '../support/pages.ts';

const ALICE = 'alice@acme.test';

const mails = mailFolder();
let browser: Browser;
let service: Service;

beforeAll(async () => {
  browser = await launchBrowser();
  service = await startPublicService('sqlite', { 'app.mail.url': mails.settings['app.mail.url'] });
});
afterAll(async () => {
  await browser.close();
  await endProcesses();
});

it('lists the mails, shows one, and its link opens', async () => {
  await withPage(browser, service.url, async (page) => {
    await page.goto(service.url);
    await page.getByRole('navigation').getByRole('link', { name: 'Mails' }).click();
    await page.getByText('No mails yet.').waitFor();
    await expectNoBarriers(page, 'no mails');

    await page.goto(`${service.url}/recover`);
    await page.getByLabel('Username').fill(ALICE);
    await page.getByRole('button', { name: 'Send the link' }).click();
    await expect.poll(() => mails.to(ALICE)).toHaveLength(1);
    await page.goto(`${service.url}/dev/mail`);
    const row = page.getByRole('row').filter({ hasText: 'New password for Acme Flowers' });
    await row.getByText(ALICE).waitFor();
    await row.getByText(/\d\d:\d\d/).waitFor();
    await expectNoBarriers(page, 'mails');

    await row.getByRole('link').click();
    await page.getByRole('heading', { name: 'New password for Acme Flowers' }).waitFor();
    await expectNoBarriers(page, 'mail');
    await page.getByRole('link', { name: '/recover#token=' }).click();
    await page.getByRole('heading', { name: 'Choose a new password' }).waitFor();
  });
});
