// The audit records of /console as they occur, and the state of their seals, in Chromium.
import { readFile } from 'node:fs/promises';
import { decodeJwt } from 'jose';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { launchBrowser } from '../../../client/test/support/chromium.ts';
import { insertAuditRecords, type NewAuditRecord } from '../../../src/auth/audit/trail/audit-store.ts';
import { UNLIMITED } from '../../../src/platform/clock.ts';
import { newId } from '../../../src/platform/db/ids.ts';
import { seedAccount } from '../../../test/support/accounts.ts';
import { ENGINES } from '../../../test/support/databases.ts';
import { eventually } from '../../../test/support/eventually.ts';
import { rowsOf, waitForScreen } from '../support/console.ts';
import { expectNoBarriers, findBarriers } from '../support/pages.ts';
import { startSeededService, type SeededService, type User } from '../support/seeded-service.ts';

const HOSTILE = `<img src=x onerror=alert(1)> \u202E\u05D0\u05D1 💥 ${'W'.repeat(160)}`;
const STREAM = '**/api/v1/audit-records/stream*';

let browser: Browser;
let service: SeededService;

beforeAll(async () => {
  [browser, service] = await Promise.all([launchBrowser(), startSeededService(ENGINES[0]!)]);
  await seedAccount(service.deployment.database, { roles: ['ADMIN'] });
});
afterAll(async () => {
  await browser?.close();
  await service?.close();
});

const asAdmin = (play: (user: User) => Promise<void>) => service.as(browser, { roles: ['ADMIN'] }, play);
const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });
const state = (page: Page) => page.locator('.live-bar .status');
/** Of the records of a test. */
const numbersOf = async (page: Page, name: string) => {
  const cells = await page
    .locator('tbody tr')
    .filter({ hasText: `${name}-` })
    .locator('td:nth-child(3)')
    .allInnerTexts();
  return cells.map((text) => Number(text.split('-').at(-1)));
};

async function add(usernames: readonly string[], more: Partial<NewAuditRecord> = {}): Promise<void> {
  const { database, core, clock } = service.deployment;
  const records = usernames.map((username) => ({
    id: newId(),
    at: clock.now(),
    event: 'test.happened',
    tenantId: 'acme',
    username,
    clientAddress: '192.0.2.1',
    requestId: '',
    ...more,
  }));
  await database.transaction(UNLIMITED, (tx) => insertAuditRecords(tx, records));
  await core.sealRecords();
}

async function openLive(page: Page, search = ''): Promise<void> {
  await page.goto(`${service.origin}/console/audit${search}`);
  await waitForScreen(page, 'Audit');
  await button(page, 'Live').click();
  await page.waitForURL('**live=true');
  await state(page).getByText('Live', { exact: true }).waitFor();
  await waitForScreen(page, 'Audit');
}

it('shows new records at the top, each once, announces them, and keeps being live in the URL', async () => {
  await add(['list-1', 'list-2']);
  await asAdmin(async ({ page }) => {
    await openLive(page);
    const announced = page.locator('.live-bar [role=status]').getByText('New records:').waitFor();
    await add(['list-3', HOSTILE]);
    await page.getByText(HOSTILE.slice(-40)).waitFor();
    await expect.poll(() => numbersOf(page, 'list')).toEqual(expect.arrayContaining([3]));
    expect(new Set(await numbersOf(page, 'list'))).toEqual(new Set([1, 2, 3]));
    expect(await numbersOf(page, 'list')).toHaveLength(3);
    await announced;
    await expectNoBarriers(page, 'live records');
    await page.reload();
    await state(page).getByText('Live', { exact: true }).waitFor();
    await waitForScreen(page, 'Audit');
    expect(new Set(await numbersOf(page, 'list'))).toEqual(new Set([1, 2, 3]));
    expect(await numbersOf(page, 'list')).toHaveLength(3);
    await page.goBack();
    await page.waitForURL((url) => !url.search.includes('live'));
    await page.locator('.pager').waitFor();
    await page.goForward();
    await state(page).getByText('Live', { exact: true }).waitFor();
  });
});

it('applies the filters of the URL, and their changes', async () => {
  await asAdmin(async ({ page, account }) => {
    await openLive(page, `?account=${account.id}`);
    await page.getByText('No record matches yet.').waitFor();
    await add(['filter-1']);
    await add(['filter-2'], { accountId: account.id });
    await expect.poll(() => numbersOf(page, 'filter')).toEqual([2]);
    await page.getByLabel('Event').selectOption('role.created');
    await page.waitForURL('**event=role.created');
    await page.getByText('No record matches yet.').waitFor();
    await state(page).getByText('Live', { exact: true }).waitFor();
    await add(['filter-3'], { accountId: account.id, event: 'role.created' });
    await expect.poll(() => numbersOf(page, 'filter')).toEqual([3]);
  });
});

it('lets new records wait while a record is open, somebody has scrolled, or has paused', async () => {
  await add(Array.from({ length: 30 }, (_, index) => `old-${index}`));
  await asAdmin(async ({ page }) => {
    await openLive(page);
    const before = await rowsOf(page);
    const pauses = [
      {
        begin: () =>
          page
            .getByRole('button', { name: /show the record$/ })
            .first()
            .click(),
        end: () => page.keyboard.press('Escape'),
      },
      { begin: () => page.mouse.wheel(0, 900), end: () => page.mouse.wheel(0, -2_000) },
      { begin: () => button(page, 'Pause').click(), end: () => button(page, 'Pause').click() },
    ];
    for (const [index, { begin, end }] of pauses.entries()) {
      await begin();
      await state(page).getByText('Paused').waitFor();
      await add([`wait-${index}`]);
      await page.getByRole('button', { name: 'Show new records: 1', includeHidden: true }).waitFor();
      expect(await rowsOf(page)).toHaveLength(before.length + index);
      await end();
      await expect.poll(async () => (await numbersOf(page, 'wait'))[0]).toBe(index);
      await state(page).getByText('Live', { exact: true }).waitFor();
    }
    await button(page, 'Pause').click();
    await add(['wait-3', 'wait-4']);
    await button(page, 'Show new records: 2').click();
    await expect.poll(() => numbersOf(page, 'wait')).toEqual([4, 3, 2, 1, 0]);
    expect(await findBarriers(page)).toEqual([]);
  });
});

it('resumes after a lost network without a double and without a missing record', async () => {
  await asAdmin(async ({ page, context }) => {
    await openLive(page);
    await add(['lost-1', 'lost-2']);
    await expect.poll(() => numbersOf(page, 'lost')).toEqual([2, 1]);
    await context.setOffline(true);
    service.dropConnections();
    await state(page).getByText('Connection lost').waitFor();
    await add(['lost-3', 'lost-4']);
    await context.setOffline(false);
    await expect.poll(() => numbersOf(page, 'lost'), { timeout: 40_000 }).toEqual([4, 3, 2, 1]);
    await add(['lost-5']);
    await expect.poll(() => numbersOf(page, 'lost')).toEqual([5, 4, 3, 2, 1]);
  });
}, 90_000);

it('leads to the login when the session has ended, and says why the stream is refused', async () => {
  await asAdmin(async ({ page, context }) => {
    const refuse = { status: 403, contentType: 'application/problem+json', json: { errorCode: 'permission-denied' } };
    await page.route(STREAM, (route) => route.fulfill(refuse), { times: 1 });
    await page.goto(`${service.origin}/console/audit?live=true`);
    await page.getByRole('alert').getByText('You may not do this.').waitFor();
    await button(page, 'Try again').click();
    await state(page).getByText('Live', { exact: true }).waitFor();
    await context.request.post(`${service.origin}/api/v1/auth/logout`);
    await page.waitForURL('**/login?return=*', { timeout: 30_000 });
    expect(new URL(page.url()).searchParams.get('return')).toBe('/console/audit?live=true');
  });
}, 60_000);

it('shows the state of the seals, saves the head, and says if they are behind, in German too', async () => {
  await add(['seal-1']);
  await asAdmin(async ({ page }) => {
    await page.goto(`${service.origin}/console/audit`);
    const seals = page.getByRole('region', { name: 'Seals' });
    await seals.getByText('All records are sealed').waitFor();
    const saved = page.waitForEvent('download');
    await seals.getByRole('button', { name: 'Save head' }).click();
    const file = await saved;
    expect(file.suggestedFilename()).toMatch(/^audit-head-acme-\d+\.jws$/);
    const head = (await readFile(await file.path(), 'utf8')).trim();
    expect(decodeJwt(head)).toMatchObject({ tenantId: 'acme', number: expect.any(Number) });
    await page.route('**/api/v1/audit-records/head*', async (route) => {
      const response = await route.fetch();
      const unsealedSince = new Date(Date.parse(response.headers()['date']!) - 300_000).toISOString();
      await route.fulfill({ response, json: { ...((await response.json()) as object), unsealedSince } });
    });
    await page.reload();
    await seals.getByText('the oldest record without one is from 5 minutes ago').waitFor();
    await button(page, 'Deutsch').click();
    await page.getByText('Die Siegel sind im Rückstand').waitFor();
    await button(page, 'Live').click();
    await button(page, 'Anhalten').waitFor();
    expect(await findBarriers(page)).toEqual([]);
    await page.route('**/api/v1/audit-records/head*', (route) => route.abort());
    await page.reload();
    await eventually(() => page.getByText('Der Stand der Siegel ist unbekannt.').waitFor());
  });
});
