// Spring Security in a web application and in its API, with the issuer, a client id and a secret.
import type { ChildProcess } from 'node:child_process';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { launchBrowser } from '../../../client/test/support/chromium.ts';
import { withWatchedPage } from '../../../web/test/support/watched-page.ts';
import { emptyFolder, freePort } from '../../support/service-process.ts';
import { PROVIDERS, startedProvider } from './deployments.ts';
import { logInFirst } from './people.ts';
import { springApplication, startSpring } from './parties/java.ts';
import { endParty } from './programs.ts';

let browser: Browser;

beforeAll(async () => {
  browser = await launchBrowser();
});
afterAll(() => browser?.close());

describe.each(PROVIDERS)('Profile $profile, $processes, $engine', (kind) => {
  const provider = startedProvider(kind);
  let wiki: ChildProcess | undefined;
  let origin: string;
  beforeAll(async () => {
    const port = await freePort();
    origin = `http://localhost:${port}`;
    const application = await provider.register(springApplication(origin));
    const { issuer } = provider;
    wiki = await startSpring({ issuer, ca: undefined, port, origin, cwd: emptyFolder(), ...application });
  });
  afterAll(() => endParty(wiki));

  const get = async (page: Page, path: string) => (await page.request.get(origin + path)).json();
  const me = (token?: string) =>
    fetch(`${origin}/api/me`, { headers: token === undefined ? {} : { authorization: `Bearer ${token}` } });

  it('logs in, refreshes, and its API accepts the access tokens', async () => {
    const user = await provider.user();
    const claims = { sub: user.id, name: user.name, email: user.username };
    await withWatchedPage(browser, [origin, new URL(provider.issuer).origin], async (page) => {
      await page.goto(origin);
      await logInFirst(page, user);
      await page.waitForURL(`${origin}/**`);
      expect(JSON.parse(await page.locator('body').innerText())).toMatchObject({ ...claims, email_verified: false });

      const first = await get(page, '/tokens');
      const second = await get(page, '/tokens');
      expect(second.access).not.toBe(first.access);
      // Those of confidential clients do not change.
      expect(second.refresh).toBe(first.refresh);
      expect(await get(page, '/')).toMatchObject(claims);

      for (const { access } of [first, second]) {
        const response = await me(access);
        expect([response.status, await response.json()]).toMatchObject([
          200,
          { sub: user.id, scope: expect.any(String) },
        ]);
      }
    });
  });

  it("refuses in its API a session's token, and a request without one", async () => {
    const user = await provider.user();
    const login = await provider.logIn(user);
    expect((await me(login)).status).toBe(401);
    expect((await me()).status).toBe(401);
  });
});
