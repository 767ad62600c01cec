// How the console is used by people who do not follow its steps: nothing typed is lost, and nothing happens twice.
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { launchBrowser } from '../../../client/test/support/chromium.ts';
import { seedAccount } from '../../../test/support/accounts.ts';
import { caller } from '../../../test/support/callers.ts';
import { ENGINES } from '../../../test/support/databases.ts';
import { seedSession } from '../../../test/support/sessions.ts';
import { newId } from '../../../src/platform/db/ids.ts';
import { waitForScreen } from '../support/console.ts';
import { doJob, JOB_VIEWS, lookAt, textsIn, type Job } from '../support/jobs.ts';
import { startSeededService, type SeededService } from '../support/seeded-service.ts';

const ADMIN = { roles: ['ADMIN'] };

let browser: Browser;
let service: SeededService;

beforeAll(async () => {
  [browser, service] = await Promise.all([launchBrowser(), startSeededService(ENGINES[0]!)]);
});
afterAll(async () => {
  await browser?.close();
  await service?.close();
});

const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });
const field = (page: Page, name: string) => page.getByLabel(name, { exact: true });
/** What a text says before its last parameter. */
const beginOf = (text: (last: string) => string) => text('|').split('|')[0]!;

async function open(page: Page, path: string, title: string): Promise<void> {
  await page.goto(`${service.origin}/console${path}`);
  await waitForScreen(page, title);
}

describe.each(JOB_VIEWS.map((view) => [`in ${view.language}, ${view.width} px wide`, view] as const))(
  '%s',
  (_, view) => {
    const as = (seed: object, run: (job: Job) => Promise<void>) => doJob(browser, service, seed, view, run);
    const read = textsIn(view.language);
    const readAll = async () => ({
      common: await read(() => import('../../src/texts/common.ts'), 'commonTexts'),
      users: await read(() => import('../../src/console/users/texts.ts'), 'userTexts'),
      acts: await read(() => import('../../src/console/users/act-texts.ts'), 'userActTexts'),
      help: await read(() => import('../../src/console/users/login-help-texts.ts'), 'loginHelpTexts'),
      roles: await read(() => import('../../src/console/roles/texts.ts'), 'roleTexts'),
      sessions: await read(() => import('../../src/console/sessions/texts.ts'), 'sessionTexts'),
      audit: await read(() => import('../../src/console/audit/texts.ts'), 'auditTexts'),
    });
    let texts: Awaited<ReturnType<typeof readAll>>;
    beforeAll(async () => {
      texts = await readAll();
    });

    it('shows both values if two tabs change one user, and keeps what the second has typed', async () => {
      const user = await seedAccount(service.deployment.database, { name: 'Sam Silva' });
      await as(ADMIN, async ({ page: first }) => {
        const second = await first.context().newPage();
        for (const tab of [first, second]) {
          await open(tab, `/users/${user.id}`, 'Sam Silva');
          await button(tab, texts.users.edit).click();
        }
        for (const [tab, name] of [
          [first, 'Sam One'],
          [second, 'Sam Two'],
        ] as const) {
          await tab.bringToFront();
          await field(tab, texts.users.name).fill(name);
          await button(tab, texts.users.save).click();
        }
        await second.getByRole('heading', { name: texts.common.changedMeanwhile }).waitFor();
        expect(await second.locator('dialog tbody td').allInnerTexts()).toEqual(['Sam Two', 'Sam One']);
        expect(await field(second, texts.users.name).inputValue()).toBe('Sam Two');
        await lookAt(second, view, 'conflict');
        await button(second, texts.users.save).click();
        await waitForScreen(second, 'Sam Two');
      });
    });

    it('acts once, however often the button is clicked', async () => {
      const user = await seedAccount(service.deployment.database, { name: 'Dora Double' });
      await as(ADMIN, async ({ page }) => {
        const sent: string[] = [];
        page.on('request', (request) => {
          if (request.method() === 'PUT') sent.push(request.url());
        });
        await open(page, `/users/${user.id}/login`, texts.help.titleOf('Dora Double'));
        await button(page, texts.acts.temporaryPassword).click();
        await button(page, texts.acts.temporaryPasswordAct).dblclick();
        await page.locator('.secret').waitFor();
        expect(sent).toHaveLength(1);
      });
    });

    it('keeps a form whose session has ended, and sends it after a login in another tab', async () => {
      const user = await seedAccount(service.deployment.database, { name: 'Kim Kept' });
      await as(ADMIN, async ({ page, account }) => {
        const context = page.context();
        await open(page, `/users/${user.id}`, 'Kim Kept');
        await button(page, texts.users.edit).click();
        await field(page, texts.users.name).fill('Kim Kept New');
        await context.request.post(`${service.origin}/api/v1/auth/logout`);
        service.deployment.clock.advance(900_000);
        await button(page, texts.users.save).click();
        const dialog = page.getByRole('dialog', { name: texts.common.sessionEnded });
        await dialog.waitFor();
        await lookAt(page, view, 'ended-session');
        await context.addCookies([service.cookieOf(await seedSession(service.deployment, account))]);
        const other = await context.newPage();
        await other.goto(`${service.origin}/account`);
        await dialog.waitFor({ state: 'detached' });
        await page.bringToFront();
        expect(await field(page, texts.users.name).inputValue()).toBe('Kim Kept New');
        await button(page, texts.users.save).click();
        await waitForScreen(page, 'Kim Kept New');
      });
    });

    it('leads to the same screen after a login, and back and forward through it', async () => {
      const user = await seedAccount(service.deployment.database, { name: 'Lea Link' });
      const title = texts.help.titleOf('Lea Link');
      await as(ADMIN, async ({ page, account }) => {
        const context = page.context();
        await context.clearCookies();
        await page.goto(`${service.origin}/console/users/${user.id}/login`);
        await page.waitForURL('**/login?return=*');
        expect(new URL(page.url()).searchParams.has('ended')).toBe(false);
        await context.addCookies([service.cookieOf(await seedSession(service.deployment, account))]);
        await page.reload();
        await waitForScreen(page, title);
        await page.getByRole('link', { name: texts.help.toUser }).click();
        await waitForScreen(page, 'Lea Link');
        await page.goBack();
        await waitForScreen(page, title);
        await page.reload();
        await waitForScreen(page, title);
      });
    });

    it('takes what was pasted with blanks around it, and shows each refusal at its field', async () => {
      const name = `PASTED_${newId().slice(-12).toUpperCase()}`;
      await as(ADMIN, async ({ page, act }) => {
        const own = page.getByLabel(texts.roles.ownPermissions);
        await open(page, '/roles', texts.roles.title);
        await button(page, texts.roles.create).click();
        await field(page, texts.roles.name).fill(`\u00a0 ${name} \t`);
        await own.fill('MANAGE_TENANTS');
        await act(texts.roles.create).click();
        await page.locator('textarea[aria-invalid]').waitFor();
        await lookAt(page, view, 'refused-role');
        expect(await field(page, texts.roles.name).inputValue()).toBe(name);
        await own.fill('');
        await act(texts.roles.create).click();
        await waitForScreen(page, name);
      });
    });

    it('says that a session was over, and lists it no longer', async () => {
      const username = `${newId()}@acme.test`;
      const user = await seedAccount(service.deployment.database, { username });
      await seedSession(service.deployment, user);
      await as(ADMIN, async ({ page, account }) => {
        await open(page, `/sessions?user=${encodeURIComponent(username)}`, texts.sessions.title);
        await page.locator('tbody').getByRole('button').click();
        const other = await caller(service.deployment, { ...ADMIN, tenantId: account.tenantId });
        expect((await other.delete(`/users/${user.id}`)).status).toBe(204);
        await button(page, texts.sessions.endAct).click();
        await page.getByText(texts.sessions.hadEnded).waitFor();
        await page.getByText(texts.common.noMatch).waitFor();
      });
    });

    it('offers the help desk what helps, the auditor what is to be read, and neither what would be refused', async () => {
      const { database, clock } = service.deployment;
      const lockedUntil = clock.now() + 3_600_000;
      const user = await seedAccount(database, { name: 'Loni Locked', lockedUntil, loginFailedCount: 5 });
      const shown = async (page: Page) => {
        await open(page, `/users/${user.id}`, 'Loni Locked');
        const acts = await page.locator('main .actions button').allInnerTexts();
        await open(page, `/users/${user.id}/login`, texts.help.titleOf('Loni Locked'));
        await page.getByText(beginOf((time) => texts.help.locked('5', time))).waitFor();
        return [acts, await page.locator('main .actions button').allInnerTexts()];
      };
      const { evidence } = texts.audit;
      await as({ roles: ['AUDITOR'] }, async ({ page }) => {
        expect(await shown(page)).toEqual([[evidence], []]);
        await open(page, '/users', texts.users.title);
        expect(await page.getByRole('checkbox').count()).toBe(0);
        expect(await button(page, texts.users.create).count()).toBe(0);
        await open(page, '/roles', texts.roles.title);
        expect(await button(page, texts.roles.create).count()).toBe(0);
      });
      await as({ roles: ['HELP_DESK'] }, async ({ page }) => {
        expect(await shown(page)).toEqual([[evidence], [texts.acts.unlock]]);
        await button(page, texts.acts.unlock).click();
        await button(page, texts.acts.unlockAct).click();
        await page.getByText(texts.help.nothing).waitFor();
      });
    });
  },
);
