// Profile B: the page keeps the refresh token.
import type { Browser, BrowserContext } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ENGINES } from '../../../test/support/databases.ts';
import { endProcesses } from '../../../test/support/service-process.ts';
import { launchBrowser } from '../support/chromium.ts';
import { startFront, type Front } from '../support/front.ts';
import { startService, type Service } from '../support/services.ts';
import {
  ALICE,
  eventually,
  history,
  installClock,
  login,
  moveClock,
  openTab,
  openTabs,
  restore,
} from '../support/tabs.ts';
import { snapshot } from '../support/tabs.ts';

const HOUR_MS = 3_600_000;
const TABS = 3;
let browser: Browser;

beforeAll(async () => {
  browser = await launchBrowser();
});
afterAll(async () => {
  await browser.close();
  await endProcesses();
});

const getId = (page: Awaited<ReturnType<typeof openTab>>) =>
  page.evaluate(() =>
    session.fetch('/api/v1/auth/me').then(async (response) => (await response.json()).email as string),
  );

describe.each(ENGINES)('Profile B with local storage on %s', (engine) => {
  let service: Service;
  let front: Front;
  let context: BrowserContext;

  beforeAll(async () => {
    service = await startService(engine, { 'app.security.auth-profile': 'B' });
    front = await startFront(service.url);
    context = await browser.newContext();
    await installClock(context);
  });
  afterAll(async () => {
    await context.close();
    await front.close();
    await service.stop();
  });

  it('rotates the token once for all tabs, restores it after a reload, and forgets it at the logout', async () => {
    const tabs = await openTabs(TABS, context, front.url, { profile: 'B' });
    await login(tabs[0]!);
    await Promise.all(tabs.map((tab) => eventually(async () => (await snapshot(tab)).status, 'signed-in')));
    for (const round of [1, 2, 3]) {
      await Promise.all(tabs.map((tab) => moveClock(tab, HOUR_MS)));
      expect(await Promise.all(tabs.map(getId))).toEqual(Array(TABS).fill(ALICE.username));
      expect(front.refreshes.map(({ status }) => status)).toEqual(Array(round).fill(200));
    }
    await tabs[0]!.reload();
    await tabs[0]!.waitForFunction(() => typeof session !== 'undefined');
    expect(await restore(tabs[0]!)).toBe('signed-in');
    expect((await Promise.all(tabs.map(history))).flat()).not.toContain('signed-out');

    await tabs[1]!.evaluate(() => session.logout());
    await Promise.all(tabs.map((tab) => eventually(async () => (await snapshot(tab)).status, 'signed-out')));
    // Local storage reaches the process of another tab with a delay, unlike the message of the logout.
    await eventually(() => tabs[0]!.evaluate(() => localStorage.length), 0);
  });
});
