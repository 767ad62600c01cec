// Jobs of an administrator with rules and programs, in the console alone: a webhook, a policy, secrets and keys.
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { launchBrowser } from '../../../client/test/support/chromium.ts';
import { ENGINES } from '../../../test/support/databases.ts';
import { caller } from '../../../test/support/callers.ts';
import { startWebhookReceiver, type WebhookReceiver } from '../../../test/support/webhook-receiver.ts';
import { newId } from '../../../src/platform/db/ids.ts';
import { doJob, expectClicks, JOB_VIEWS, type Job } from '../support/jobs.ts';
import { startSeededService, type SeededService } from '../support/seeded-service.ts';

const ROOT = { tenantId: undefined, roles: ['SUPER_ADMIN'] };

let browser: Browser;
let service: SeededService;
let receiver: WebhookReceiver;

beforeAll(async () => {
  [browser, service, receiver] = await Promise.all([
    launchBrowser(),
    startSeededService(ENGINES.at(-1)!, { 'app.webhooks.allowed-networks': '127.0.0.1' }),
    startWebhookReceiver(),
  ]);
});
afterAll(async () => {
  await browser?.close();
  await service?.close();
  await receiver?.close();
});

const consoleTexts = (job: Job) => job.read(() => import('../../src/console/texts.ts'), 'consoleTexts');

describe.each(JOB_VIEWS.map((view) => [`in ${view.language}, ${view.width} px wide`, view] as const))(
  '%s',
  (_, view) => {
    const job = (seed: object, run: (job: Job) => Promise<void>) => doJob(browser, service, seed, view, run);
    const admin = () => ({ tenantId: `p-${newId().slice(-12)}`, roles: ['ADMIN'] });

    it('connects a webhook, sees that it fails, and sends again what has failed', async () => {
      receiver.respond = () => 500;
      await job(admin(), async (one) => {
        const { page } = one;
        const texts = await consoleTexts(one);
        const webhooks = await one.read(() => import('../../src/console/webhooks/texts.ts'), 'webhookTexts');
        const deliveries = await one.read(() => import('../../src/console/deliveries/texts.ts'), 'deliveryTexts');
        const dialog = page.getByRole('dialog');
        await one.show(texts.webhooks);
        await one.button(webhooks.create).click();
        await dialog.locator('input:focus').waitFor();
        await page.keyboard.type(receiver.url);
        await dialog.getByText(webhooks.logins, { exact: true }).click();
        await dialog.locator('[data-group=logins]').getByRole('button').click();
        await one.look('webhook-form');
        await one.act(webhooks.create).click();
        await dialog.getByText(webhooks.shownOnce).waitFor();
        await one.act(texts.secretStored).click();
        await one.screen(new URL(receiver.url).host);
        await one.button(deliveries.test).click();
        await page.locator('.deliveries').getByText('500').first().waitFor();
        await one.look('webhook');
        await page.locator('.deliveries tbody').getByRole('link', { name: 'webhook.test' }).click();
        await one.screen('webhook.test');
        await page.getByText(webhooks.responded('500')).waitFor();
        await page.getByText(webhooks.request).click();
        await page.locator('pre').first().getByText('webhook.test').waitFor();
        await one.look('delivery');
        await one.link(webhooks.toWebhook).click();
        await one.screen(new URL(receiver.url).host);
        receiver.respond = () => 204;
        await one.button(webhooks.redeliver).click();
        await one.look('redeliver');
        await one.act(webhooks.redeliverAct).click();
        await page.locator('.deliveries .status').getByText(deliveries.DELIVERED, { exact: true }).waitFor();
        await expectClicks(one, 12);
      });
    });

    it('makes a policy stricter: several values at once, in the units of people', async () => {
      const seed = admin();
      await job(seed, async (one) => {
        const { page } = one;
        const texts = await consoleTexts(one);
        const policy = await one.read(() => import('../../src/console/policy/texts.ts'), 'policyTexts');
        const dialog = page.getByRole('dialog');
        await one.show(texts.policy);
        await one.look('policy');
        await one.button(policy.changePolicy).click();
        await dialog.getByLabel(policy.secondFactor).selectOption('REQUIRED');
        await dialog.getByLabel(policy.sessionIdleWindow, { exact: true }).click();
        await page.keyboard.type('8');
        await dialog.getByLabel(policy.unitOf(policy.sessionIdleWindow)).selectOption('3600');
        await one.act(policy.save).click();
        // Whom it affects, before it is saved: the administrator has no second factor.
        await page.getByText(policy.saveAgain).waitFor();
        await one.look('policy-form');
        await one.act(policy.save).click();
        await page.getByText(policy.saved).waitFor();
        await page.locator('tbody strong').getByText(/^8 /).waitFor();
        await expectClicks(one, 8);
      });
      const root = await caller(service.deployment, ROOT);
      const { body } = await root.get(`/tenants/${seed.tenantId}/policy`);
      expect(body.policy).toEqual({ secondFactor: 'REQUIRED', sessionIdleWindow: 8 * 3600 });
    });

    it('replaces a client secret, and ends the old one in the same step', async () => {
      const seed = admin();
      const root = await caller(service.deployment, ROOT);
      await job(seed, async (one) => {
        const { page } = one;
        const clientId = `sync-${newId().slice(-12)}`;
        const created = await root.post('/service-accounts', {
          tenantId: seed.tenantId,
          clientId,
          name: 'Sync',
          roles: ['SALES'],
        });
        expect(created.status).toBe(201);
        const texts = await consoleTexts(one);
        const accounts = await one.read(
          () => import('../../src/console/service-accounts/texts.ts'),
          'serviceAccountTexts',
        );
        const dialog = page.getByRole('dialog');
        await one.show(texts.serviceAccounts);
        await one.link('Sync').click();
        await one.screen('Sync');
        await one.button(accounts.createSecret).click();
        await dialog.getByLabel(accounts.endOld).selectOption('24');
        await one.look('secret-form');
        await one.act(accounts.createSecret).click();
        const secret = await dialog.locator('.secret code').innerText();
        expect(await dialog.locator('pre').innerText()).toContain(`${clientId}:${secret}`);
        await one.look('secret');
        await one.act(texts.secretStored).click();
        await page.getByText(accounts.twoSecrets).waitFor();
        await one.look('service-account');
        await expectClicks(one, 6);
      });
    });
  },
);

// Last, because it ends the access tokens that a test has.
describe.each(JOB_VIEWS.map((view) => [`in ${view.language}, ${view.width} px wide`, view] as const))(
  '%s, at the end',
  (_, view) => {
    it('revokes a signing key, and a new one signs at once', async () => {
      await doJob(browser, service, ROOT, view, async (one) => {
        const { page } = one;
        const texts = await consoleTexts(one);
        const keys = await one.read(() => import('../../src/console/signing-keys/texts.ts'), 'signingKeyTexts');
        await one.show(texts.signingKeys);
        const active = page.getByRole('row').filter({ hasText: keys.ACTIVE }).first();
        const kid = await active.locator('code').first().innerText();
        await active.getByRole('button', { name: keys.revokeOf(kid) }).click();
        await one.look('revoke-key');
        await one.act(keys.revokeAct).click();
        await page.getByText(kid).waitFor({ state: 'detached' });
        await one.look('keys');
        await expectClicks(one, 6);
      });
    });
  },
);
