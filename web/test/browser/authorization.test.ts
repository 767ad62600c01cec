// The page /login?request=… : what it makes of the answers of the service. Accounts and sessions are real, requests are not.
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { launchBrowser } from '../../../client/test/support/chromium.ts';
import type { Account } from '../../../src/auth/access/account.ts';
import { PASSWORD, seedAccount } from '../../../test/support/accounts.ts';
import { ENGINES } from '../../../test/support/databases.ts';
import { seedSession } from '../../../test/support/sessions.ts';
import { redirectOf, withRequest, type Decision, type Play, type PlayOptions } from '../support/authorization.ts';
import { expectNoBarriers } from '../support/pages.ts';
import { startSeededService, type SeededService } from '../support/seeded-service.ts';

const PNG = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==';
const HOSTILE = `<img src=x onerror=alert(1)>"'&amp;😀 ${'w'.repeat(160)}`;

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
const alert = (page: Page, text: string) => page.getByRole('alert').filter({ hasText: text });
const run = (options: PlayOptions, play: (play: Play) => Promise<void>) => withRequest(browser, service, options, play);
const code = (name = 'r1') => ({ redirectTo: redirectOf(service.origin, name) });
const newAccount = () => seedAccount(service.deployment.database);

async function logIn(page: Page, { username }: Account): Promise<void> {
  await page.getByLabel('Username').fill(username);
  await page.getByLabel('Password').fill(PASSWORD);
  await button(page, 'Log in').click();
}

describe('the application', () => {
  it('is shown with its logo and its tenant, and fills in the name', async () => {
    const application = { name: 'Grafana', logo: PNG, tenantName: 'Acme Flowers' };
    const request = { application, loginHint: 'hint@acme.test' };
    await run({ request }, async ({ page, fake, account, expectCode }) => {
      await page.getByText('Continue to').waitFor();
      await page.getByText('Grafana', { exact: true }).waitFor();
      await page.getByText('Acme Flowers', { exact: true }).waitFor();
      const logo = page.locator('.requester img');
      expect(await logo.evaluate((image: HTMLImageElement) => image.complete && image.naturalWidth)).toBe(1);
      expect(await page.getByLabel('Username').inputValue()).toBe('hint@acme.test');
      await page.locator('input[name=password]:focus').waitFor();
      await expectNoBarriers(page, 'login for an application');
      await logIn(page, account);
      await expectCode();
      expect(fake.continued).toEqual([{ id: 'r1', decision: undefined, accountId: account.id }]);
    });
  });

  it('chooses the language, unless the user has chosen one', async () => {
    await run({ request: { uiLocales: 'fr-CA DE-at en' } }, async ({ page }) => {
      await heading(page, 'Anmelden').waitFor();
      await page.getByText('Weiter zu').waitFor();
      await button(page, 'English').click();
      await page.reload();
      await heading(page, 'Log in').waitFor();
    });
    await run({ request: { uiLocales: 'fr' }, locale: 'de-DE' }, ({ page }) => heading(page, 'Anmelden').waitFor());
  });

  it('is text, whatever its name is', async () => {
    const application = { name: HOSTILE, tenantName: HOSTILE };
    const answer = () => ({ consentRequired: { scopes: ['openid', HOSTILE] } });
    await run({ request: { application, answer }, hasSession: true }, async ({ page, account }) => {
      await heading(page, 'Allow access?').waitFor();
      expect(await page.locator('#page img').count()).toBe(0);
      await page.getByText(account.username).waitFor();
      await expectNoBarriers(page, 'hostile application');
      // What the page asks stays in sight.
      expect((await page.locator('.requester').boundingBox())!.height).toBeLessThan(160);
    });
  });
});

describe('the session of the browser', () => {
  it('continues at once, and the login is no step of the history', async () => {
    await run({}, async ({ page, fake, account, expectCode }) => {
      await heading(page, 'This request has expired').waitFor();
      const start = `${service.origin}/health/live?start`;
      await page.goto(start);
      fake.open('r2');
      await page.goto(`${service.origin}/login?request=r2`);
      await logIn(page, account);
      await expectCode('r2');
      await page.goBack();
      expect(page.url()).toBe(start);
      fake.open('r3');
      await page.goto(`${service.origin}/login?request=r3`);
      await expectCode('r3');
      expect(fake.continued).toHaveLength(2);
    });
  });

  it('that ends meanwhile leads to the form, with the same request', async () => {
    let isOver = false;
    const answer = () => (isOver ? 401 : { consentRequired: { scopes: ['openid'] } });
    await run({ request: { answer }, hasSession: true }, async ({ page, context, fake, account, expectCode }) => {
      await heading(page, 'Allow access?').waitFor();
      isOver = true;
      await context.clearCookies();
      await button(page, 'Allow').click();
      await heading(page, 'Log in').waitFor();
      fake.open('r1');
      await logIn(page, account);
      await expectCode();
    });
  });

  it('tries again after the network has failed', async () => {
    let isLost = true;
    const answer = () => (isLost ? 'lost' : code());
    await run({ request: { answer }, hasSession: true }, async ({ page, expectCode }) => {
      await alert(page, 'The service cannot be reached.').waitFor();
      await expectNoBarriers(page, 'failed continuation');
      isLost = false;
      await button(page, 'Try again').click();
      await expectCode();
    });
  });
});

describe('consent', () => {
  const scopes = ['openid', 'profile', 'email', 'roles', 'groups', 'tenant', 'offline_access'];
  const answer = (decision: Decision) => (decision === undefined ? { consentRequired: { scopes } } : code(decision));

  it('says what the application gets, and for how long', async () => {
    await run({ request: { answer }, hasSession: true }, async ({ page, fake, account, expectCode }) => {
      await heading(page, 'Allow access?').waitFor();
      expect(await page.locator('.scopes li').allTextContents()).toEqual([
        'Recognise you when you log in',
        'See your name and your username',
        'See your e-mail address',
        'See your roles',
        'See your groups',
        'See your organisation',
      ]);
      await page.getByText('keeps this access while you are logged out').waitFor();
      await page.getByText(account.username).waitFor();
      await expectNoBarriers(page, 'consent');
      await button(page, 'Allow').click();
      await expectCode('ALLOW');
      expect(fake.continued.map(({ decision }) => decision)).toEqual([undefined, 'ALLOW']);
    });
  });

  it('can be denied, and is asked for after a login, too', async () => {
    await run({ request: { answer } }, async ({ page, account, expectCode }) => {
      await logIn(page, account);
      await button(page, 'Deny').click();
      await expectCode('DENY');
    });
  });

  it('is asked for again by the account that another tab logs in with', async () => {
    await run({ request: { answer }, hasSession: true }, async ({ page, context, fake, account }) => {
      await page.getByText(account.username).waitFor();
      const second = await newAccount();
      fake.open('r2', { answer: () => 403 });
      const other = await context.newPage();
      await other.goto(`${service.origin}/login?request=r2`);
      await button(other, 'Use another account').click();
      await logIn(other, second);
      await page.getByText(second.username).waitFor();
      const accounts = fake.continued.filter(({ id }) => id === 'r1').map(({ accountId }) => accountId);
      expect(accounts).toEqual([account.id, second.id]);
    });
  });
});

describe('the choice of the account', () => {
  const answer = (decision: Decision, accountId: string) =>
    decision === undefined ? 400 : code(`${decision}-${accountId}`);
  const application = { firstParty: true };

  it('is a consent, too, for an application of others', async () => {
    const scopes = ['openid', 'email', 'offline_access'];
    await run({ request: { answer, scopes } }, async ({ page, account, expectCode }) => {
      await logIn(page, account);
      await page.getByText('Grafana will be able to:').waitFor();
      await page.getByText('See your e-mail address').waitFor();
      await page.getByText('keeps this access while you are logged out').waitFor();
      await expectNoBarriers(page, 'choice with scopes');
      await button(page, `Continue as ${account.name}`).click();
      await expectCode(`ALLOW-${account.id}`);
    });
  });

  it('continues with the session after a click', async () => {
    await run({ request: { application, answer }, hasSession: true }, async ({ page, account, expectCode }) => {
      const choice = button(page, `Continue as ${account.name}`);
      await choice.waitFor();
      await expectNoBarriers(page, 'choice');
      await choice.click();
      await expectCode(`ALLOW-${account.id}`);
    });
  });

  it('takes another account, whose login is the click, and leads back before', async () => {
    await run({ request: { application, answer }, hasSession: true }, async ({ page, fake, account, expectCode }) => {
      const second = await newAccount();
      await button(page, 'Use another account').click();
      await page.getByText('logs you out of the current one').waitFor();
      await expectNoBarriers(page, 'another account');
      await button(page, 'Back').click();
      await button(page, `Continue as ${account.name}`).waitFor();
      await button(page, 'Use another account').click();
      await logIn(page, second);
      await expectCode(`ALLOW-${second.id}`);
      expect(fake.continued.map(({ decision }) => decision)).toEqual([undefined, undefined, undefined, 'ALLOW']);
    });
  });

  it('waits for a click if another tab has logged in', async () => {
    await run({ request: { application, answer } }, async ({ page, context, account, expectCode }) => {
      await heading(page, 'Log in').waitFor();
      const other = await context.newPage();
      await context.addCookies([service.cookieOf(await seedSession(service.deployment, account))]);
      await other.goto(`${service.origin}/account`);
      await button(page, `Continue as ${account.name}`).click();
      await expectCode(`ALLOW-${account.id}`);
    });
  });

  it('can be cancelled', async () => {
    await run({ request: { application, answer }, hasSession: true }, async ({ page, account, expectCode }) => {
      await button(page, 'Cancel and return to Grafana').click();
      await expectCode(`DENY-${account.id}`);
    });
  });

  it('follows where the application does not serve the account', async () => {
    const served = await newAccount();
    const serve = (_decision: Decision, accountId: string) => (accountId === served.id ? code() : 403);
    const application = { name: 'Grafana', homeUrl: `${service.origin}/home` };
    await run({ request: { application, answer: serve }, hasSession: true }, async ({ page, account, expectCode }) => {
      await heading(page, 'No access with this account').waitFor();
      await page.getByText(account.username).waitFor();
      // The account cannot answer for the application, and a button that does would lead back here.
      expect(await page.getByRole('button', { name: 'Grafana' }).count()).toBe(0);
      const home = page.getByRole('link', { name: 'Return to Grafana' });
      expect(await home.getAttribute('href')).toBe(application.homeUrl);
      await expectNoBarriers(page, 'not served');
      await button(page, 'Use another account').click();
      await logIn(page, served);
      await expectCode();
    });
  });
});
