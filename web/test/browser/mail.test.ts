// The pages that mails lead to, in Chromium: from the request to the new password, by the links of real mails.
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { launchBrowser } from '../../../client/test/support/chromium.ts';
import { newId } from '../../../src/platform/db/ids.ts';
import { PASSWORD, seedAccount, type Seed } from '../../../test/support/accounts.ts';
import { ENGINES } from '../../../test/support/databases.ts';
import { eventually } from '../../../test/support/eventually.ts';
import { mailFolder } from '../../../test/support/mails.ts';
import { expectNoBarriers, withPage } from '../support/pages.ts';
import { startSeededService, type SeededService } from '../support/seeded-service.ts';

const NEW_PASSWORD = 'a new and long password';
const NAME = `<img src=x onerror=alert(1)>${'W'.repeat(150)}`;
const HOSTILE = `\u202E${NAME}`;

let browser: Browser;
beforeAll(async () => {
  browser = await launchBrowser();
});
afterAll(() => browser?.close());

const heading = (page: Page, name: string) => page.getByRole('heading', { name, exact: true });
const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });
const alert = (page: Page, text: string) => page.getByRole('alert').filter({ hasText: text });

// The engines differ where a token is taken, the profiles in the messages: each value of both is tried once.
describe.each([
  { profile: 'A', engine: ENGINES.at(-1)! },
  { profile: 'B', engine: ENGINES[0]! },
])('Profile $profile on $engine', ({ profile, engine }) => {
  const mails = mailFolder();
  let service: SeededService;
  beforeAll(async () => {
    const { 'app.mail.url': url } = mails.settings;
    service = await startSeededService(engine, { 'app.mail.url': url, 'app.security.auth-profile': profile });
  });
  afterAll(() => service?.close());

  const isFirst = profile === 'A';
  const run = (path: string, play: (page: Page) => Promise<void>, options?: BrowserContextOptions) =>
    withPage(
      browser,
      service.origin,
      async (page) => {
        await page.goto(service.origin + path);
        await play(page);
      },
      options,
    );
  const open = (seed: Seed = {}) => {
    const email = `${newId()}@mail.test`;
    return seedAccount(service.deployment.database, { username: email, email, ...seed });
  };
  /** Returns the link of the newest mail to an address. */
  const linkTo = (address: string, count = 1) =>
    eventually(() => {
      const found = mails.to(address);
      expect(found).toHaveLength(count);
      return /https?:\S+#token=\S+/.exec(found.at(-1)!.text)![0];
    });
  const logIn = async (page: Page, username: string, password: string) => {
    await page.getByLabel('Username').fill(username);
    await page.getByLabel('Password').fill(password);
    await button(page, 'Log in').click();
  };

  describe('/recover', () => {
    const request = async (page: Page, username: string) => {
      await page.getByLabel('Username').fill(username);
      await button(page, 'Send the link').click();
      await heading(page, 'Look into your mailbox').waitFor();
    };

    it('leads from the login to a mail, and from its link to a login with the new password', async () => {
      const { username } = await open();
      await run('/login', async (page) => {
        await page.getByRole('link', { name: 'Forgot your password?' }).click();
        await heading(page, 'Forgot your password?').waitFor();
        if (isFirst) await expectNoBarriers(page, 'forgotten password');
        await request(page, username);
        await page.getByText(username, { exact: true }).waitFor();
        if (isFirst) await expectNoBarriers(page, 'mail on its way');

        const link = await linkTo(username);
        const sent: string[] = [];
        page.on('request', (sending) => sent.push(sending.url() + (sending.postData() ?? '')));
        await page.goto(link);
        await heading(page, 'Choose a new password').waitFor();
        expect(page.url()).toBe(`${service.origin}/recover`);
        if (isFirst) await expectNoBarriers(page, 'new password');
        // Programs that check mails open the link, too.
        const token = link.split('#token=')[1]!;
        expect(sent.filter((text) => text.includes(token))).toEqual([]);

        await page.getByLabel('New password').fill('short');
        await button(page, 'Set password').click();
        await page.getByText(isFirst ? 'Use 12 to 1024 characters.' : 'Choose a longer').waitFor();
        expect(await page.getByLabel('New password').getAttribute('aria-invalid')).toBe('true');
        await page.getByLabel('New password').fill(NEW_PASSWORD);
        await button(page, 'Set password').click();
        await heading(page, 'Your password is set').waitFor();
        await page.getByRole('link', { name: 'Log in' }).click();
        await logIn(page, username, NEW_PASSWORD);
        await heading(page, isFirst ? 'Overview' : 'You are logged in').waitFor();

        await page.goto(link);
        await page.getByLabel('New password').fill(NEW_PASSWORD);
        await button(page, 'Set password').click();
        await alert(page, 'or a newer one has replaced it. Ask for a new link.').waitFor();
        await page.locator('input[name=username]:focus').waitFor();
      });
    });
  });

  it('/invite and /email refuse links that are not valid, and say what to do', async () => {
    await run('/invite', async (page) => {
      await page.getByText('Open this page by the link in the mail.').waitFor();
      await page.goto(`${service.origin}/invite#token=unknown`);
      await page.getByLabel('New password').fill(NEW_PASSWORD);
      await button(page, 'Set password').click();
      await alert(page, 'This link was used').waitFor();
      await page.getByText('ask your administrator to invite you again.').waitFor();
      if (isFirst) await expectNoBarriers(page, 'ended invitation');
      for (const [name, action] of [
        ['token', 'Confirm the address'],
        ['stop', 'Stop the change'],
      ] as const) {
        await page.goto(`${service.origin}/email#${name}=unknown`);
        await button(page, action).click();
        await alert(page, 'This link was used').waitFor();
      }
      await page.getByRole('link', { name: isFirst ? 'To your account' : 'To the login' }).waitFor();
    });
  });

  if (!isFirst) return;

  describe('/recover, too,', () => {
    it('sends another mail after a minute, and only its link is valid', async () => {
      const { username } = await open();
      await withPage(browser, service.origin, async (page) => {
        await page.clock.install();
        await page.goto(`${service.origin}/recover`);
        await page.getByLabel('Username').fill(username);
        await button(page, 'Send the link').click();
        await page.getByText('You can send it again in').waitFor();
        const older = await linkTo(username);
        await button(page, 'Send again').dispatchEvent('click');
        await page.clock.fastForward('01:01');
        await page.getByText('You can send it again in').waitFor({ state: 'detached' });
        await button(page, 'Send again').click();
        await page.getByText('Sent again').waitFor();
        await page.getByText('You can send it again in').waitFor();
        const newest = await linkTo(username, 2);

        // The link opens in the same tab, so only the fragment of the URL changes.
        await page.evaluate((fragment) => location.assign(fragment), new URL(older).hash);
        await page.getByLabel('New password').fill(NEW_PASSWORD);
        await button(page, 'Set password').click();
        await alert(page, 'Ask for a new link.').waitFor();
        await page.goto(newest);
        await page.getByLabel('New password').fill(NEW_PASSWORD);
        await button(page, 'Set password').click();
        await heading(page, 'Your password is set').waitFor();
      });
    });

    it('shows hostile usernames as text, and says the same of unknown ones', async () => {
      await run('/recover', async (page) => {
        await page.getByLabel('Username').fill(HOSTILE);
        await button(page, 'Send the link').click();
        await page.getByText(HOSTILE).waitFor();
        expect(await page.locator('#page img').count()).toBe(0);
        await expectNoBarriers(page, 'hostile username');
        await button(page, 'Use another username').click();
        expect(await page.getByLabel('Username').inputValue()).toBe(HOSTILE);
      });
    });

    it('keeps what was typed without a network', async () => {
      await run('/recover#token=unknown', async (page) => {
        await page.getByLabel('New password').fill(NEW_PASSWORD);
        await page.context().setOffline(true);
        await button(page, 'Set password').click();
        await alert(page, 'The service cannot be reached.').waitFor();
        await page.context().setOffline(false);
        await button(page, 'Set password').click();
        await alert(page, 'Ask for a new link.').waitFor();
      });
    });

    it('without mail, says whom to ask, and the login has no link to it', async () => {
      await withPage(browser, service.origin, async (page) => {
        await page.route('**/api/v1/auth/options', async (route) => {
          const response = await route.fetch();
          await route.fulfill({ response, json: { ...(await response.json()), recovery: false } });
        });
        await page.goto(`${service.origin}/recover`);
        await page.getByText('Ask your administrator for a new password.').waitFor();
        await page.getByRole('link', { name: 'To the login' }).click();
        await page.getByLabel('Username').waitFor();
        expect(await page.getByText('Forgot your password?').count()).toBe(0);
      });
    });

    it('is in German for German browsers', async () => {
      await run('/recover', (page) => heading(page, 'Passwort vergessen?').waitFor(), { locale: 'de-AT' });
    });
  });

  it('an invitation leads from the console to the first login', async () => {
    const email = `${newId()}@mail.test`;
    let link = '';
    await service.as(browser, { roles: ['ADMIN'] }, async ({ page }) => {
      await page.goto(`${service.origin}/console/users`);
      await button(page, 'Create user').click();
      const dialog = page.getByRole('dialog');
      await dialog.getByLabel('Name', { exact: true }).fill(NAME);
      await dialog.getByLabel('Username').fill(email);
      await dialog.getByRole('button', { name: 'Create user' }).click();
      await dialog.getByText('Fill in this field.').waitFor();
      expect(await dialog.getByLabel('Password').count()).toBe(0);
      await expectNoBarriers(page, 'invite a user');
      await dialog.getByLabel('E-mail', { exact: true }).fill(email);
      await dialog.getByLabel('SALES').check();
      await dialog.getByRole('button', { name: 'Create user' }).click();
      await page.getByText('Invitation sent').waitFor();
      await page.getByText('Invited until').waitFor();
      const first = await linkTo(email);
      await button(page, 'Send invitation again').click();
      await button(page, 'Send invitation').click();
      link = await linkTo(email, 2);
      expect(link).not.toBe(first);
      await page.getByText(`The invitation is on its way to ${email}`).waitFor();
    });
    await withPage(browser, service.origin, async (page) => {
      await page.goto(link);
      await heading(page, 'Choose your password').waitFor();
      expect(page.url()).toBe(`${service.origin}/invite`);
      await expectNoBarriers(page, 'invitation');
      await page.getByLabel('New password').fill(email);
      await button(page, 'Set password').click();
      await page.getByText('Do not use your').waitFor();
      await page.getByLabel('New password').fill(NEW_PASSWORD);
      await button(page, 'Set password').click();
      await heading(page, 'Your account is ready').waitFor();
      await page.getByRole('link', { name: 'Log in' }).click();
      await logIn(page, email, NEW_PASSWORD);
      await page.getByText(NAME).waitFor();
      await page.getByText('confirmed', { exact: true }).waitFor();
    });
  });

  it('an administrator withdraws an invitation, after a question', async () => {
    const email = `${newId()}@mail.test`;
    let link = '';
    await service.as(browser, { roles: ['ADMIN'] }, async ({ page }) => {
      await page.goto(`${service.origin}/console/users`);
      await button(page, 'Create user').click();
      const dialog = page.getByRole('dialog');
      await dialog.getByLabel('Name', { exact: true }).fill(NAME);
      await dialog.getByLabel('Username').fill(email);
      await dialog.getByLabel('E-mail', { exact: true }).fill(email);
      await dialog.getByLabel('SALES').check();
      await dialog.getByRole('button', { name: 'Create user' }).click();
      link = await linkTo(email);
      await button(page, 'Withdraw invitation').click();
      await expectNoBarriers(page, 'withdraw an invitation');
      await dialog.getByRole('button', { name: 'Cancel' }).click();
      await page.getByText('Invited until').waitFor();
      await button(page, 'Withdraw invitation').click();
      await dialog.getByRole('button', { name: 'Withdraw invitation' }).click();
      await page.getByText('Invitation withdrawn').waitFor();
      await page.getByText('Invitation ended').waitFor();
      expect(await button(page, 'Withdraw invitation').count()).toBe(0);
    });
    await withPage(browser, service.origin, async (page) => {
      await page.goto(link);
      await page.getByLabel('New password').fill(NEW_PASSWORD);
      await button(page, 'Set password').click();
      await page.getByText('ask your administrator').waitFor();
    });
  });

  it('a user changes the e-mail address by a link to the new one, after a confirmation of the session', async () => {
    const [earlier, address] = [`${newId()}@mail.test`, `${newId()}@mail.test`];
    const old = 11 * 60_000;
    await service.as(
      browser,
      { email: earlier },
      async ({ page, account }) => {
        await page.goto(`${service.origin}/account`);
        await page.getByText('not confirmed').waitFor();
        await button(page, 'Change e-mail address').click();
        const dialog = page.getByRole('dialog', { name: 'Change e-mail address' });
        await dialog.getByLabel('New e-mail address').fill('nowhere');
        await button(page, 'Send the link').click();
        await dialog.getByText('An address is like name@example.com.').waitFor();
        await dialog.getByLabel('New e-mail address').fill(address);
        await button(page, 'Send the link').click();
        await page.getByRole('dialog', { name: 'Confirm that it is you' }).getByLabel('Password').fill(PASSWORD);
        await button(page, 'Confirm').last().click();
        await page.getByText('Confirm by the mail that we sent to').waitFor();
        await page.getByText(earlier, { exact: true }).waitFor();
        await expectNoBarriers(page, 'address to confirm');
        await page.reload();
        await page.getByText(address, { exact: true }).waitFor();
        await page.getByText('You can send it again in').waitFor();
        expect(await button(page, 'Confirm').getAttribute('aria-disabled')).toBe('true');

        await page.goto(await linkTo(address));
        await heading(page, 'Confirm your address').waitFor();
        expect(page.url()).toBe(`${service.origin}/email`);
        const [row] = await service.deployment.database.query<{ email: string }>(
          'SELECT email FROM accounts WHERE username = ?',
          [account.username],
        );
        expect(String(row?.email)).toBe(earlier);
        await expectNoBarriers(page, 'confirm the address');
        await page.keyboard.press('Enter');
        await heading(page, 'Your address is confirmed').waitFor();
        await page.getByRole('link', { name: 'To your account' }).click();
        await page.getByText('confirmed', { exact: true }).waitFor();
        await page.getByText(address, { exact: true }).waitFor();
        expect(await page.getByText('Confirm by the mail').count()).toBe(0);
      },
      old,
    );
  });
});
