// The page /account in Chromium: password, sessions, and what happened. Sessions are seeded, because each login costs a hash.
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { launchBrowser } from '../../../client/test/support/chromium.ts';
import { insertAuditRecords, type NewAuditRecord } from '../../../src/auth/audit/trail/audit-store.ts';
import type { Account } from '../../../src/auth/access/account.ts';
import { newId } from '../../../src/platform/db/ids.ts';
import { PASSWORD } from '../../../test/support/accounts.ts';
import { ENGINES } from '../../../test/support/databases.ts';
import { seedSession } from '../../../test/support/sessions.ts';
import { expectNoBarriers } from '../support/pages.ts';
import { startSeededService, type SeededService } from '../support/seeded-service.ts';

const HOSTILE = `<img src=x onerror=alert(1)> \u202Eevil\u202C 👩‍🚀 ${'W'.repeat(150)}`;
const BROWSER = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0';

let browser: Browser;
let service: SeededService;

beforeAll(async () => {
  [browser, service] = await Promise.all([launchBrowser(), startSeededService(ENGINES.at(-1)!)]);
});
afterAll(async () => {
  await browser?.close();
  await service?.close();
});

const heading = (page: Page, name: string) => page.getByRole('heading', { name, exact: true });
const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });
const dialog = (page: Page) => page.getByRole('dialog');
const open = (page: Page, screen = '') => page.goto(`${service.origin}/account${screen}`);
const alert = (page: Page, text: string) => page.getByRole('alert').filter({ hasText: text });

describe('the overview', () => {
  it('shows the account, with a hostile name as text', async () => {
    await service.as(browser, { name: HOSTILE, email: 'proof@acme.test' }, async ({ page, account }) => {
      await open(page);
      await page.getByText(HOSTILE).waitFor();
      await page.getByText(account.username, { exact: true }).waitFor();
      await page.getByText('not confirmed').waitFor();
      expect(await page.title()).toBe('Overview · my-shop');
      await expectNoBarriers(page, 'overview');
    });
  });

  it('leads administrators to the console, which leads back', async () => {
    await service.as(browser, { roles: ['ADMIN'] }, async ({ page }) => {
      await open(page);
      await page.getByRole('link', { name: 'Console' }).click();
      await page.waitForURL('**/console', { waitUntil: 'commit' });
      await page.getByRole('link', { name: 'My account' }).click();
      await heading(page, 'Second factors').waitFor();
    });
  });

  it('is in German after a click, and in an unknown screen too', async () => {
    await service.as(browser, {}, async ({ page }) => {
      await open(page);
      await button(page, 'Deutsch').click();
      await heading(page, 'Zweite Faktoren').waitFor();
      await open(page, '/nothing');
      await heading(page, 'Diese Ansicht gibt es nicht').waitFor();
      await page.getByRole('link', { name: 'Zur Übersicht Ihres Kontos' }).click();
      await heading(page, 'Übersicht').waitFor();
    });
  });

  it('offers to try again after a lost connection', async () => {
    await service.as(browser, {}, async ({ page, context }) => {
      await open(page, '/sessions');
      await heading(page, 'Sessions').waitFor();
      await context.setOffline(true);
      await page.getByRole('link', { name: 'Overview' }).click();
      await alert(page, 'The service cannot be reached.').waitFor();
      await expectNoBarriers(page, 'lost connection');
      await context.setOffline(false);
      await button(page, 'Try again').click();
      await heading(page, 'Second factors').waitFor();
    });
  });

  it('leads to the login without a session, and back after it', async () => {
    const page = await browser.newPage();
    await open(page, '/sessions?page=1');
    await page.waitForURL(`${service.origin}/login?return=${encodeURIComponent('/account/sessions?page=1')}`);
    await page.close();
  });
});

describe('the sessions', () => {
  const logIn = async ({ username }: Account, userAgent: string) => {
    const headers = { 'content-type': 'application/json', 'user-agent': userAgent };
    const body = JSON.stringify({ username, password: PASSWORD });
    expect((await fetch(`${service.origin}/api/v1/auth/login`, { method: 'POST', headers, body })).status).toBe(200);
  };

  it('end one by one or all at once, but for this one', async () => {
    await service.as(browser, {}, async ({ page, account }) => {
      const others = [await seedSession(service.deployment, account), await seedSession(service.deployment, account)];
      await logIn(account, BROWSER);
      await logIn(account, '<b>evil</b>');
      await open(page, '/sessions');
      const current = page.getByRole('row').filter({ hasText: 'current' });
      await current.waitFor();
      expect(await current.getByRole('button').count()).toBe(0);
      await page.getByRole('row').filter({ hasText: 'Firefox, Linux' }).getByText('127.0.0.1').waitFor();
      await page.getByText('<b>evil</b>').waitFor();
      await expectNoBarriers(page, 'sessions');

      await button(page, 'End the session of Firefox, Linux from 127.0.0.1').click();
      await dialog(page).getByText('The session cannot be restored.').waitFor();
      await expectNoBarriers(page, 'end a session');
      await dialog(page).getByRole('button', { name: 'Cancel' }).click();
      await page.locator('button:focus').filter({ hasText: 'End' }).waitFor();
      await button(page, 'End the session of Firefox, Linux from 127.0.0.1').click();
      await dialog(page).getByRole('button', { name: 'End' }).click();
      await page.getByText('Session ended').waitFor();
      await page.getByText('Firefox, Linux').waitFor({ state: 'detached' });

      await button(page, 'End all other sessions').click();
      await dialog(page).getByRole('button', { name: 'End all other sessions' }).click();
      await page.getByText(`Sessions ended: ${others.length + 1}`).waitFor();
      await page.getByText('1–1 of 1').waitFor();
      expect(await button(page, 'End all other sessions').count()).toBe(0);
    });
  });

  it('that another tab has ended meanwhile disappear', async () => {
    await service.as(browser, {}, async ({ page, account, session }) => {
      const { id } = await seedSession(service.deployment, account);
      await open(page, '/sessions');
      await button(page, 'End the session of Unknown from 127.0.0.1').click();
      await revoke(`/${id}`, session.accessToken);
      await dialog(page).getByRole('button', { name: 'End' }).click();
      await page.getByText('1–1 of 1').waitFor();
    });
  });

  it('lead to the login when this one has ended', async () => {
    await service.as(browser, {}, async ({ page, account, session }) => {
      await open(page, '/sessions');
      await page.getByText('1–1 of 1').waitFor();
      const other = await seedSession(service.deployment, account);
      await revoke(`/${session.id}`, other.accessToken);
      await page.getByRole('link', { name: 'What happened' }).click();
      await page.waitForURL(`${service.origin}/login?return=%2Faccount%2Factivity&ended=true`);
    });
  });

  async function revoke(path: string, token: string): Promise<void> {
    const url = `${service.origin}/api/v1/account/sessions${path}`;
    const response = await fetch(url, { method: 'DELETE', headers: { authorization: `Bearer ${token}` } });
    expect(response.status).toBe(204);
  }
});

type AuditedEvent = Pick<NewAuditRecord, 'event' | 'details'> & Partial<Pick<NewAuditRecord, 'actorId'>>;

describe('what happened', () => {
  it('is shown in plain words, page by page', async () => {
    await service.as(browser, {}, async ({ page, account }) => {
      const { id: accountId, tenantId, username } = account;
      const record = { accountId, tenantId, username, actorId: undefined, clientAddress: '192.0.2.7', requestId: 'r' };
      const events: readonly AuditedEvent[] = [
        { event: 'account.locked', details: { lockedUntil: '2026-11-23T12:00:00Z' } },
        { event: 'login.failed', details: { reason: 'BAD_CREDENTIALS' } },
        { event: 'account.roles-changed', actorId: newId(), details: {} },
        { event: 'event.of-tomorrow', details: { what: '<b>' } },
        ...Array.from({ length: 21 }, () => ({ event: 'login.succeeded', details: {} })),
      ];
      const at = service.deployment.clock.now();
      const records = events.map((event, index) => ({ ...record, ...event, id: newId(), at: at - index * 1000 }));
      await insertAuditRecords(service.deployment.database, records);
      await open(page, '/activity');
      const row = (text: string) => page.getByRole('row').filter({ hasText: text });
      await row('Account locked after wrong passwords').getByText('until 23 Nov 2026').waitFor();
      await row('Login refused').getByText('wrong password').waitFor();
      await row('Roles changed').getByText('by an administrator').waitFor();
      await row('event.of-tomorrow').waitFor();
      await expectNoBarriers(page, 'activity');
      await button(page, 'Next page').click();
      await page.getByText('21–25 of 25').waitFor();
      await page.reload();
      await page.getByText('21–25 of 25').waitFor();
      await page.goBack();
      await page.getByText('1–20 of 25').waitFor();
    });
  });
});

describe('the password', () => {
  const change = async (page: Page, current: string, next: string) => {
    await page.getByLabel('Current password').fill(current);
    await page.getByLabel('New password').fill(next);
    await button(page, 'Change password').click();
  };

  it('is changed after refusals at their fields, and ends all sessions', async () => {
    await service.as(browser, {}, async ({ page, account }) => {
      await open(page, '/password');
      await page.getByText('All your sessions end, this one too.').waitFor();
      await change(page, PASSWORD, 'short');
      await page.getByText('Use 12 to 1024 characters.').waitFor();
      expect(await page.getByLabel('New password').getAttribute('aria-invalid')).toBe('true');
      await change(page, PASSWORD, account.username);
      await page.getByText('Do not use your username.').waitFor();
      await change(page, 'wrong', 'a good new password');
      await page.getByText('The password is wrong.').waitFor();
      expect(await page.getByLabel('Current password').getAttribute('aria-invalid')).toBe('true');
      await expectNoBarriers(page, 'password');
      const [row] = await service.deployment.database.query<{ failures: number }>(
        'SELECT login_failed_count AS failures FROM accounts WHERE username = ?',
        [account.username],
      );
      expect(Number(row?.failures)).toBe(1);

      await change(page, PASSWORD, 'a good new password');
      await page.waitForURL(`${service.origin}/login?return=%2Faccount%2Fpassword`);
    });
  });
});
