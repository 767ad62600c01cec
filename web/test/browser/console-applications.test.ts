// The applications of /console, in Chromium.
import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { launchBrowser } from '../../../client/test/support/chromium.ts';
import { caller, type Caller } from '../../../test/support/callers.ts';
import { seedAccount } from '../../../test/support/accounts.ts';
import { ENGINES } from '../../../test/support/databases.ts';
import { startLogoutReceiver } from '../../../test/support/oauth/logout-receiver.ts';
import { seedSession } from '../../../test/support/sessions.ts';
import { addSessionApplication } from '../../../src/auth/oauth/logout/session-application-store.ts';
import { rowsOf, screensOf, waitForScreen } from '../support/console.ts';
import { expectNoBarriers, findBarriers } from '../support/pages.ts';
import { startSeededService, type SeededService, type User } from '../support/seeded-service.ts';

const ROOT = { tenantId: undefined, roles: ['SUPER_ADMIN'] };
const ADMIN = { roles: ['ADMIN'] };
const CALLBACK = 'https://wiki.example.com/callback';
const PNG = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==';

let browser: Browser;
let service: SeededService;
let root: Caller;

beforeAll(async () => {
  [browser, service] = await Promise.all([
    launchBrowser(),
    startSeededService(ENGINES[0]!, { 'app.oauth.cli': 'false', 'app.webhooks.allowed-networks': '127.0.0.1' }),
  ]);
  root = await caller(service.deployment, ROOT);
  // Its tenant exists before its applications.
  await caller(service.deployment, ADMIN);
});
afterEach(async () => {
  for (const { id } of (await root.get('/applications?perPage=100')).body) await root.delete(`/applications/${id}`);
});
afterAll(async () => {
  await browser?.close();
  await service?.close();
});

const as = (seed: object, play: (user: User) => Promise<void>) => service.as(browser, seed, play);
const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });
const dialogButton = (page: Page, name: string) => page.getByRole('dialog').getByRole('button', { name, exact: true });

async function open(page: Page, path: string, title: string): Promise<void> {
  await page.goto(`${service.origin}/console${path}`);
  await waitForScreen(page, title);
}

async function create(fields: object = {}): Promise<{ id: string; clientId: string }> {
  const { status, body } = await root.post('/applications', {
    name: 'Wiki',
    type: 'WEB',
    redirectUris: [CALLBACK],
    tenantId: 'acme',
    ...fields,
  });
  expect(status).toBe(201);
  // With a secret, it is a member.
  return body.application ?? body;
}

it('creates a web application, shows its secret once, how to connect it, and deletes it after a question', async () => {
  await as(ADMIN, async ({ page }) => {
    await open(page, '/applications', 'Applications');
    await page.getByText('There is no application yet.').waitFor();
    await button(page, 'Create application').click();
    const dialog = page.getByRole('dialog');
    for (const label of ['Tenant', 'No consent'])
      expect(await dialog.getByLabel(label, { exact: true }).count()).toBe(0);
    await dialogButton(page, 'Create application').click();
    await dialog.getByText('Fill in this field.').waitFor();
    await dialog.getByLabel('Name').fill('Wiki');
    await dialog.getByLabel('Redirect URIs').fill(`${CALLBACK}\nhttp://wiki.example.com/`);
    await dialogButton(page, 'Create application').click();
    await dialog.getByText('must be https').waitFor();
    await expectNoBarriers(page, 'create an application');
    await dialog.getByLabel('Redirect URIs').fill(CALLBACK);
    await dialog.getByLabel('Client id').fill('wiki');
    await dialogButton(page, 'Create application').click();
    await dialog.getByText('It is shown only now').waitFor();
    const secret = await page.locator('.secret').innerText();
    expect(await findBarriers(page)).toEqual([]);
    await button(page, 'I have stored it').click();
    await waitForScreen(page, 'Wiki');
    expect(await page.content()).not.toContain(secret);

    const connect = page.locator('section', { has: page.getByRole('heading', { name: 'How to connect' }) });
    const values = await connect.locator('dd code').allInnerTexts();
    expect(values.slice(0, 3)).toEqual([service.origin, 'wiki', `${service.origin}/.well-known/openid-configuration`]);
    expect(values).toContain(`${service.origin}/api/v1/auth/oauth2/authorize`);
    const example = await connect.locator('pre').innerText();
    for (const part of [service.origin, '"wiki"', CALLBACK, 'ClientSecretBasic']) expect(example).toContain(part);
    await expectNoBarriers(page, 'an application');

    await button(page, 'Delete').click();
    await page.getByRole('dialog').getByText('All its access ends at once').waitFor();
    await button(page, 'Delete application').click();
    await waitForScreen(page, 'Applications');
    await page.getByText('There is no application yet.').waitFor();
  });
});

it.each([
  ['SPA', 'Browser', 'https://app.example.com/', 'oidc-client-ts'],
  ['NATIVE', 'Native', 'com.example.app:/callback', 'AppAuth'],
] as const)('creates a %s application, which has no secret', async (type, name, uri, library) => {
  await as(ADMIN, async ({ page }) => {
    await open(page, '/applications', 'Applications');
    await button(page, 'Create application').click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Type').selectOption(type);
    await dialog.getByLabel('Name').fill('App');
    await dialog.getByLabel('Redirect URIs').fill(uri);
    await dialogButton(page, 'Create application').click();
    await waitForScreen(page, 'App');
    await page.locator('dd', { hasText: name }).first().waitFor();
    await page.getByRole('heading', { name: `Example with ${library}` }).waitFor();
    expect(await page.getByRole('heading', { name: 'Client secrets' }).count()).toBe(0);
    expect(await page.getByText('PKCE needed').count()).toBe(0);
  });
});

it('says that a client id is taken', async () => {
  await create({ clientId: 'wiki' });
  await as(ROOT, async ({ page }) => {
    await open(page, '/applications?tenantId=acme', 'Applications');
    await button(page, 'Create application').click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Name').fill('Other');
    await dialog.getByLabel('Redirect URIs').fill(CALLBACK);
    await dialog.getByLabel('Client id').fill('WIKI');
    await dialog.getByLabel('No consent').check();
    expect(await dialog.getByLabel('Tenant', { exact: true }).inputValue()).toBe('acme');
    await dialogButton(page, 'Create application').click();
    await dialog.getByText('This client id is taken').waitFor();
    await dialog.getByLabel('Client id').fill('');
    await dialogButton(page, 'Create application').click();
    await button(page, 'I have stored it').click();
    await waitForScreen(page, 'Other');
  });
});

it('creates a second secret and no third, ends one, disables and enables', async () => {
  const { id } = await create();
  await as(ADMIN, async ({ page }) => {
    await open(page, `/applications/${id}`, 'Wiki');
    await button(page, 'Create secret').click();
    await dialogButton(page, 'Create secret').click();
    await page.getByRole('dialog').getByText('It is shown only now').waitFor();
    await button(page, 'I have stored it').click();
    await page.getByText('It has two secrets').waitFor();
    expect(await button(page, 'Create secret').count()).toBe(0);
    await button(page, 'End').first().click();
    await page.getByRole('dialog').getByText('The application is refused with the secret of').waitFor();
    await dialogButton(page, 'End secret').click();
    await button(page, 'Create secret').waitFor();
    await button(page, 'Disable').click();
    await dialogButton(page, 'Disable application').click();
    await page.locator('.status').getByText('Disabled').waitFor();
    await button(page, 'Enable').click();
    await dialogButton(page, 'Enable application').click();
    await page.locator('.status').getByText('Enabled').waitFor();
  });
});

it('previews what an account would get, and why not', async () => {
  const { id } = await create({ requiredPermission: 'wiki:read' });
  await as(ADMIN, async ({ page, account }) => {
    await open(page, `/applications/${id}`, 'Wiki');
    const preview = page.locator('section', { has: page.getByRole('heading', { name: 'What it gets' }) });
    await preview.getByLabel('Username').fill('nobody@acme.test');
    await button(page, 'Preview').click();
    await preview.getByRole('alert').waitFor();
    await preview.getByLabel('Username').fill(account.username);
    await button(page, 'Preview').click();
    await preview.getByRole('heading', { name: 'It can log in this account' }).waitFor();
    await preview.locator('dd', { hasText: account.username }).first().waitFor();
    await expectNoBarriers(page, 'a preview');

    const { username } = await seedAccount(service.deployment.database, { roles: ['TENANT_USER'] });
    await preview.getByLabel('Username').fill(username);
    await button(page, 'Preview').click();
    await preview.getByRole('heading', { name: 'It is refused for this account' }).waitFor();
    await preview.getByText('the account lacks wiki:read').waitFor();
  });
});

it('changes each part, and shows both values of what was changed meanwhile', async () => {
  const { id } = await create();
  const path = `/applications/${id}`;
  await as(ADMIN, async ({ page }) => {
    await open(page, path, 'Wiki');
    const dialog = page.getByRole('dialog');
    await button(page, 'Change: Basics').click();
    await dialog.getByLabel('Home page').fill('https://wiki.example.com/');
    await dialog
      .getByLabel('Logo', { exact: true })
      .setInputFiles({ name: 'x.gif', mimeType: 'image/gif', buffer: Buffer.from('GIF') });
    await dialog.getByText('Choose a PNG').waitFor();
    const buffer = Buffer.from(PNG, 'base64');
    await dialog.getByLabel('Logo', { exact: true }).setInputFiles({ name: 'logo.png', mimeType: 'image/png', buffer });
    await dialog.locator('img').waitFor();
    await expectNoBarriers(page, 'change the basics');
    await dialogButton(page, 'Save').click();
    await page.getByText('Application saved').waitFor();
    await page.locator('dd img').waitFor();

    await button(page, 'Change: Users and claims').click();
    await dialog.getByLabel('Permission needed').fill('wiki:read');
    await dialog.getByLabel('Authentication needed').selectOption('mfa');
    await dialog.getByLabel('groups').uncheck();
    await root.patch(path, { requiredPermission: 'docs:read' });
    await dialogButton(page, 'Save').click();
    await dialog.getByRole('heading', { name: 'Changed meanwhile' }).waitFor();
    const cells = await dialog.locator('tbody td').allInnerTexts();
    expect(cells.slice(0, 2)).toEqual(['wiki:read', 'docs:read']);
    await expectNoBarriers(page, 'a conflict of applications');
    await dialogButton(page, 'Save').click();
    await dialog.waitFor({ state: 'detached' });

    await button(page, 'Change: Requests and tokens').click();
    await dialog.getByLabel('Public keys').fill('{');
    await dialogButton(page, 'Save').click();
    await dialog.getByText('This is not JSON.').waitFor();
    await dialog.getByLabel('Public keys').fill('{"keys": []}');
    await dialogButton(page, 'Save').click();
    await dialog.getByText('an array of 1 to 5 keys').waitFor();
    await dialog.getByLabel('Public keys').fill('');
    await dialog.getByLabel('Access tokens valid for').fill('300');
    await dialog.getByLabel('PKCE needed').uncheck();
    await dialogButton(page, 'Save').click();
    await dialog.waitFor({ state: 'detached' });
    await page.getByText('5 minutes').waitFor();
    const { body } = await root.get(path);
    expect(body).toMatchObject({ homeUrl: 'https://wiki.example.com/', logo: PNG, requiredPermission: 'wiki:read' });
    expect(body).toMatchObject({ requiredAcr: 'mfa', accessTokenTtl: 300, requirePkce: false });
    expect(body.scopes).not.toContain('groups');
  });
});

it('shows applications of all tenants and trusted ones without what cannot be done', async () => {
  const { id } = await create({ name: 'Shared', tenantId: undefined });
  const trusted = await create({ name: 'Trusted', firstParty: true });
  await as(ADMIN, async ({ page }) => {
    for (const [one, name] of [
      [id, 'Shared'],
      [trusted.id, 'Trusted'],
    ] as const) {
      await open(page, `/applications/${one}`, name);
      await page.getByText('Only an operator of the service can change').waitFor();
      for (const act of ['Disable', 'Delete', 'Create secret', 'Expire', 'Change: Basics'])
        expect(await button(page, act).count()).toBe(0);
    }
  });
});

it('keeps the search, the filter and the page in the URL, and shows hostile names as text', async () => {
  const name = `<b>x</b> \u202Eשלום💥 ${'W'.repeat(150)}`.replace('\u202E', '');
  await create({ name, disabled: true });
  for (let number = 0; number < 20; number += 1) await create({ name: `App ${number}` });
  await as(ADMIN, async ({ page }) => {
    await open(page, '/applications', 'Applications');
    await button(page, 'Next page').click();
    await page.waitForURL('**page=2&after=*');
    await expect.poll(() => rowsOf(page)).toHaveLength(1);
    await expectNoBarriers(page, 'a hostile name in the list');
    await page.getByRole('rowheader').getByRole('link').click();
    await waitForScreen(page, name);
    await expectNoBarriers(page, 'a hostile name');
    await open(page, '/applications?disabled=true', 'Applications');
    expect(await rowsOf(page)).toHaveLength(1);
    await page.getByLabel('Search by client id or name').fill('App 1');
    await page.waitForURL('**q=App*');
    await page.getByText('Nothing matches').waitFor();
  });
});

it('is in no navigation without the permission, and says so when OpenID is off', async () => {
  await as({ roles: ['MANAGER'] }, async ({ page }) => {
    await page.goto(`${service.origin}/console/applications`);
    await page.getByRole('heading', { name: 'You may not see this' }).waitFor();
  });
  const { id } = await create();
  await as(ADMIN, async ({ page }) => {
    // A core without keys for ID tokens.
    await page.route('**/.well-known/openid-configuration', async (route) => {
      const response = await route.fetch();
      await route.fulfill({ json: { ...(await response.json()), authorization_endpoint: undefined } });
    });
    await page.goto(`${service.origin}/console/applications/${id}`);
    await page.getByText('The service is no OpenID provider yet.').waitFor();
    expect(await screensOf(page)).toContain('Applications');
  });
});

it('lists the logout tokens of an application, and sends one again, in German too', async () => {
  const receiver = await startLogoutReceiver(() => 503);
  const { id } = await create({ backchannelLogoutUri: receiver.url });
  const { database, clock } = service.deployment;
  const account = await seedAccount(database);
  const { id: sessionId } = await seedSession(service.deployment, account);
  const ended = { tenantId: 'acme', sessionId, accountId: account.id, applicationId: id };
  await addSessionApplication(database, database, ended, clock.now());
  try {
    await as(ADMIN, async ({ page }) => {
      await open(page, `/applications/${id}`, 'Wiki');
      await page.getByText('No session has ended yet in which it was used.').waitFor();
      expect((await root.delete(`/users/${account.id}/sessions/${sessionId}`)).status).toBe(204);
      await expect.poll(() => receiver.received.length).toBe(1);
      await button(page, 'Reload').click();
      await page.getByRole('cell', { name: '503' }).waitFor();
      await page.getByRole('cell', { name: 'Waits' }).waitFor();
      receiver.respond = () => 200;
      await button(page, 'Send again').click();
      await page.getByText('session.ended was delivered. The receiver responded 200.').waitFor();
      await expectNoBarriers(page, 'logout tokens of an application');
      await button(page, 'Deutsch').click();
      await page.getByRole('heading', { name: 'Zustellungen' }).waitFor();
      await page.getByText('Erfolgreiche Zustellungen stehen hier einen Tag lang').waitFor();
    });
  } finally {
    await receiver.close();
  }
});

it('shows the logout tokens of an application for all tenants to operators alone', async () => {
  const { id } = await create({ tenantId: undefined, backchannelLogoutUri: 'https://wiki.example.com/logout' });
  await as(ROOT, async ({ page }) => {
    await open(page, `/applications/${id}`, 'Wiki');
    await page.getByRole('heading', { name: 'Deliveries' }).waitFor();
  });
  await as(ADMIN, async ({ page }) => {
    await open(page, `/applications/${id}`, 'Wiki');
    expect(await page.getByRole('heading', { name: 'Deliveries' }).count()).toBe(0);
  });
});
