// The page /login?request=… when it is left, late, or needs more of the session: confirmations, second factors, tabs, recoveries.
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { launchBrowser } from '../../../client/test/support/chromium.ts';
import type { Account } from '../../../src/auth/access/account.ts';
import { PASSWORD } from '../../../test/support/accounts.ts';
import { ENGINES } from '../../../test/support/databases.ts';
import { seedTotp } from '../../../test/support/factors.ts';
import { seedSession } from '../../../test/support/sessions.ts';
import { codeAt } from '../../../test/support/totp.ts';
import { redirectOf, withRequest, type Decision, type Play, type PlayOptions } from '../support/authorization.ts';
import { addAuthenticator, expectNoBarriers } from '../support/pages.ts';
import { startSeededService, type SeededService } from '../support/seeded-service.ts';

const APPLICATION = { name: 'Grafana', homeUrl: 'https://grafana.test/start' };

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
const button = (page: Page, name: string | RegExp) => page.getByRole('button', { name, exact: true });
const run = (options: PlayOptions, play: (play: Play) => Promise<void>) => withRequest(browser, service, options, play);
const codeFor = (decision: Decision) => ({ redirectTo: redirectOf(service.origin, decision ?? 'code') });

async function logIn(page: Page, { username }: Account): Promise<void> {
  await page.getByLabel('Username').fill(username);
  await page.getByLabel('Password').fill(PASSWORD);
  await button(page, 'Log in').click();
}

/** Answers with a code as soon as the page has confirmed the session by one of the methods. */
function confirmedBy(methods: readonly string[]) {
  let isConfirmed = false;
  return {
    watch: (page: Page) =>
      page.on('response', (response) => {
        if (response.url().endsWith('/account/confirm') && response.ok()) isConfirmed = true;
      }),
    request: {
      answer: (decision: Decision) => (isConfirmed ? codeFor(decision) : { confirmationRequired: { methods } }),
    },
  };
}

describe('a confirmation', () => {
  it('by the password goes on with the request', async () => {
    const { request, watch } = confirmedBy(['password']);
    await run({ request, hasSession: true }, async ({ page, fake, expectCode }) => {
      watch(page);
      await heading(page, 'Confirm that it is you').waitFor();
      await page.locator('input[name=password]:focus').waitFor();
      await expectNoBarriers(page, 'confirmation');
      await page.getByLabel('Password').fill('wrong');
      await button(page, 'Confirm').click();
      await page.getByText('The password is wrong.').waitFor();
      await page.getByLabel('Password').fill(PASSWORD);
      await button(page, 'Confirm').click();
      await expectCode('code');
      expect(fake.continued).toHaveLength(2);
    });
  });

  it('by a code goes on with the request', async () => {
    const { request, watch } = confirmedBy(['totp']);
    const { account, code } = await seedTotp(service.deployment);
    const before = async (context: Play['context']) =>
      context.addCookies([service.cookieOf(await seedSession(service.deployment, account))]);
    await run({ request, before }, async ({ page, expectCode }) => {
      watch(page);
      await heading(page, 'Confirm that it is you').waitFor();
      await page.getByLabel('Code').fill(code());
      await button(page, 'Confirm').click();
      await expectCode('code');
    });
  });

  it('can be replaced by a new login', async () => {
    let logins = 0;
    const answer = (decision: Decision) =>
      logins > 0 ? codeFor(decision) : { confirmationRequired: { methods: ['password'] } };
    await run({ request: { answer }, hasSession: true }, async ({ page, account, expectCode }) => {
      page.on('response', (response) => {
        if (response.url().endsWith('/auth/login')) logins += 1;
      });
      await button(page, 'Log in again instead').click();
      await logIn(page, account);
      await expectCode('code');
    });
  });
});

describe('a second factor that the account does not have', () => {
  const FACTORS = '**/api/v1/account/factors';
  const needed = { confirmationRequired: { methods: [] as string[] } };

  it('is set up, and its recovery codes are saved, before the request goes on', async () => {
    let isSetUp = false;
    const answer = (decision: Decision) => (isSetUp ? codeFor(decision) : needed);
    await run({ request: { answer }, hasSession: true }, async ({ page, expectCode }) => {
      await heading(page, 'Second factor needed').waitFor();
      await expectNoBarriers(page, 'second factor needed');
      await button(page, /Authenticator app/).click();
      await page.getByRole('img', { name: 'QR image' }).waitFor();
      await expectNoBarriers(page, 'authenticator app');
      const secret = (await page.locator('.secret code').textContent())!.replaceAll(' ', '');
      await page.getByLabel('Code').fill(codeAt(secret, service.deployment.clock.now()));
      await button(page, 'Set up app').click();
      await heading(page, 'Save your recovery codes').waitFor();
      isSetUp = true;
      await page.getByLabel('I have saved these codes').check();
      await button(page, 'Continue').click();
      await expectCode('code');
    });
  });

  it('can be a passkey', async () => {
    let isSetUp = false;
    const answer = (decision: Decision) => (isSetUp ? codeFor(decision) : needed);
    await run({ request: { answer }, hasSession: true }, async ({ page, expectCode }) => {
      await addAuthenticator(page);
      await button(page, /^Passkey/).click();
      await button(page, 'Create passkey').click();
      await heading(page, 'Save your recovery codes').waitFor();
      isSetUp = true;
      await page.getByLabel('I have saved these codes').check();
      await button(page, 'Continue').click();
      await expectCode('code');
    });
  });

  it('is left out at the choice of the user, unless the tenant requires it', async () => {
    const answer = (decision: Decision) => (decision === undefined ? needed : codeFor(decision));
    await run({ request: { answer }, hasSession: true }, async ({ page, context, expectCode }) => {
      await button(page, 'Continue without it').waitFor();
      const real = context.request;
      await context.route(FACTORS, async (route) => {
        const json = (await (await real.fetch(route.request())).json()) as object;
        await route.fulfill({ json: { ...json, required: true } });
      });
      await page.reload();
      await button(page, /Authenticator app/).waitFor();
      expect(await button(page, 'Continue without it').count()).toBe(0);
      await context.unroute(FACTORS);
      await page.reload();
      await button(page, 'Continue without it').click();
      await expectCode('ALLOW');
    });
  });
});

describe('a request that is over', () => {
  const link = (page: Page) => page.getByRole('link', { name: 'Start again at Grafana' });

  it('leads to the start of the application, also after a reload', async () => {
    await run({ request: { application: APPLICATION } }, async ({ page, fake, account }) => {
      await heading(page, 'Log in').waitFor();
      fake.expire('r1');
      await logIn(page, account);
      await heading(page, 'This request has expired').waitFor();
      expect(await link(page).getAttribute('href')).toBe(APPLICATION.homeUrl);
      await expectNoBarriers(page, 'expired request');
      await page.reload();
      await link(page).waitFor();
    });
  });

  it('without a known application says what to do', async () => {
    await run({}, async ({ page }) => {
      for (const id of ['r1', '.', '..', 'a'.repeat(65), '<img>', '%00']) {
        await page.goto(`${service.origin}/login?request=${id}`);
        await page.getByText('Go back to the application, and start again.').waitFor();
      }
    });
  });

  it('of a page that the back button brings back', async () => {
    await run({ request: { application: APPLICATION } }, async ({ page, fake }) => {
      await page.getByLabel('Username').fill('typed');
      await page.goto(`${service.origin}/health/live`);
      fake.expire('r1');
      await page.goBack();
      await link(page).waitFor();
    });
  });
});

it('a session that is restored while the page is drawn counts', async () => {
  const answer = (decision: Decision) => (decision === undefined ? 400 : codeFor(decision));
  let refresh: Awaited<ReturnType<typeof hold>>;
  const before = async (context: BrowserContext) => {
    await context.addInitScript(delayEffects);
    refresh = await hold(context, '**/auth/refresh');
  };
  await run({ request: { application: APPLICATION, answer }, hasSession: true, before }, async ({ page, account }) => {
    await page.getByText(APPLICATION.name).waitFor();
    await refresh.arrived;
    refresh.release();
    await button(page, `Continue as ${account.name}`).waitFor();
  });
});

/** A page subscribes to its session in an effect, which Preact runs after a frame, or after 35 ms. Makes that a second. */
function delayEffects(): void {
  const { setTimeout } = window;
  window.requestAnimationFrame = () => 0;
  window.setTimeout = ((act: () => void, delay?: number) =>
    setTimeout(act, delay === 35 ? 1_000 : delay)) as typeof setTimeout;
}

/** Holds the next request to these URLs back. */
async function hold(context: BrowserContext, urls: string) {
  const [arrived, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  await context.route(
    urls,
    async (route) => {
      arrived.resolve();
      await released.promise;
      await route.fallback();
    },
    { times: 1 },
  );
  return { arrived: arrived.promise, release: released.resolve };
}

describe('several tabs', () => {
  it('continue their own requests after one login', async () => {
    await run({ request: {} }, async ({ page, context, fake, account, expectCode }) => {
      fake.open('r2');
      const other = await context.newPage();
      await other.goto(`${service.origin}/login?request=r2`);
      await heading(other, 'Log in').waitFor();
      await logIn(page, account);
      await expectCode('r1');
      await expectCode('r2', other);
      expect(fake.continued).toHaveLength(2);
    });
  });

  it('with one request get one code, and the other says that it is over', async () => {
    const answer = (decision: Decision) => (decision === undefined ? 400 : codeFor(decision));
    await run({ request: { answer }, hasSession: true }, async ({ page, context, account, expectCode }) => {
      const choice = `Continue as ${account.name}`;
      await button(page, choice).waitFor();
      const other = await context.newPage();
      await other.goto(page.url());
      await button(other, choice).click();
      await expectCode('ALLOW', other);
      await button(page, choice).click();
      await heading(page, 'This request has expired').waitFor();
    });
  });
});

it('a popup keeps its opener', async () => {
  await run({}, async ({ page, context, fake, account }) => {
    fake.open('r2');
    await page.goto(`${service.origin}/health/live`);
    const opened = context.waitForEvent('page');
    await page.evaluate((url) => void window.open(url, 'login', 'width=400'), `${service.origin}/login?request=r2`);
    const popup = await opened;
    await logIn(popup, account);
    await popup.waitForURL(redirectOf(service.origin, 'r2'));
    expect(await popup.evaluate(() => window.opener !== null)).toBe(true);
  });
});

it('an application that is another program is opened by a link, too', async () => {
  const url = 'com.example.shop:/callback?code=1';
  await run({ request: { answer: () => ({ redirectTo: url }) }, hasSession: true }, async ({ page }) => {
    await heading(page, 'Back to the application').waitFor();
    expect(await page.getByRole('link', { name: 'Continue to Grafana' }).getAttribute('href')).toBe(url);
    await expectNoBarriers(page, 'leaving');
  });
});

describe('a recovery', () => {
  it('whose mail opens another tab leads back to the request', async () => {
    await run(
      { request: { application: APPLICATION }, before: withMail },
      async ({ page, context, fake, account, expectCode }) => {
        await page.getByRole('link', { name: 'Forgot your password?' }).click();
        await heading(page, 'Forgot your password?').waitFor();
        await page.getByText('Grafana', { exact: true }).waitFor();
        await expectNoBarriers(page, 'recovery for an application');
        const recover = async () => {
          const mail = await context.newPage();
          await mail.goto(`${service.origin}/recover#token=abc`);
          await mail.getByLabel('New password').fill('a good new password');
          await button(mail, 'Set password').click();
          await mail.getByRole('link', { name: 'Log in' }).click();
          return mail;
        };
        const mail = await recover();
        await logIn(mail, account);
        await expectCode('r1', mail);

        // The request has been answered, so the next recovery is one without it.
        const next = await recover();
        await heading(next, 'You are logged in').waitFor();
        expect(fake.continued).toHaveLength(1);
      },
    );
  });

  it('that takes longer than the request leads to the start of the application', async () => {
    await run({ request: { application: APPLICATION }, before: withMail }, async ({ page, fake }) => {
      await page.getByRole('link', { name: 'Forgot your password?' }).click();
      await page.getByText('Grafana', { exact: true }).waitFor();
      await page.getByRole('link', { name: 'Back to the login' }).click();
      await page.waitForURL(`${service.origin}/login?request=r1`);
      fake.expire('r1');
      await page.goto(`${service.origin}/recover#token=abc`);
      await page.getByLabel('New password').fill('a good new password');
      await button(page, 'Set password').click();
      await page.getByRole('link', { name: 'Log in' }).click();
      await page.getByRole('link', { name: 'Start again at Grafana' }).waitFor();
    });
  });
});

/** A service that sends mails, for the page. */
async function withMail(context: Play['context']): Promise<void> {
  const json = { profile: 'A', name: 'Test', passkeys: false, recovery: true };
  await context.route('**/api/v1/auth/options', (route) => route.fulfill({ json }));
  await context.route('**/api/v1/auth/recovery/confirm', (route) => route.fulfill({ status: 204 }));
}
