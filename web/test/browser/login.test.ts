// The page /login in Chromium, against the service with its demo data: passwords, second factors and passkeys.
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { launchBrowser } from '../../../client/test/support/chromium.ts';
import type { Service } from '../../../client/test/support/services.ts';
import { DEMO_TOTP } from '../../../src/composition/bootstrap/demo.ts';
import { ENGINES } from '../../../test/support/databases.ts';
import { endProcesses } from '../../../test/support/service-process.ts';
import { codeAt, wrongCode } from '../../../test/support/totp.ts';
import { createUsers, DEMO_PASSWORD, lockPassword, requireFactors } from '../support/accounts.ts';
import { addAuthenticator, expectNoBarriers, startPublicService, withPage } from '../support/pages.ts';

let browser: Browser;

beforeAll(async () => {
  browser = await launchBrowser();
});
afterAll(async () => {
  await browser?.close();
  await endProcesses();
});

const heading = (page: Page, name: string) => page.getByRole('heading', { name, exact: true });
const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });
const expectFocus = (page: Page, name: string) => page.locator(`input[name=${name}]:focus`).waitFor();

async function fill(page: Page, username: string, password = DEMO_PASSWORD): Promise<void> {
  await page.getByLabel('Username').fill(username);
  await page.getByLabel('Password').fill(password);
  await button(page, 'Log in').click();
}

/** Under Profile A, the account is next. Under Profile B, another page has no session. */
const expectLogin = (page: Page) => page.getByRole('heading', { name: /^(?:Overview|You are logged in)$/ }).waitFor();

async function saveCodes(page: Page): Promise<string[]> {
  await heading(page, 'Save your recovery codes').waitFor();
  const codes = await page.getByRole('listitem').allTextContents();
  await button(page, 'Continue').click();
  await page.getByText('Fill in this field.').waitFor();
  await page.getByLabel('I have saved these codes').check();
  await button(page, 'Continue').click();
  await expectLogin(page);
  return codes;
}

const secretOf = async (page: Page) => (await page.locator('.secret code').textContent())!.replaceAll(' ', '');

// The engines differ where a login writes, the profiles in the messages: each value of both is tried once.
describe.each([
  { profile: 'A', engine: ENGINES[0]! },
  { profile: 'B', engine: ENGINES.at(-1)! },
])('Profile $profile on $engine', ({ profile, engine }) => {
  let service: Service;
  let origin: string;
  const run = (play: (page: Page) => Promise<void>) =>
    withPage(browser, origin, async (page) => {
      await page.goto(`${origin}/login`);
      await play(page);
    });

  // The screens are the same under both profiles.
  const expectUsable = async (page: Page, screen: string) =>
    profile === 'A' ? expectNoBarriers(page, screen) : undefined;

  beforeAll(async () => {
    service = await startPublicService(engine, { 'app.security.auth-profile': profile });
    origin = service.url;
    await createUsers(origin, 'acme', ['locked@acme.test']);
    await createUsers(origin, 'globex', ['totp@globex.test', 'passkey@globex.test']);
    await requireFactors(origin, 'globex');
  });
  afterAll(async () => service?.stop());

  it('logs in with a password, and out', async () => {
    await run(async (page) => {
      await expectFocus(page, 'username');
      await fill(page, 'Alice@ACME.test');
      await expectLogin(page);
      await page.getByText('alice@acme.test').first().waitFor();
      await button(page, 'Log out').click();
      await heading(page, 'Log in').waitFor();
      expect(await page.getByLabel('Password').inputValue()).toBe('');
    });
  });

  it('shows refusals of a password at their place, and keeps the username', async () => {
    await run(async (page) => {
      await fill(page, 'locked@acme.test', 'wrong');
      await page.getByRole('alert').filter({ hasText: 'The username or the password is wrong' }).waitFor();
      expect(await page.getByLabel('Username').inputValue()).toBe('locked@acme.test');
      await expectFocus(page, 'password');
      await lockPassword(origin, 'locked@acme.test');
      await button(page, 'Log in').click();
      await page
        .getByRole('alert')
        .filter({ hasText: /is locked. Try again in 1[45] minutes \(\d\d:\d\d\)/ })
        .waitFor();

      await page.getByLabel('Username').fill('nobody@acme.test');
      await button(page, 'Log in').click();
      await page.getByText('There is no account with this username.').waitFor();
      expect(await page.getByLabel('Username').getAttribute('aria-invalid')).toBe('true');
      await expectFocus(page, 'username');
    });
  });

  it('asks for a code after the password, and again after a wrong one', async () => {
    await run(async (page) => {
      const { username, secret } = DEMO_TOTP;
      await fill(page, username);
      await heading(page, 'Second factor').waitFor();
      await expectFocus(page, 'code');
      await page.getByLabel('Code').fill('12');
      await button(page, 'Log in').click();
      await page.getByText('The code has 6 digits.').waitFor();
      await page.getByLabel('Code').fill(wrongCode(secret, Date.now()));
      await button(page, 'Log in').click();
      await page.getByText('The code is wrong or was used before.').waitFor();
      await expectFocus(page, 'code');
      const code = codeAt(secret, Date.now());
      await page.getByLabel('Code').fill(`${code.slice(0, 3)} ${code.slice(3)}`);
      await button(page, 'Log in').click();
      await expectLogin(page);
    });
  });

  it('sets up a TOTP where it is required, and logs in with a recovery code', async () => {
    await run(async (page) => {
      await fill(page, 'totp@globex.test');
      await heading(page, 'Set up a second factor').waitFor();
      await expectUsable(page, 'enrolment');
      await page.getByRole('button', { name: 'Authenticator app' }).click();
      await page.getByRole('img', { name: 'QR image' }).waitFor();
      await expectUsable(page, 'TOTP');
      await page.getByLabel('Code').fill(codeAt(await secretOf(page), Date.now()));
      await button(page, 'Log in').click();
      await heading(page, 'Save your recovery codes').waitFor();
      await expectUsable(page, 'recovery codes');
      const codes = await saveCodes(page);
      expect(codes).toHaveLength(10);
      await button(page, 'Log out').click();

      await fill(page, 'totp@globex.test');
      await page.getByRole('button', { name: 'Use a recovery code' }).click();
      await expectFocus(page, 'recoveryCode');
      await expectUsable(page, 'recovery code');
      await page.getByLabel('Recovery code').fill(codes[0]!.toLowerCase().replaceAll('-', ' '));
      await button(page, 'Log in').click();
      await expectLogin(page);
    });
  });

  it('sets up a passkey where it is required, and logs in with it alone', async () => {
    await run(async (page) => {
      await addAuthenticator(page);
      await fill(page, 'passkey@globex.test');
      await heading(page, 'Set up a second factor').waitFor();
      await page.getByRole('button', { name: 'Passkey' }).click();
      await button(page, 'Create passkey').click();
      await saveCodes(page);

      // The authenticator picks the passkey that the browser offers at the username, so the next login needs no click.
      const offered = page.waitForResponse('**/api/v1/auth/passkey/options');
      await button(page, 'Log out').click();
      await offered;
      await expectLogin(page);

      // Browsers without such offers have the button.
      const withoutOffers = () => {
        PublicKeyCredential.isConditionalMediationAvailable = async () => false;
      };
      await page.addInitScript(withoutOffers);
      await page.evaluate(withoutOffers);
      await button(page, 'Log out').click();
      await button(page, 'Log in with a passkey').click();
      await expectLogin(page);
    });
  });
});
