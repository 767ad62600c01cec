// The page /login when something is missing, late or hostile. Profile A on the embedded database.
import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { launchBrowser } from '../../../client/test/support/chromium.ts';
import type { Service } from '../../../client/test/support/services.ts';
import { DEMO_TOTP } from '../../../src/composition/bootstrap/demo.ts';
import { endProcesses } from '../../../test/support/service-process.ts';
import { createUsers, DEMO_PASSWORD } from '../support/accounts.ts';
import { expectNoBarriers, startPublicService, withPage } from '../support/pages.ts';

const HOSTILE = `<img src=x onerror=alert(1)>"'&amp;😀${'w'.repeat(170)}@acme.test`;
let browser: Browser;
let service: Service;
let origin: string;

beforeAll(async () => {
  [browser, service] = await Promise.all([launchBrowser(), startPublicService('sqlite')]);
  origin = service.url;
  await createUsers(origin, 'acme', [HOSTILE]);
});
afterAll(async () => {
  await service?.stop();
  await browser?.close();
  await endProcesses();
});

const heading = (page: Page, name: string) => page.getByRole('heading', { name, exact: true });
const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });
const alert = (page: Page, text: string | RegExp) => page.getByRole('alert').filter({ hasText: text });

const run = (
  play: (page: Page, context: BrowserContext) => Promise<void>,
  { path = '/login', ...options }: BrowserContextOptions & { readonly path?: string } = {},
) =>
  withPage(
    browser,
    origin,
    async (page, context) => {
      await page.goto(origin + path);
      await play(page, context);
    },
    options,
  );

async function fill(page: Page, username = 'alice@acme.test', password = DEMO_PASSWORD): Promise<void> {
  await page.getByLabel('Username').fill(username);
  await page.getByLabel('Password').fill(password);
  await button(page, 'Log in').click();
}

/** Answers the next requests of a path with an error of the service. */
async function refuse(page: Page, path: string, status: number, errorCode: string, headers = {}): Promise<void> {
  const json = { type: `urn:service:error:${errorCode}`, status, errorCode, title: 'Title', detail: 'Detail' };
  await page.route(`**/api/v1${path}`, (route) => route.fulfill({ status, json, headers }));
}

describe('the form', () => {
  it('can be filled by password managers, and used by keyboard alone', async () => {
    await run(async (page) => {
      const attributes = (label: string) =>
        page.getByLabel(label).evaluate((field) => [field.getAttribute('autocomplete'), field.getAttribute('type')]);
      expect(await attributes('Username')).toEqual(['username webauthn', null]);
      expect(await attributes('Password')).toEqual(['current-password', 'password']);
      await page.keyboard.type('alice@acme.test');
      await page.keyboard.press('Tab');
      await page.keyboard.type(DEMO_PASSWORD);
      await page.keyboard.press('Enter');
      await heading(page, 'Overview').waitFor();
    });
  });

  it('shows empty fields, Caps Lock and the password on request', async () => {
    await run(async (page) => {
      await button(page, 'Log in').click();
      expect(await page.getByText('Fill in this field.').count()).toBe(2);
      await expectNoBarriers(page, 'empty fields');
      const password = page.getByLabel('Password');
      await password.dispatchEvent('keydown', { key: 'A', modifierCapsLock: true });
      await page.getByText('Caps Lock is on.').waitFor();
      await button(page, 'Show characters').click();
      expect(await password.getAttribute('type')).toBe('text');
    });
  });

  it('is in German for German browsers, and can be switched', async () => {
    await run(
      async (page) => {
        await heading(page, 'Anmelden').waitFor();
        expect(await page.locator('html').getAttribute('lang')).toBe('de');
        await button(page, 'English').click();
        await heading(page, 'Log in').waitFor();
        await page.reload();
        await heading(page, 'Log in').waitFor();
      },
      { locale: 'de-AT' },
    );
  });

  it('shows hostile names as text, and nothing is cut', async () => {
    await run(async (page) => {
      await fill(page, HOSTILE);
      await heading(page, 'Overview').waitFor();
      await page.goto(`${origin}/login`);
      await heading(page, 'You are logged in').waitFor();
      expect(await page.locator('bdi.name').textContent()).toBe(HOSTILE.normalize('NFC').toLowerCase());
      expect(await page.locator('#page img').count()).toBe(0);
      await expectNoBarriers(page, 'logged in');
    });
  });
});

const REFUSALS = [
  ['account-disabled', 401, 'Ask your administrator to enable it.'],
  ['account-expired', 401, 'Ask your administrator to extend it.'],
  ['credentials-expired', 401, 'Ask your administrator for a new one.'],
  ['login-policy-rejected', 401, 'Ask your administrator.'],
  ['account-locked', 423, /the account is locked\. Try again in 1 minute \(\d\d:\d\d\)/],
  ['too-many-requests', 429, /Too many attempts\. Try again in 1 minute \(\d\d:\d\d\)/],
  ['challenge-invalid', 401, 'Log in again.'],
  ['unheard-of', 400, 'Detail'],
] as const;

describe('refusals', () => {
  it('each says what to do', async () => {
    await run(async (page) => {
      for (const [code, status, text] of REFUSALS) {
        await refuse(page, '/auth/login', status, code, { 'retry-after': '60' });
        await fill(page);
        await alert(page, text).waitFor();
        await page.unroute('**/api/v1/auth/login');
      }
    });
  });

  it('a lost network keeps what was typed', async () => {
    await run(async (page, context) => {
      await page.getByLabel('Username').waitFor();
      await context.setOffline(true);
      await fill(page);
      await alert(page, 'The service cannot be reached.').waitFor();
      await context.setOffline(false);
      await button(page, 'Log in').click();
      await heading(page, 'Overview').waitFor();
    });
  });

  it('a page that does not reach the service can try again', async () => {
    await withPage(browser, origin, async (page) => {
      await page.route('**/api/v1/auth/options', (route) => route.abort());
      await page.goto(`${origin}/login`);
      await alert(page, 'The service cannot be reached.').waitFor();
      await page.unroute('**/api/v1/auth/options');
      await button(page, 'Try again').click();
      await heading(page, 'Log in').waitFor();
    });
  });

  it('a session that cannot be restored is tried again by itself', async () => {
    await withPage(browser, origin, async (page) => {
      await page.route('**/api/v1/auth/refresh', (route) => route.abort());
      await page.goto(`${origin}/login`);
      await alert(page, 'The service cannot be reached.').waitFor();
      await page.unroute('**/api/v1/auth/refresh');
      await page.getByLabel('Username').waitFor();
    });
  });
});

it('shows the form while it waits for the refresh of a page that was left', async () => {
  await withPage(browser, origin, async (page) => {
    await page.addInitScript(() => {
      if (location.pathname !== '/login') return;
      const begin = () => localStorage.setItem('service:refresh-session:started', String(Date.now()));
      begin();
      Object.assign(window, { refreshing: setInterval(begin, 100) });
    });
    await page.goto(`${origin}/login`);
    await page.getByLabel('Username').fill('alice@acme.test');
    await page.getByLabel('Password').fill(DEMO_PASSWORD);
    await page.evaluate(() => clearInterval((window as unknown as { refreshing: number }).refreshing));
    await button(page, 'Log in').click();
    await heading(page, 'Overview').waitFor();
  });
});

describe('the second factor', () => {
  it('leads back to the password when its time is over or its challenge was used', async () => {
    await withPage(browser, origin, async (page) => {
      await page.clock.install();
      await page.goto(`${origin}/login`);
      await fill(page, DEMO_TOTP.username);
      await heading(page, 'Second factor').waitFor();
      await expectNoBarriers(page, 'code');
      await page.clock.fastForward('05:01');
      await alert(page, 'You had five minutes').waitFor();
      expect(await page.getByLabel('Username').inputValue()).toBe(DEMO_TOTP.username);

      await fill(page, DEMO_TOTP.username);
      await refuse(page, '/auth/second-factor', 401, 'challenge-invalid');
      await page.getByLabel('Code').fill('123456');
      await button(page, 'Log in').click();
      await alert(page, 'Log in again.').waitFor();
    });
  });

  it('says what to do when codes are locked, and where the service tells little', async () => {
    await run(async (page) => {
      await fill(page, DEMO_TOTP.username);
      await refuse(page, '/auth/second-factor', 423, 'second-factor-locked', { 'retry-after': '600' });
      await page.getByLabel('Code').fill('123456');
      await button(page, 'Log in').click();
      await alert(page, /Too many wrong codes. .* in 10 minutes/).waitFor();
      await page.unroute('**/api/v1/auth/second-factor');
      await refuse(page, '/auth/second-factor', 401, 'bad-credentials');
      await button(page, 'Log in').click();
      await page.getByText('or this login has expired.').waitFor();
      await button(page, 'Start again').click();
      await heading(page, 'Log in').waitFor();
    });
  });
});

describe('?return=', () => {
  it('is followed after a login, and at once with a session', async () => {
    await run(
      async (page) => {
        await fill(page);
        await page.waitForURL(`${origin}/health/live?x=1`);
        await page.goto(`${origin}/login?return=/health/live`);
        await page.waitForURL(`${origin}/health/live`);
        // The login is no step of the history.
        await page.goBack();
        expect(page.url()).toBe(`${origin}/health/live?x=1`);
      },
      { path: `/login?return=${encodeURIComponent('/health/live?x=1')}` },
    );
  });

  it('to a foreign origin is not followed', async () => {
    await run(
      async (page) => {
        await fill(page);
        await heading(page, 'Overview').waitFor();
        await page.waitForURL(`${origin}/account`);
      },
      { path: '/login?return=https://evil.test/' },
    );
  });

  it('to another origin waits for a click if the browser has a session', async () => {
    await run(async (page) => {
      await fill(page);
      await heading(page, 'Overview').waitFor();
      await page.goto(`${origin}/login?return=https://evil.test/`);
      await button(page, 'Continue').click();
      await page.waitForURL(`${origin}/account`);
    });
  });
});

describe('two tabs', () => {
  it('a login in one logs in the other', async () => {
    await run(async (page, context) => {
      const other = await context.newPage();
      await other.goto(`${origin}/login`);
      await heading(other, 'Log in').waitFor();
      await fill(page);
      await heading(other, 'You are logged in').waitFor();
      await button(other, 'Log out').click();
      await heading(page, 'Log in').waitFor();
    });
  });
});
