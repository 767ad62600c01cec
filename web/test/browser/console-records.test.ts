// The console's screens for the records of administrators, in Chromium against the service with its demo data.
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { launchBrowser } from '../../../client/test/support/chromium.ts';
import type { Service } from '../../../client/test/support/services.ts';
import { ENGINES } from '../../../test/support/databases.ts';
import { endProcesses } from '../../../test/support/service-process.ts';
import { rowsOf, screensOf, waitForScreen, withSession } from '../support/console.ts';
import { findBarriers, startPublicService } from '../support/pages.ts';

const HOSTILE = '<b>x</b> שלום 💥 ' + 'ä'.repeat(150);
const HOSTILE_TEXT = `\u202E${HOSTILE}`;
const ROLES_OF_TWO_PAGES = 21;
let browser: Browser;
let service: Service;
let origin: string;
let token: string;

beforeAll(async () => {
  [browser, service] = await Promise.all([
    launchBrowser(),
    startPublicService(ENGINES.at(-1)!, { 'app.security.api-key.enabled': 'true' }),
  ]);
  origin = service.url;
  const login = { username: 'alice@acme.test', password: 'demo-password-1' };
  token = ((await send('POST', '/auth/login', login)) as { accessToken: string }).accessToken;
});
afterAll(async () => {
  await browser?.close();
  await service?.stop();
  await endProcesses();
});

/** Calls the API as an administrator of acme. */
async function send(method: string, path: string, body: unknown): Promise<unknown> {
  const headers = { 'content-type': 'application/json', ...(token && { authorization: `Bearer ${token}` }) };
  const response = await fetch(`${origin}/api/v1${path}`, { method, headers, body: JSON.stringify(body) });
  expect(response.status).toBeLessThan(300);
  return response.json();
}

const asAlice = (run: (page: Page) => Promise<void>) => withSession(browser, origin, 'alice@acme.test', run);

async function open(page: Page, path: string, title: string): Promise<void> {
  await page.goto(`${origin}/console${path}`);
  await waitForScreen(page, title);
}

const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });

it('shows an administrator of a tenant its screens, and no others', async () => {
  await asAlice(async (page) => {
    await open(page, '/roles', 'Roles');
    const screens = await screensOf(page);
    expect(screens).toEqual(expect.arrayContaining(['Service accounts', 'Roles', 'Policy', 'Audit', 'Explain']));
    expect(screens).not.toContain('Signing keys');
    await page.goto(`${origin}/console/signing-keys`);
    await page.getByRole('heading', { name: 'You may not see this' }).waitFor();
  });
});

it('keeps the filters and the place of the audit records in the URL, and shows a record', async () => {
  for (let number = 0; number < ROLES_OF_TWO_PAGES; number += 1)
    await send('POST', '/roles', { name: `ROLE_${number}`, description: HOSTILE_TEXT });
  await asAlice(async (page) => {
    await open(page, '/audit', 'Audit');
    await page.getByLabel('Event').selectOption('role.created');
    await page.waitForURL('**/audit?event=role.created');
    await page.getByText(`of ${ROLES_OF_TWO_PAGES}`, { exact: false }).waitFor();
    await button(page, 'Next page').click();
    await page.waitForURL('**page=2&after=*');
    await expect.poll(() => rowsOf(page)).toHaveLength(1);
    await page.reload();
    await waitForScreen(page, 'Audit');
    expect(await rowsOf(page)).toHaveLength(1);
    await page.getByRole('button', { name: /^Role created/ }).click();
    const dialog = page.getByRole('dialog', { name: 'Role created' });
    await dialog.getByText('ROLE_0', { exact: true }).waitFor();
    expect(await findBarriers(page)).toEqual([]);
    await page.getByRole('link', { name: 'Everything that it caused' }).click();
    await page.waitForURL('**/audit?causedBy=*');
    await page.getByLabel('Session id', { exact: true }).fill('no-id');
    await page.keyboard.press('Enter');
    await page.getByRole('alert').waitFor();
  });
});

it('leads to the next page of the filtered records while those of no filter are still shown', async () => {
  await asAlice(async (page) => {
    await open(page, '/audit', 'Audit');
    const clicked = Promise.withResolvers<void>();
    await page.route('**/audit-records?*events=role.created*', async (route) => {
      await clicked.promise;
      await route.continue();
    });
    await page.getByLabel('Event').selectOption('role.created');
    await button(page, 'Next page').click();
    clicked.resolve();
    await page.waitForURL('**event=role.created&page=2');
    await expect.poll(() => rowsOf(page)).toHaveLength(1);
  });
});

it('explains a credential, and keeps it out of the URL and the storage', async () => {
  await asAlice(async (page) => {
    await open(page, '/explain', 'Explain');
    await page.getByLabel('Credential').fill(token);
    await button(page, 'Explain').click();
    await page.getByRole('heading', { name: 'It would be accepted' }).waitFor();
    expect(await rowsOf(page)).toContain('Signature');
    const kept = await page.evaluate(() =>
      JSON.stringify([location.href, history.state, { ...localStorage }, { ...sessionStorage }]),
    );
    expect(kept).not.toContain(token.slice(-20));

    await page.getByLabel('Credential').fill(`${token.slice(0, -6)}AAAAAA`);
    await button(page, 'Explain').click();
    await page.getByText('Because this check failed: Signature.').waitFor();
    await page.getByLabel('Credential').fill('A'.repeat(43));
    expect(await page.getByLabel('Kind').inputValue()).toBe('authorizationCode');
    await button(page, 'Explain').click();
    await page.getByText('Because this check failed: Existence.').waitFor();
    await page.getByLabel('Credential').fill(`${'A'.repeat(22)}.1.${'A'.repeat(43)}`);
    expect(await page.getByLabel('Kind').inputValue()).toBe('applicationRefreshToken');
    await button(page, 'Explain').click();
    await page.getByText('Because this check failed: Form.').waitFor();
    await page.getByLabel('Credential').fill('sam@acme.test');
    expect(await page.getByLabel('Kind').inputValue()).toBe('username');
    await button(page, 'Explain').click();
    await page.getByRole('link', { name: 'Show its audit records' }).click();
    await waitForScreen(page, 'Audit');
    expect(page.url()).toContain('account=');
  });
});

it('names the account of a failed check, and offers what helps', async () => {
  const username = 'disabled@acme.test';
  const user = { username, password: 'A long enough password', name: 'Dora Disabled', roles: ['SALES'] };
  const { id } = (await send('POST', '/users', user)) as { id: string };
  await send('POST', `/users/${id}/disable`, {});
  await asAlice(async (page) => {
    await open(page, `/explain?username=${username}`, 'Explain');
    await button(page, 'Explain').click();
    await page.getByText('Because this check failed: State of the account. The account is disabled').waitFor();
    const found = page.getByRole('row').filter({ hasText: 'It is the username of' }).getByRole('link');
    expect([await found.textContent(), await found.getAttribute('href')]).toEqual([user.name, `/console/users/${id}`]);
    await button(page, 'Enable').click();
    await button(page, 'Enable user').click();
    await page.getByRole('heading', { name: 'It would be accepted' }).waitFor();
  });
});

it('shows of which application and grant a token is, in German on a narrow screen', async () => {
  const explained = {
    accepted: false,
    checks: [
      { kind: 'FORM', passed: true, code: 'GRANT_TOKEN_ISSUED', params: {}, detail: 'x' },
      {
        kind: 'APPLICATION',
        passed: true,
        code: 'APPLICATION_SERVES_ACCOUNT',
        params: { clientId: 'wiki', application: 'Wiki' },
        detail: 'x',
      },
      {
        kind: 'SESSION',
        passed: false,
        code: 'SESSION_REVOKED_BY_LOGOUT',
        params: { session: '01a2', generation: '1' },
        detail: 'x',
        at: '2026-01-01T00:00:00Z',
      },
      { kind: 'SINGLE_USE', passed: true, code: 'A_LATER_CODE', params: {}, detail: 'of a later release' },
    ],
    accountId: '01a202b5-a6f5-72ee-ba2c-94aad4e044e8',
    tenantId: 'acme',
    clientId: 'wiki',
    grantId: '01a202b5-a6f5-72ee-ba2c-94aad4e044e9',
  };
  const options = { locale: 'de-DE', viewport: { width: 360, height: 800 } };
  const look = async (page: Page) => {
    await page.route('**/api/v1/credentials/explain', (route) => route.fulfill({ json: explained }));
    await open(page, '/explain', 'Erklären');
    await page.getByLabel('Zugangsdaten').fill(`${'A'.repeat(22)}.1.${'A'.repeat(43)}`);
    await page.getByRole('main').getByRole('button', { name: 'Erklären' }).click();
    await page.getByText('Weil diese Prüfung fehlschlug: Sitzung. Eine Abmeldung hat die Sitzung beendet').waitFor();
    await page.getByText('of a later release').waitFor();
    const session = page.getByRole('cell').getByRole('link', { name: 'Sitzung' });
    expect(await session.getAttribute('href')).toBe('/console/sessions/01a2');
    expect(await page.getByRole('link', { name: 'Wiki', exact: true }).getAttribute('href')).toBe(
      '/console/applications?q=wiki',
    );
    expect(await rowsOf(page)).toEqual(['Form', 'Anwendung', 'Sitzung', 'Einmalige Verwendung']);
    expect(await page.getByRole('link', { name: 'wiki', exact: true }).getAttribute('href')).toBe(
      '/console/applications?q=wiki',
    );
    await page.getByText(explained.grantId).waitFor();
    expect(await findBarriers(page)).toEqual([]);
  };
  await withSession(browser, origin, 'alice@acme.test', look, options);
});

it('says that API keys are switched off, before it offers to issue one', async () => {
  await asAlice(async (page) => {
    await page.route('**/api/v1/auth/options', async (route) => {
      const response = await route.fetch();
      await route.fulfill({ response, json: { ...(await response.json()), apiKeys: undefined } });
    });
    await open(page, '/service-accounts', 'Service accounts');
    await page.getByRole('link', { name: 'Acme Sync' }).click();
    await page.getByText('app.security.api-key.enabled').waitFor();
    expect(await button(page, 'Issue API key').count()).toBe(0);
    expect(await findBarriers(page)).toEqual([]);
  });
});

it('creates a service account, shows its secrets once, and says what their end ends', async () => {
  await asAlice(async (page) => {
    await open(page, '/service-accounts', 'Service accounts');
    await button(page, 'Create service account').click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Name').fill(HOSTILE);
    await dialog.getByLabel('Client id').fill('acme-sync');
    await dialog.getByLabel('SALES').check();
    await dialog.getByRole('button', { name: 'Create service account' }).click();
    await dialog.getByText('This client id is taken').waitFor();
    await dialog.getByLabel('Client id').fill('acme-print');
    await dialog.getByRole('button', { name: 'Create service account' }).click();
    await dialog.getByText('It is shown only now').waitFor();
    const secret = await page.locator('.secret').innerText();
    expect(secret).toMatch(/^[\w-]{43}$/);
    expect(await findBarriers(page)).toEqual([]);
    await button(page, 'I have stored it').click();
    await waitForScreen(page, HOSTILE);
    expect(await page.content()).not.toContain(secret);

    await button(page, 'Issue API key').click();
    await dialog.getByLabel('Label').fill('Point of sale');
    await dialog.getByRole('button', { name: 'Issue API key' }).click();
    await button(page, 'I have stored it').click();
    // The first dialog was replaced by a second one.
    await page.locator('button:focus', { hasText: 'Issue API key' }).waitFor();
    await page.getByRole('rowheader', { name: 'Point of sale' }).waitFor();
    expect(await findBarriers(page)).toEqual([]);
    await button(page, 'Revoke').click();
    await dialog.getByText('Programs with this key are refused at once').waitFor();
    await button(page, 'Revoke API key').click();
    await page.getByText('It has no API key.').waitFor();

    await button(page, 'End').click();
    await button(page, 'End secret').click();
    await page.getByText('It has no valid secret').waitFor();
    await button(page, 'Disable').click();
    await button(page, 'Disable service account').click();
    await page.locator('.status').getByText('Disabled').waitFor();

    await button(page, 'Change roles').click();
    await dialog.getByLabel('SALES').uncheck();
    await dialog.getByLabel('DELIVERY').check();
    await dialog.getByLabel('Reason').fill('ticket 4711');
    expect(await findBarriers(page)).toEqual([]);
    await dialog.getByRole('button', { name: 'Save' }).click();
    await page.locator('dd').getByText('DELIVERY', { exact: true }).waitFor();
    await button(page, 'Delete').click();
    await dialog.getByText('This is final').waitFor();
    await dialog.getByLabel('Reason').fill('ticket 4711');
    await button(page, 'Delete service account').click();
    await waitForScreen(page, 'Service accounts');
    await page.getByText('Service account deleted').waitFor();
    expect(await page.getByText('acme-print').count()).toBe(0);
  });
});

it('gives the focus to the first field of a dialog, and then back to the button', async () => {
  await asAlice(async (page) => {
    await open(page, '/roles', 'Roles');
    const closings = [
      () => page.keyboard.press('Escape'),
      () => button(page, 'Close').click(),
      () => button(page, 'Cancel').click(),
    ];
    for (const close of closings) {
      await button(page, 'Create role').click();
      await page.getByRole('dialog').locator('input[name=name]:focus').waitFor();
      await close();
      await page.getByRole('dialog').waitFor({ state: 'detached' });
      await page.locator('button:focus', { hasText: 'Create role' }).waitFor();
    }
  });
});

it('shows both values of a role that was changed meanwhile', async () => {
  await asAlice(async (page) => {
    await open(page, '/roles', 'Roles');
    await button(page, 'Create role').click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Name', { exact: true }).fill('CLERK');
    await dialog.getByLabel('Permissions of your own programs').fill('MANAGE_TENANTS');
    await dialog.getByRole('button', { name: 'Create role' }).click();
    await dialog.locator('[aria-invalid=true], [role=alert]:not(:empty)').first().waitFor();
    await dialog.getByLabel('Permissions of your own programs').fill('invoices:read');
    await dialog.getByRole('button', { name: 'Create role' }).click();
    await waitForScreen(page, 'CLERK');
    await button(page, 'Change').click();
    await send('PATCH', '/roles/CLERK', { description: 'Theirs' });
    await dialog.getByLabel('Description').fill('Mine');
    await button(page, 'Save role').click();
    await dialog.getByRole('heading', { name: 'Changed meanwhile' }).waitFor();
    expect(await dialog.locator('tbody td').allInnerTexts()).toEqual(['Mine', 'Theirs']);
    expect(await dialog.getByLabel('Description').inputValue()).toBe('Mine');
    expect(await findBarriers(page)).toEqual([]);
    await button(page, 'Save role').click();
    await page.getByRole('definition').getByText('Mine').waitFor();
    await button(page, 'Delete').click();
    await button(page, 'Delete role').click();
    await waitForScreen(page, 'Roles');
    await open(page, '/roles/OWNER', 'OWNER');
    await page.getByText('It cannot be changed.').waitFor();
  });
});

it('changes a policy, refuses looser values at their field, and shows a conflict', async () => {
  await asAlice(async (page) => {
    await open(page, '/policy', 'Policy');
    const policy = page.getByRole('table').first();
    const row = policy.getByRole('row').filter({ hasText: 'Fewest characters of a password' });
    const cells = () => row.getByRole('cell').allInnerTexts();
    expect(await cells()).toEqual(['12\nValue of the service.']);
    await button(page, 'Change policy').click();
    const value = page.getByLabel('Fewest characters of a password');
    await value.fill('8');
    await button(page, 'Save').click();
    await page.locator('input[aria-invalid]').waitFor();
    await send('PATCH', '/tenants/acme/policy', { passwordMinLength: 14 });
    await value.fill('16');
    await button(page, 'Save').click();
    await page.getByText('Passwords that may be shorter stay valid').waitFor();
    await button(page, 'Save').click();
    await page.getByRole('heading', { name: 'Changed meanwhile' }).waitFor();
    expect(await page.locator('dialog tbody td').allInnerTexts()).toEqual(['16', '14']);
    await button(page, 'Save').click();
    await row.getByText('Value of the tenant').waitFor();
    expect(await cells()).toEqual(['16\nValue of the tenant. That of the service is 12.']);
    await button(page, 'Change policy').click();
    await value.fill('');
    await button(page, 'Save').click();
    await row.getByText('Value of the service.').waitFor();
  });
});

it('rotates the signing key after a question', async () => {
  await withSession(browser, origin, 'root', async (page) => {
    await open(page, '/signing-keys', 'Signing keys');
    await button(page, 'Rotate').click();
    await page.getByRole('dialog').getByText('This is final').waitFor();
    await button(page, 'Cancel').click();
    expect(await rowsOf(page)).toHaveLength(2);
    await button(page, 'Rotate').click();
    const signs = page.getByRole('dialog').getByLabel('Signs');
    expect(await signs.locator('option').allTextContents()).toEqual(['Both', 'Access tokens', 'ID tokens']);
    await signs.selectOption('ID tokens');
    await button(page, 'Rotate signing key').click();
    const published = page.getByRole('row').filter({ hasText: 'Published' });
    await published.waitFor();
    expect(await published.innerText()).toMatch(/ID tokens\s+RS256\s+Published/);
    expect(await rowsOf(page)).toHaveLength(3);
    await button(page, 'Rotate').click();
    await signs.selectOption('Access tokens');
    await button(page, 'Rotate signing key').click();
    await published.nth(1).waitFor();
    expect(await rowsOf(page)).toHaveLength(4);
    await open(page, '/policy', 'Policy');
    await page.getByText('Choose a tenant to see its policy.').waitFor();
  });
});
