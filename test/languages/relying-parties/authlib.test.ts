// Authlib in a web application with Flask, with the issuer, a client id and a secret.
import type { ChildProcess } from 'node:child_process';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { launchBrowser } from '../../../client/test/support/chromium.ts';
import { withWatchedPage } from '../../../web/test/support/watched-page.ts';
import { freePort, PROJECT } from '../../support/service-process.ts';
import { pythonEnvironment } from '../python-environment.ts';
import { PROVIDERS, startedProvider, type Application } from './deployments.ts';
import { logInFirst } from './people.ts';
import { endParty, startParty } from './programs.ts';

const FOLDER = join(PROJECT, 'examples/relying-parties/authlib');

let browser: Browser;

beforeAll(async () => {
  browser = await launchBrowser();
});
afterAll(() => browser?.close());

describe.each(PROVIDERS)('Profile $profile, $processes, $engine', (kind) => {
  const provider = startedProvider(kind);
  let wiki: ChildProcess | undefined;
  let origin: string;
  let application: Application;
  beforeAll(async () => {
    const port = await freePort();
    origin = `http://localhost:${port}`;
    application = await provider.register({ type: 'WEB', redirectUris: [`${origin}/callback`] });
    const python = join(await pythonEnvironment(join(FOLDER, 'requirements.txt')), 'python3');
    wiki = await startParty(python, [join(FOLDER, 'wiki.py')], {
      PORT: port,
      AUTH_ISSUER: provider.issuer,
      AUTH_CLIENT_ID: application.clientId,
      AUTH_CLIENT_SECRET: application.clientSecret!,
      // Authlib refuses plain HTTP otherwise.
      AUTHLIB_INSECURE_TRANSPORT: '1',
    });
  });
  afterAll(() => endParty(wiki));

  const get = async (page: Page, path: string) => {
    const response = await page.request.get(origin + path);
    return { status: response.status(), body: response.ok() ? await response.json() : undefined };
  };

  it('logs in with PKCE and nonce, reads userinfo, refreshes, introspects and revokes', async () => {
    const user = await provider.user();
    const claims = { sub: user.id, name: user.name, email: user.username };
    await withWatchedPage(browser, [origin, new URL(provider.issuer).origin], async (page) => {
      await page.goto(`${origin}/login`);
      await logInFirst(page, user);
      await page.waitForURL('**/callback?code=*');
      const first = JSON.parse(await page.locator('body').innerText());
      expect(first.userinfo).toMatchObject({ ...claims, nonce: expect.any(String), iss: provider.issuer });
      expect((await get(page, '/userinfo')).body).toMatchObject(claims);

      const refreshed = (await get(page, '/refresh')).body;
      expect(refreshed.access_token).not.toBe(first.access_token);
      expect(refreshed.userinfo).toMatchObject({ ...claims, sid: first.userinfo.sid });

      const common = { active: true, client_id: application.clientId, sub: user.id, scope: 'openid profile email' };
      expect((await get(page, '/introspect/access_token')).body).toMatchObject({ ...common, aud: provider.issuer });
      expect((await get(page, '/introspect/refresh_token')).body).toMatchObject(common);

      expect((await get(page, '/revoke')).body).toEqual({ status: 200 });
      for (const token of ['access_token', 'refresh_token'])
        expect((await get(page, `/introspect/${token}`)).body).toEqual({ active: false });
      expect((await get(page, '/refresh')).status).toBe(500);
    });
  });
});
