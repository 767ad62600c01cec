// The webhooks of /console, in Chromium, with a receiver.
import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { launchBrowser } from '../../../client/test/support/chromium.ts';
import { seedAccount } from '../../../test/support/accounts.ts';
import { caller, type Caller } from '../../../test/support/callers.ts';
import { ENGINES } from '../../../test/support/databases.ts';
import { seedSession } from '../../../test/support/sessions.ts';
import { signedBy, startWebhookReceiver, type WebhookReceiver } from '../../../test/support/webhook-receiver.ts';
import { rowsOf, screensOf, waitForScreen } from '../support/console.ts';
import { expectNoBarriers, findBarriers } from '../support/pages.ts';
import { startSeededService, type SeededService, type User } from '../support/seeded-service.ts';

const HOSTILE_PATH = `/<b>x</b>/${encodeURIComponent('שלום💥\u202E')}/${'W'.repeat(1_800)}`;
const ROOT = { tenantId: undefined, roles: ['SUPER_ADMIN'] };
const ADMIN = { roles: ['ADMIN'] };

let browser: Browser;
let service: SeededService;
let receiver: WebhookReceiver;
let root: Caller;

beforeAll(async () => {
  [browser, service, receiver] = await Promise.all([
    launchBrowser(),
    startSeededService(ENGINES.at(-1)!, { 'app.webhooks.allowed-networks': '127.0.0.1' }),
    startWebhookReceiver(),
  ]);
  root = await caller(service.deployment, ROOT);
  await seedAccount(service.deployment.database, ADMIN);
});
afterEach(async () => {
  receiver.respond = () => 204;
  for (const { id } of (await root.get('/webhooks?perPage=100')).body) await root.delete(`/webhooks/${id}`);
});
afterAll(async () => {
  await browser?.close();
  await service?.close();
  await receiver?.close();
});

const as = (seed: object, play: (user: User) => Promise<void>) => service.as(browser, seed, play);
const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });
const dialogButton = (page: Page, name: string) => page.getByRole('dialog').getByRole('button', { name, exact: true });
const cells = (page: Page) => page.locator('tbody td').allInnerTexts();

async function open(page: Page, path: string, title: string): Promise<void> {
  await page.goto(`${service.origin}/console${path}`);
  await waitForScreen(page, title);
}

async function create(fields: object = {}): Promise<{ id: string; host: string }> {
  const { status, body } = await root.post('/webhooks', {
    url: receiver.url,
    events: ['role.created'],
    tenantId: 'acme',
    ...fields,
  });
  expect(status).toBe(201);
  return { id: body.webhook.id, host: new URL(body.webhook.url).host };
}

it('creates a webhook, shows its secret once, sends a test, and deletes it after a question', async () => {
  await as(ADMIN, async ({ page }) => {
    await open(page, '/webhooks', 'Webhooks');
    await page.getByText('There is no webhook yet.').waitFor();
    await button(page, 'Create webhook').click();
    const dialog = page.getByRole('dialog');
    expect(await dialog.getByLabel('Tenant', { exact: true }).count()).toBe(0);
    await dialog.getByLabel('URL').fill('example');
    await dialogButton(page, 'Create webhook').click();
    await dialog.getByText('Enter a whole URL').waitFor();
    await dialog.getByLabel('URL').fill('https://user:password@example.com/');
    await dialogButton(page, 'Create webhook').click();
    await dialog.getByText('Choose at least one event.').waitFor();
    await dialog.getByText('People, second factors and roles', { exact: true }).click();
    await dialog.getByLabel('Account locked after wrong passwords').check();
    await dialog.getByText('Tenant', { exact: true }).click();
    await dialog.getByLabel('Head of the sealed audit records').check();
    await dialogButton(page, 'Create webhook').click();
    await dialog.locator('input[name=url][aria-invalid]').waitFor();
    await expectNoBarriers(page, 'create a webhook');
    await dialog.getByLabel('URL').fill(receiver.url);
    await dialogButton(page, 'Create webhook').click();
    await dialog.getByText('It is shown only now').waitFor();
    const secret = await page.locator('.secret').innerText();
    expect(await findBarriers(page)).toEqual([]);
    await button(page, 'I have stored it').click();
    const { host } = new URL(receiver.url);
    await waitForScreen(page, host);
    expect(await page.content()).not.toContain(secret);

    await button(page, 'Send test').click();
    await page.getByText('webhook.test was delivered. The receiver responded 204.').waitFor();
    expect(signedBy(receiver.received.at(-1)!, secret)).toEqual([true]);
    await expect.poll(async () => (await cells(page)).slice(1, 4)).toEqual(['Delivered', '1', '204']);
    await expectNoBarriers(page, 'a webhook');

    await button(page, 'Replace secret').click();
    await page.getByRole('dialog').getByText('by the old and the new secret for 24 hours').waitFor();
    await dialogButton(page, 'Replace secret').click();
    await dialog.getByText('For 24 hours, requests also have a signature').waitFor();
    expect(await page.locator('.secret').innerText()).not.toBe(secret);
    await button(page, 'I have stored it').click();

    await button(page, 'Delete').click();
    await dialog.getByText('This is final.').waitFor();
    await button(page, 'Delete webhook').click();
    await waitForScreen(page, 'Webhooks');
    await page.getByText('There is no webhook yet.').waitFor();
  });
});

it('says why a delivery failed, sends it again, and says why nothing is sent', async () => {
  const { id, host } = await create();
  receiver.respond = () => 503;
  await as(ADMIN, async ({ page }) => {
    await open(page, `/webhooks/${id}`, host);
    await page.getByText('There is no delivery yet.').waitFor();
    await button(page, 'Send test').click();
    await page.getByText('webhook.test was not delivered: 503.').waitFor();
    await page.getByRole('cell', { name: 'Waits' }).waitFor();
    await page.getByLabel('Status').selectOption('DELIVERED');
    await page.waitForURL('**?status=DELIVERED');
    await page.getByText('Nothing matches').waitFor();
    await page.getByLabel('Status').selectOption('');
    receiver.respond = () => 410;
    await button(page, 'Send again').click();
    await page.getByText('webhook.test was not delivered: 410.').waitFor();
    await page.reload();
    await waitForScreen(page, host);
    await page.getByText('The receiver has responded 410').waitFor();
    expect(await button(page, 'Send test').count()).toBe(0);
    expect(await findBarriers(page)).toEqual([]);

    receiver.respond = () => 204;
    await button(page, 'Enable').click();
    await dialogButton(page, 'Enable webhook').click();
    await page.locator('.status').getByText('Failing since').waitFor();
    await button(page, 'Disable').click();
    await page.getByRole('dialog').getByText('Records of the time until then are never sent.').waitFor();
    await dialogButton(page, 'Disable webhook').click();
    await page.getByText('An administrator has disabled it.').waitFor();
  });
});

it('shows a long reason of a failure in a table that fits the window, in German too', async () => {
  const { id, host } = await create({ url: 'http://10.1.2.3/' });
  await as(ADMIN, async ({ page }) => {
    await page.setViewportSize({ width: 900, height: 800 });
    await open(page, `/webhooks/${id}`, host);
    await button(page, 'Deutsch').click();
    await button(page, 'Test senden').click();
    const reason = page.locator('td').getByText('no address of the host is global');
    await reason.waitFor();
    const table = page.getByRole('region', { name: 'Zustellungen' });
    expect(await table.evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)).toBe(0);
    const { width } = (await reason.boundingBox())!;
    expect(width).toBeGreaterThanOrEqual(120);
  });
});

it('shows both values of a webhook that was changed meanwhile', async () => {
  const { id, host } = await create();
  await as(ADMIN, async ({ page }) => {
    await open(page, `/webhooks/${id}`, host);
    await button(page, 'Change webhook').click();
    const dialog = page.getByRole('dialog');
    expect(await dialog.getByLabel('Role created').isChecked()).toBe(true);
    await dialog.getByText('Logins and sessions', { exact: true }).click();
    await dialog.getByLabel('Login refused', { exact: true }).check();
    await root.patch(`/webhooks/${id}`, { events: ['login.succeeded'] });
    await button(page, 'Save webhook').click();
    await dialog.getByRole('heading', { name: 'Changed meanwhile' }).waitFor();
    expect(await dialog.locator('tbody td').allInnerTexts()).toEqual(['login.failed role.created', 'login.succeeded']);
    expect(await findBarriers(page)).toEqual([]);
    await button(page, 'Save webhook').click();
    await page.getByText('Webhook saved').waitFor();
    await expect.poll(() => page.locator('dd .lines code').allInnerTexts()).toEqual(['login.failed', 'role.created']);
  });
});

it('keeps the search, the filter and the page in the URL, and shows hostile URLs as text', async () => {
  const { id, host } = await create({ url: receiver.url + HOSTILE_PATH, tenantId: undefined });
  for (let number = 0; number < 20; number += 1) await create({ url: `https://192.0.2.1/hook-${number}` });
  await as(ROOT, async ({ page }) => {
    await open(page, '/webhooks', 'Webhooks');
    expect((await cells(page)).slice(0, 3)).toEqual(['Enabled', '1', 'acme']);
    await button(page, 'Next page').click();
    await page.waitForURL('**page=2&after=*');
    await expect.poll(() => rowsOf(page)).toHaveLength(1);
    expect(await cells(page)).toContain('All tenants');
    await expectNoBarriers(page, 'a hostile URL in the list');
    await page.getByRole('rowheader').getByRole('link').click();
    await waitForScreen(page, host);
    await page.getByText('/<b>x</b>/').waitFor();
    await expectNoBarriers(page, 'a hostile URL');
    await page.goBack();
    await waitForScreen(page, 'Webhooks');
    await expect.poll(() => rowsOf(page)).toHaveLength(1);
    await page.goForward();
    await waitForScreen(page, host);

    await root.patch(`/webhooks/${id}`, { disabled: true });
    await open(page, '/webhooks?disabled=true', 'Webhooks');
    expect(await rowsOf(page)).toHaveLength(1);
    await page.getByLabel('Search by a part of the URL').fill('hook-1');
    await page.waitForURL('**disabled=true&q=hook-1');
    await page.getByText('Nothing matches').waitFor();
    await button(page, 'Show all').click();
    await expect.poll(() => rowsOf(page)).toHaveLength(20);
    await button(page, 'Create webhook').click();
    await page.getByRole('dialog').getByLabel('URL').fill(receiver.url);
    const dialog = page.getByRole('dialog');
    await dialog.getByText('People, second factors and roles', { exact: true }).click();
    await dialog.getByLabel('Role created').check();
    // A webhook of a tenant never gets the events of the service.
    const ofService = dialog.locator('[name="event:signing-key.rotated"]');
    expect(await ofService.count()).toBe(1);
    await dialog.getByLabel('Tenant', { exact: true }).selectOption('acme');
    expect(await ofService.count()).toBe(0);
  });
});

it('is in no navigation without both permissions, and refuses what was permitted before', async () => {
  const name = 'HOOKS';
  await root.post('/roles', { name, permissions: ['MANAGE_WEBHOOKS'], tenantId: 'acme' });
  await as({ roles: [name] }, async ({ page }) => {
    await page.goto(`${service.origin}/console/webhooks`);
    await page.getByRole('heading', { name: 'You may not see this' }).waitFor();
    expect(await screensOf(page)).not.toContain('Webhooks');
  });
  await root.patch(`/roles/${name}?tenantId=acme`, { permissions: ['MANAGE_WEBHOOKS', 'READ_AUDIT'] });
  const { id, host } = await create();
  await as({ roles: [name] }, async ({ page, context, account }) => {
    await open(page, `/webhooks/${id}`, host);
    await root.patch(`/roles/${name}?tenantId=acme`, { permissions: ['MANAGE_WEBHOOKS'] });
    await button(page, 'Send test').click();
    await page.getByRole('alert').getByText('Webhooks also need the permission READ_AUDIT.').waitFor();
    await context.request.post(`${service.origin}/api/v1/auth/logout`);
    await button(page, 'Send test').click();
    await page.waitForURL('**/login?return=*');
    expect(new URL(page.url()).searchParams.get('return')).toBe(`/console/webhooks/${id}`);
    await context.addCookies([service.cookieOf(await seedSession(service.deployment, account))]);
  });
});

it('keeps what was typed while the network is lost, in German too', async () => {
  await as(ADMIN, async ({ page, context }) => {
    await open(page, '/webhooks', 'Webhooks');
    await button(page, 'Deutsch').click();
    await button(page, 'Webhook anlegen').click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('URL').fill(receiver.url);
    await dialogButton(page, 'Alle wählen').click();
    await context.setOffline(true);
    await dialogButton(page, 'Webhook anlegen').click();
    await dialog.getByText('Der Dienst ist nicht erreichbar.').waitFor();
    expect(await findBarriers(page)).toEqual([]);
    await context.setOffline(false);
    await dialogButton(page, 'Webhook anlegen').click();
    await dialog.getByText('Es wird nur jetzt gezeigt.').waitFor();
    await button(page, 'Ich habe den Wert gespeichert').click();
    await page.getByRole('heading', { name: 'Zustellungen' }).waitFor();
  });
});
