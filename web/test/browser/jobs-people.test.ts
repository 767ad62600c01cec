// Jobs of an administrator with people, in the console alone: to onboard, to help, to let go, and to act on a suspicion.
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { launchBrowser } from '../../../client/test/support/chromium.ts';
import type { Account } from '../../../src/auth/access/account.ts';
import { PASSWORD, seedAccount } from '../../../test/support/accounts.ts';
import { ENGINES } from '../../../test/support/databases.ts';
import { eventually } from '../../../test/support/eventually.ts';
import { mailFolder } from '../../../test/support/mails.ts';
import { seedSession } from '../../../test/support/sessions.ts';
import { idToBytes, newId } from '../../../src/platform/db/ids.ts';
import { doJob, expectClicks, JOB_VIEWS, lookAt, textsIn, type Job, type View } from '../support/jobs.ts';
import { withPage } from '../support/pages.ts';
import { startSeededService, type SeededService } from '../support/seeded-service.ts';

const HOUR_MS = 3_600_000;
/** As long as names of people get. */
const LONG = 'Maximiliane Konstantinopoulou-Featherstonehaugh von Altenburg';
const ROOT = { tenantId: undefined, roles: ['SUPER_ADMIN'] };
const ADMIN = { roles: ['ADMIN'], name: LONG };

const mails = mailFolder();
let browser: Browser;
let service: SeededService;

beforeAll(async () => {
  const { 'app.mail.url': url } = mails.settings;
  [browser, service] = await Promise.all([launchBrowser(), startSeededService(ENGINES[0]!, { 'app.mail.url': url })]);
});
afterAll(async () => {
  await browser?.close();
  await service?.close();
});

const texts = (job: Job) => ({
  console: job.read(() => import('../../src/console/texts.ts'), 'consoleTexts'),
  common: job.read(() => import('../../src/texts/common.ts'), 'commonTexts'),
  users: job.read(() => import('../../src/console/users/texts.ts'), 'userTexts'),
  acts: job.read(() => import('../../src/console/users/act-texts.ts'), 'userActTexts'),
  invitation: job.read(() => import('../../src/console/users/invitation-texts.ts'), 'invitationTexts'),
  mail: job.read(() => import('../../src/console/users/mail-texts.ts'), 'mailTexts'),
  secured: job.read(() => import('../../src/console/users/secured-texts.ts'), 'securedTexts'),
  help: job.read(() => import('../../src/console/users/login-help-texts.ts'), 'loginHelpTexts'),
});

/** Returns a new user with an address for mails. */
const newUser = (seed: object = {}) => {
  const id = newId();
  const email = `${id}@mail.test`;
  const name = `${LONG} ${id.slice(-4)}`;
  return seedAccount(service.deployment.database, { username: email, email, name, roles: ['SALES'], ...seed });
};

/** Searches a user and opens its page. */
async function openUser(one: Job, { name, username }: Account): Promise<void> {
  const { users } = await one.read(() => import('../../src/console/texts.ts'), 'consoleTexts');
  await one.show(users);
  await one.page.keyboard.press('/');
  await one.page.keyboard.type(username);
  await one.page.waitForURL('**q=*');
  await one.link(name).click();
  await one.screen(name);
}

const linkTo = (address: string) =>
  eventually(() => {
    const mail = mails.to(address).at(-1);
    expect(mail).toBeDefined();
    return /https?:\S+#token=\S+/.exec(mail!.text)![0];
  });

const inLanguage = ({ language, width }: View) => `in ${language}, ${width} px wide`;

describe.each(JOB_VIEWS.map((view) => [inLanguage(view), view] as const))('%s', (_name, view) => {
  const job = (seed: object, run: (job: Job) => Promise<void>) => doJob(browser, service, seed, view, run);

  it('onboards a tenant: its policy, and its first administrator, who arrives in the console', async () => {
    const id = `t-${newId().slice(-12)}`;
    const email = `${newId()}@mail.test`;
    await job(ROOT, async (one) => {
      const { page } = one;
      const [consoleTexts, invitation] = await Promise.all([texts(one).console, texts(one).invitation]);
      const tenants = await one.read(() => import('../../src/console/tenants/texts.ts'), 'tenantTexts');
      const policy = await one.read(() => import('../../src/console/policy/texts.ts'), 'policyTexts');
      await one.show(consoleTexts.tenants);
      await one.button(tenants.create).click();
      const dialog = page.getByRole('dialog');
      await dialog.locator('input:focus').waitFor();
      await page.keyboard.type(`Blumen ${LONG}`);
      await dialog.getByLabel(tenants.id, { exact: true }).focus();
      // As it is pasted from a mail.
      await page.keyboard.insertText(` ${id} `);
      await one.act(tenants.create).click();
      await one.screen(`Blumen ${LONG}`);
      await one.look('tenant');

      await one.link(tenants.toPolicy).click();
      await one.screen(policy.title);
      await one.button(policy.changePolicy).click();
      await dialog.getByLabel(policy.secondFactor).selectOption('REQUIRED_FOR_ADMINISTRATORS');
      await one.look('policy-form');
      await one.act(policy.save).click();
      await page.getByText(policy.saved).waitFor();
      await page.goBack();
      await one.screen(`Blumen ${LONG}`);

      await one.button(tenants.inviteFirst).click();
      expect(await dialog.getByLabel('TENANT_ADMIN').isChecked()).toBe(true);
      await dialog.getByLabel(invitation.lines).click();
      await page.keyboard.insertText(`${email}; Anna Beispiel\n`);
      await one.look('invite');
      await one.act(invitation.invitations).click();
      await dialog.getByText((await texts(one).mail).SENT).waitFor();
      await one.look('invited');
      await one.act(consoleTexts.done).click();
      // The next steps are done.
      await one.button(tenants.inviteFirst).waitFor({ state: 'detached' });
      await expectClicks(one, 14);
    });

    const link = await linkTo(email);
    await withPage(
      browser,
      service.origin,
      async (page) => {
        await page.goto(link);
        await page.locator('input[type=password]').fill('a first and long password');
        await page.locator('button.primary').click();
        await page.locator('a.primary').click();
        await page.locator('input[name=username]').fill(email);
        await page.locator('input[name=password]').fill('a first and long password');
        await page.locator('button.primary').click();
        // Administrators of this tenant need a second factor, which the login creates.
        await page.locator('.options, .qr-code').first().waitFor();
      },
      { locale: view.language },
    );
  });

  it('makes a role, invites several people with it, and disables two of them', async () => {
    await job({ ...ADMIN, tenantId: `p-${newId().slice(-12)}` }, async (one) => {
      const { page } = one;
      const [consoleTexts, common, users, acts, invitation] = await Promise.all([
        texts(one).console,
        texts(one).common,
        texts(one).users,
        texts(one).acts,
        texts(one).invitation,
      ]);
      const roles = await one.read(() => import('../../src/console/roles/texts.ts'), 'roleTexts');
      const dialog = page.getByRole('dialog');
      await one.show(consoleTexts.roles);
      await one.look('roles');
      await one.button(roles.create).click();
      await dialog.locator('input:focus').waitFor();
      await page.keyboard.type('FRONT_DESK');
      await dialog.getByLabel('READ_USERS', { exact: true }).check();
      await one.look('role-form');
      await one.act(roles.create).click();
      await one.screen('FRONT_DESK');

      await one.show(consoleTexts.users);
      await one.button(users.inviteSeveral).click();
      await dialog.getByLabel(invitation.lines).click();
      const address = `${newId()}@mail.test`;
      await page.keyboard.insertText(
        `E-Mail;Name\n${address};Anna\n"Ben, the second" <b-${address}>\nno address\n${address};Anna again`,
      );
      await dialog.getByLabel('FRONT_DESK', { exact: true }).check();
      await one.act(invitation.invitations).click();
      await dialog.getByText(invitation.invitedCount('2', '2')).waitFor();
      await one.look('results');
      await one.act(consoleTexts.done).click();

      await page.getByRole('row', { name: 'Anna' }).waitFor();
      await page.getByLabel(common.choose('Anna')).check();
      await page.getByLabel(common.choose('Ben, the second')).check();
      await one.look('chosen');
      await one.button(acts.disable).click();
      await one.act(users.disableSeveralAct).click();
      await page.getByText(users.disabledSeveral('2')).waitFor();
      await expect.poll(() => page.getByText(users.DISABLED, { exact: true }).count()).toBeGreaterThan(1);
      await expectClicks(one, 20);
    });
  });

  it('unlocks a person who cannot log in, and says what was in the way', async () => {
    const lockedUntil = service.deployment.clock.now() + HOUR_MS;
    const user = await newUser({ lockedUntil, loginFailedCount: 5 });
    await job(ADMIN, async (one) => {
      const { page } = one;
      const [users, acts, help] = await Promise.all([texts(one).users, texts(one).acts, texts(one).help]);
      await openUser(one, user);
      await one.link(users.cannotLogIn).click();
      await one.screen(help.titleOf(user.name));
      await page.getByText(/5.*(?:until|bis)/).waitFor();
      await one.look('cannot-log-in');
      await one.button(acts.unlock).click();
      await one.act(acts.unlockAct).click();
      await page.getByText(help.nothing).waitFor();
      await expectClicks(one, 6);
    });
  });

  it('gives a person a temporary password, which the next login replaces', async () => {
    const user = await newUser({ credentialsExpireAt: undefined });
    let password = '';
    await job(ADMIN, async (one) => {
      const { page } = one;
      const [consoleTexts, users, acts, help] = await Promise.all([
        texts(one).console,
        texts(one).users,
        texts(one).acts,
        texts(one).help,
      ]);
      await openUser(one, user);
      await one.link(users.cannotLogIn).click();
      await one.screen(help.titleOf(user.name));
      await one.button(acts.temporaryPassword).click();
      await one.act(acts.temporaryPasswordAct).click();
      password = await page.locator('.secret code').innerText();
      await one.look('temporary-password');
      await one.act(consoleTexts.secretStored).click();
      await expectClicks(one, 6);
    });
    await withPage(
      browser,
      service.origin,
      async (page) => {
        await page.goto(`${service.origin}/login`);
        await page.locator('input[name=username]').fill(user.username);
        await page.locator('input[name=password]').fill(password);
        await page.locator('button.primary').click();
        await page.locator('input[name=newPassword]').fill(password);
        await page.locator('button.primary').click();
        await page.locator('input[name=newPassword][aria-invalid]').waitFor();
        await page.locator('input[name=newPassword]').fill('another and long password');
        await page.locator('button.primary').click();
        await page.waitForURL('**/account');
      },
      { locale: view.language },
    );
  });

  it('lets a person go: disables the account, sees what goes on, and takes the evidence', async () => {
    const user = await newUser();
    await seedSession(service.deployment, user);
    await job(ADMIN, async (one) => {
      const { page } = one;
      const [acts, users] = await Promise.all([texts(one).acts, texts(one).users]);
      const audit = await one.read(() => import('../../src/console/audit/texts.ts'), 'auditTexts');
      await openUser(one, user);
      await one.button(acts.disable).click();
      await page.getByRole('dialog').getByText(users.endsWithIt('1', '0')).waitFor();
      await one.look('disable');
      await one.act(acts.disableAct).click();
      await page.locator('.status').getByText(users.DISABLED, { exact: true }).waitFor();
      // The session is over, and no longer listed.
      await page.getByText(users.endsWithIt('0', '0')).waitFor();
      await one.button(audit.evidence).click();
      const download = page.waitForEvent('download');
      await one.act(audit.exportAct).click();
      expect((await download).suggestedFilename()).toMatch(/^audit-.*\.csv$/);
      await expectClicks(one, 6);
    });
  });

  it('looks at a suspicious login, and secures the account, whose user reads why the session is over', async () => {
    const user = await newUser();
    await withPage(
      browser,
      service.origin,
      async (page) => {
        await page.goto(`${service.origin}/login`);
        await page.locator('input[name=username]').fill(user.username);
        await page.locator('input[name=password]').fill(PASSWORD);
        await page.locator('button.primary').click();
        await page.waitForURL('**/account');
        await service.deployment.core.sealRecords();

        await job(ADMIN, async (one) => {
          const consolePage = one.page;
          const [consoleTexts, acts, secured] = await Promise.all([
            texts(one).console,
            texts(one).acts,
            texts(one).secured,
          ]);
          const sessions = await one.read(() => import('../../src/console/sessions/texts.ts'), 'sessionTexts');
          await one.show(consoleTexts.sessions);
          await consolePage.keyboard.press('/');
          await consolePage.keyboard.type(user.username);
          await consolePage.keyboard.press('Enter');
          await expect.poll(() => consolePage.locator('tbody tr').count()).toBe(1);
          await consolePage.locator('tbody tr a[href*="/sessions/"]').click();
          await one.screen(sessions.sessionOf(user.username));
          await consolePage.getByText(sessions.isNew).waitFor();
          await one.look('session');
          await one.button(acts.secure).click();
          await consolePage.getByRole('dialog').getByRole('textbox').focus();
          await consolePage.keyboard.type('Login from an unknown network');
          await one.look('secure');
          await one.act(acts.secure).click();
          await consolePage.getByRole('heading', { name: secured.secured }).waitFor();
          await one.look('secured');
          await one.act(consoleTexts.done).click();
          await consolePage.getByText(sessions.isOver).waitFor();
          await expectClicks(one, 8);
        });

        await page.locator('nav a').nth(1).click();
        await page.waitForURL('**/login?*ended=true');
        await page
          .getByRole('alert')
          .filter({ hasText: /administrator/i })
          .waitFor();
      },
      { locale: view.language },
    );
    const link = await linkTo(user.email!);
    const login = await textsIn(view.language)(() => import('../../src/login/texts.ts'), 'loginTexts');
    await withPage(
      browser,
      service.origin,
      async (page) => {
        await page.goto(link);
        await page.locator('input[type=password]').fill('another and long password');
        await page.locator('button.primary').click();
        await page.locator('a.primary').click();
        await page.locator('input[name=username]').fill(user.username);
        await page.locator('input[name=password]').fill('another and long password');
        await page.locator('button.primary').click();
        await page.getByText(login.endedReason('Login from an unknown network')).waitFor();
        await lookAt(page, view, 'ended');
        await page.getByRole('button', { name: login.continue }).click();
        await page.waitForURL('**/account');
      },
      { locale: view.language, viewport: { width: view.width, height: 800 } },
    );
  });

  it('sees that the mail of an invitation was refused, and hands the link to the person', async () => {
    const { database, clock } = service.deployment;
    const user = await newUser({ hasPassword: false, invitationExpiresAt: clock.now() + HOUR_MS });
    let link = '';
    await job(ADMIN, async (one) => {
      const { page } = one;
      const [consoleTexts, acts, mail] = await Promise.all([texts(one).console, texts(one).acts, texts(one).mail]);
      await openUser(one, user);
      await one.button(acts.inviteAgain).click();
      const dialog = page.getByRole('dialog');
      expect(await dialog.getByLabel(consoleTexts.mailLanguage).inputValue()).toBe(view.language);
      await one.look('invite-again');
      await one.act(acts.inviteAgainAct).click();
      await page.getByText(mail.SENT).waitFor();
      expect(mails.to(user.email!).at(-1)!.subject).toMatch(view.language === 'de' ? /^Einladung/ : /^Invitation/);
      await one.look('mail-sent');
      // As if the server of the mails had refused it.
      await database.execute(
        `INSERT INTO mails (tenant_id, id, template, encrypted, created_at, give_up_at, expires_at)
          SELECT tenant_id, mail_id, 'invitation', token_hash, 0, 0, expires_at FROM mail_tokens WHERE account_id = ?`,
        [idToBytes(user.id)],
      );
      await page.reload();
      await page.getByText(mail.invitationRemedy).waitFor();
      await one.look('mail-refused');
      await one.button(mail.copyLink).click();
      await one.look('link-question');
      await one.act(mail.copyLinkAct).click();
      link = await page.locator('.secret code').innerText();
      await one.look('link');
      await one.act(consoleTexts.secretStored).click();
      await page.getByText(mail.NONE).waitFor();
      await expectClicks(one, 8);
    });
    await withPage(
      browser,
      service.origin,
      async (page) => {
        await page.goto(link);
        await page.locator('input[type=password]').fill('a first and long password');
        await page.locator('button.primary').click();
        await page.locator('a.primary').waitFor();
      },
      { locale: view.language },
    );
  });

  it('invites several people by links', async () => {
    await job(ADMIN, async (one) => {
      const { page } = one;
      const [consoleTexts, users, invitation, mail] = await Promise.all([
        texts(one).console,
        texts(one).users,
        texts(one).invitation,
        texts(one).mail,
      ]);
      await one.show(consoleTexts.users);
      await one.button(users.inviteSeveral).click();
      const dialog = page.getByRole('dialog');
      await dialog.getByLabel(invitation.lines).click();
      await page.keyboard.insertText(`${newId()}@mail.test; Anna; SALES\n${newId()}@mail.test; Ben; SALES`);
      await dialog.getByLabel(mail.linksInstead).check();
      await one.look('links-form');
      await one.act(mail.createLinks).click();
      await expect.poll(() => dialog.locator('code').count()).toBe(2);
      expect(await dialog.locator('code').first().innerText()).toMatch(/\/invite#token=[\w-]{43}$/);
      await one.look('links');
      await one.act(consoleTexts.done).click();
    });
  });
});
