// Passkeys in Chromium with its virtual authenticator: creation, login without a username, and the second factor.
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { freePort } from '../../../test/support/free-port.ts';
import { endProcesses } from '../../../test/support/service-process.ts';
import { launchBrowser } from '../support/chromium.ts';
import { startService, type Service } from '../support/services.ts';

const PASSWORD = 'demo-password-1';
let browser: Browser;
let service: Service;
let origin: string;

beforeAll(async () => {
  browser = await launchBrowser();
  // The public URL names the port, so it must be known before the start.
  const port = await freePort();
  origin = `http://localhost:${port}`;
  service = await startService('sqlite', { 'app.http.port': String(port), 'app.public-url': origin });
});
afterAll(async () => {
  await service?.stop();
  await browser?.close();
  await endProcesses();
});

interface Answer {
  readonly status: number;
  readonly body: any; // Tests assert on bodies of any type.
}

/** Opens a page of the service with an authenticator of its own. */
async function openPage(context: BrowserContext) {
  const page = await context.newPage();
  const cdp = await context.newCDPSession(page);
  await cdp.send('WebAuthn.enable');
  const { authenticatorId } = await cdp.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  });
  await page.goto(`${origin}/demo`);
  const failUserVerification = () => cdp.send('WebAuthn.setUserVerified', { authenticatorId, isUserVerified: false });
  return { page, failUserVerification };
}

/** Sends a request from the page. */
const post = (page: Page, path: string, body: object, accessToken?: string): Promise<Answer> =>
  page.evaluate(
    async ([url, text, token]) => {
      const headers = { 'content-type': 'application/json', ...(token && { authorization: `Bearer ${token}` }) };
      const response = await fetch(url, { method: 'POST', headers, body: text });
      return { status: response.status, body: (await response.json()) as unknown };
    },
    [`/api/v1${path}`, JSON.stringify(body), accessToken] as const,
  );

const createPasskey = (page: Page, options: object): Promise<object> =>
  page.evaluate(async (json) => {
    const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(json as PublicKeyCredentialCreationOptionsJSON);
    return ((await navigator.credentials.create({ publicKey })) as PublicKeyCredential).toJSON();
  }, options);

const getPasskey = (page: Page, options: object): Promise<object> =>
  page.evaluate(async (json) => {
    const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(json as PublicKeyCredentialRequestOptionsJSON);
    return ((await navigator.credentials.get({ publicKey })) as PublicKeyCredential).toJSON();
  }, options);

/** Logs in with the password and creates a passkey. */
async function register(page: Page, username: string): Promise<Answer> {
  const { accessToken } = (await post(page, '/auth/login', { username, password: PASSWORD })).body;
  const { options } = (await post(page, '/account/factors/passkeys/options', {}, accessToken)).body;
  const passkey = await createPasskey(page, options);
  return post(page, '/account/factors/passkeys', { label: 'Chromium', passkey }, accessToken);
}

async function logInWithPasskey(page: Page): Promise<Answer> {
  const { challenge, options } = (await post(page, '/auth/passkey/options', {})).body;
  return post(page, '/auth/passkey', { challenge, passkey: await getPasskey(page, options), rememberMe: true });
}

describe('in Chromium', () => {
  it('a passkey is created, logs in without a username, and is the second factor', async () => {
    const context = await browser.newContext();
    const { page } = await openPage(context);
    const created = await register(page, 'mia@acme.test');
    expect([created.status, created.body.passkey.label, created.body.recoveryCodes.length]).toEqual([
      201,
      'Chromium',
      10,
    ]);

    for (let count = 0; count < 2; count += 1) {
      const { status, body } = await logInWithPasskey(page);
      expect([status, body.user.username]).toEqual([200, 'mia@acme.test']);
      const claims = JSON.parse(Buffer.from(body.accessToken.split('.')[1], 'base64url').toString()) as object;
      expect(claims).toMatchObject({ amr: ['hwk', 'user', 'mfa'] });
    }

    const challenged = await post(page, '/auth/login', { username: 'mia@acme.test', password: PASSWORD });
    expect([challenged.status, challenged.body.methods]).toEqual([401, ['passkey', 'recovery-code']]);
    const { challenge } = challenged.body;
    const { options } = (await post(page, '/auth/second-factor/passkey-options', { challenge })).body;
    const completed = await post(page, '/auth/second-factor', { challenge, passkey: await getPasskey(page, options) });
    expect([completed.status, completed.body.user.username]).toEqual([200, 'mia@acme.test']);
    await context.close();
  });

  it('the browser refuses a second passkey of the same authenticator', async () => {
    const context = await browser.newContext();
    const { page } = await openPage(context);
    const { accessToken } = (await post(page, '/auth/login', { username: 'sam@acme.test', password: PASSWORD })).body;
    const start = async () => (await post(page, '/account/factors/passkeys/options', {}, accessToken)).body.options;
    const passkey = await createPasskey(page, await start());
    expect((await post(page, '/account/factors/passkeys', { label: 'One', passkey }, accessToken)).status).toBe(201);
    await expect(createPasskey(page, await start())).rejects.toThrow('InvalidStateError');
    await context.close();
  });

  it('a passkey does not log in alone if its authenticator cannot verify the user', async () => {
    const context = await browser.newContext();
    const { page, failUserVerification } = await openPage(context);
    expect((await register(page, 'flora@acme.test')).status).toBe(201);
    await failUserVerification();
    await expect(logInWithPasskey(page)).rejects.toThrow('NotAllowedError');
    await context.close();
  });
});
