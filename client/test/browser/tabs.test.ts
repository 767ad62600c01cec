// One session in several tabs, and sessions that must stay apart.
import type { Browser, BrowserContext } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { freePort } from '../../../test/support/free-port.ts';
import { endProcesses } from '../../../test/support/service-process.ts';
import { launchBrowser } from '../support/chromium.ts';
import { startFront, type Front } from '../support/front.ts';
import { startService, type Service } from '../support/services.ts';
import {
  ALICE,
  delayMessages,
  eventually,
  getMe,
  GINA,
  history,
  installClock,
  login,
  moveClock,
} from '../support/tabs.ts';
import { openTab, openTabs, restore, snapshot } from '../support/tabs.ts';

const HOUR_MS = 3_600_000;
let browser: Browser;
let service: Service;

beforeAll(async () => {
  browser = await launchBrowser();
  service = await startService('sqlite');
});
afterAll(async () => {
  await browser.close();
  await endProcesses();
});

async function withFront(play: (context: BrowserContext, front: Front) => Promise<void>, at = service): Promise<void> {
  const front = await startFront(at.url);
  const context = await browser.newContext();
  await installClock(context);
  await play(context, front);
  await context.close();
  await front.close();
}

const status = async (page: Parameters<typeof snapshot>[0]) => (await snapshot(page)).status;

describe('a session in several tabs', () => {
  it('reaches the other tabs by itself after the login in one of them', async () => {
    await withFront(async (context, front) => {
      const [first, second] = await openTabs(2, context, front.url);
      expect(await restore(second!)).toBe('signed-out');
      await login(first!);
      await eventually(() => status(second!), 'signed-in');
      expect(await getMe(second!)).toBe(ALICE.username);
      expect(front.refreshes.length).toBe(1);
    });
  });

  it('is refreshed once even if the message with the token arrives after the lock', async () => {
    await withFront(async (context, front) => {
      const first = await openTab(context, front.url);
      // Only the second one, so that the first gets its own mark and releases the lock at once.
      await delayMessages(context, 200);
      const second = await openTab(context, front.url);
      await login(first);
      await eventually(() => status(second), 'signed-in');
      const refreshes = front.refreshes.length;
      await moveClock(second, HOUR_MS, false);
      await moveClock(first, HOUR_MS);
      expect(await Promise.all([first, second].map(getMe))).toEqual([ALICE.username, ALICE.username]);
      expect(front.refreshes.length - refreshes).toBe(1);
    });
  });

  it('is restored by a refresh after a reload, without a trace in Web Storage', async () => {
    await withFront(async (context, front) => {
      const tab = await openTab(context, front.url);
      await login(tab);
      const token = await tab.evaluate(() => session.accessToken());
      await tab.reload();
      await tab.waitForFunction(() => typeof session !== 'undefined');
      expect(await restore(tab)).toBe('signed-in');
      expect(front.refreshes.map((refresh) => refresh.status)).toEqual([200]);
      const stored = await tab.evaluate(() =>
        JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie]),
      );
      expect(stored).not.toContain(token.split('.')[0]);
    });
  });

  it('ends in all tabs with a logout, and a reload finds none', async () => {
    await withFront(async (context, front) => {
      const tabs = await openTabs(3, context, front.url);
      await login(tabs[0]!);
      const token = await tabs[0]!.evaluate(() => session.accessToken());
      await Promise.all(tabs.map((tab) => eventually(() => status(tab), 'signed-in')));
      await tabs[1]!.evaluate(() => session.logout());
      await Promise.all(tabs.map((tab) => eventually(() => status(tab), 'signed-out')));
      expect(await getMe(tabs[2]!)).toBe('session-ended');
      const refused = await fetch(`${service.url}/api/v1/auth/me`, { headers: { authorization: `Bearer ${token}` } });
      expect(refused.status).toBe(401);
      await tabs[0]!.reload();
      await tabs[0]!.waitForFunction(() => typeof session !== 'undefined');
      expect(await restore(tabs[0]!)).toBe('signed-out');
    });
  });

  it('stays ended if a logout meets a refresh of another tab', async () => {
    await withFront(async (context, front) => {
      const [first, second] = await openTabs(2, context, front.url);
      await login(first!);
      await eventually(() => status(second!), 'signed-in');
      await Promise.all([first!, second!].map((tab) => moveClock(tab, HOUR_MS)));
      await Promise.allSettled([getMe(second!), first!.evaluate(() => session.logout())]);
      await Promise.all([first!, second!].map((tab) => eventually(() => status(tab), 'signed-out')));
      expect(await getMe(second!)).toBe('session-ended');
      await second!.reload();
      await second!.waitForFunction(() => typeof session !== 'undefined');
      expect(await restore(second!)).toBe('signed-out');
    });
  });

  it('ends in all tabs if the service has revoked it', async () => {
    await withFront(async (context, front) => {
      const [first, second] = await openTabs(2, context, front.url);
      await login(first!, { username: 'mia@acme.test', password: ALICE.password });
      await eventually(() => status(second!), 'signed-in');
      await first!.evaluate(async () => {
        const { sessionId } = session.getSnapshot() as { sessionId: string };
        await api.revokeMySession(session, { path: { sessionId } });
      });
      expect(await getMe(first!)).toBe('refresh-session-invalid');
      await Promise.all([first!, second!].map((tab) => eventually(() => status(tab), 'signed-out')));
    });
  });

  it('stays signed in if the logout does not reach the service', async () => {
    await withFront(async (context, front) => {
      const [first, second] = await openTabs(2, context, front.url);
      await login(first!);
      await eventually(() => status(second!), 'signed-in');
      await context.setOffline(true);
      const code = await first!.evaluate(() => session.logout().catch((error: { code: string }) => error.code));
      expect(code).toBe('service-unreachable');
      await context.setOffline(false);
      expect(await Promise.all([first!, second!].map(getMe))).toEqual([ALICE.username, ALICE.username]);
    });
  });
});

describe('time and network', () => {
  it.each([
    ['eight hours later', 8 * HOUR_MS],
    ['with a clock that was set back', -8 * HOUR_MS],
  ])('a laptop that wakes up %s refreshes once for all tabs', async (_, jump) => {
    await withFront(async (context, front) => {
      const tabs = await openTabs(3, context, front.url);
      await login(tabs[0]!);
      await Promise.all(tabs.map((tab) => eventually(() => status(tab), 'signed-in')));
      await Promise.all(tabs.map((tab) => moveClock(tab, jump)));
      expect(await Promise.all(tabs.map(getMe))).toEqual(Array(3).fill(ALICE.username));
      expect(front.refreshes.map((refresh) => refresh.status)).toEqual([200]);
    });
  });

  it('offline keeps the session, and the way back needs no reload', async () => {
    await withFront(async (context, front) => {
      const [first, second] = await openTabs(2, context, front.url);
      await login(first!);
      await eventually(() => status(second!), 'signed-in');
      await context.setOffline(true);
      await Promise.all([first!, second!].map((tab) => moveClock(tab, HOUR_MS)));
      expect(await Promise.all([first!, second!].map(getMe))).toEqual(Array(2).fill('service-unreachable'));
      expect(await Promise.all([first!, second!].map(status))).toEqual(['signed-in', 'signed-in']);
      await context.setOffline(false);
      await eventually(() => Promise.all([first!, second!].map(getMe)), [ALICE.username, ALICE.username]);
      expect(await Promise.all([first!, second!].map(history))).not.toContain('signed-out');
    });
  });
});

describe('sessions that stay apart', () => {
  it('two users in two browsers', async () => {
    await withFront(async (context, front) => {
      const other = await browser.newContext();
      const [alice, gina] = await Promise.all([openTab(context, front.url), openTab(other, front.url)]);
      await Promise.all([login(alice, ALICE), login(gina, GINA)]);
      expect(await Promise.all([getMe(alice), getMe(gina)])).toEqual([ALICE.username, GINA.username]);
      await gina.evaluate(() => session.logout());
      expect(await getMe(alice)).toBe(ALICE.username);
      await other.close();
    });
  });

  it('two front-end origins in one browser, each with a family of its own', async () => {
    const ports = [await freePort(), await freePort()];
    const shared = await startService('sqlite', {
      'app.security.refresh-session.cookie-per-origin': 'true',
      'app.http.cors.allowed-origins': ports.map((port) => `http://127.0.0.1:${port}`).join(),
    });
    const fronts = await Promise.all(ports.map((port) => startFront(shared.url, port)));
    const context = await browser.newContext();
    await installClock(context);
    const [shop, desk] = await Promise.all(fronts.map(({ url }) => openTab(context, url, { baseUrl: shared.url })));
    await login(shop!, ALICE);
    await login(desk!, GINA);
    for (const _ of [1, 2]) {
      await Promise.all([shop!, desk!].map((tab) => moveClock(tab, HOUR_MS)));
      expect(await Promise.all([getMe(shop!), getMe(desk!)])).toEqual([ALICE.username, GINA.username]);
    }
    await desk!.evaluate(() => session.logout());
    await moveClock(shop!, HOUR_MS);
    expect(await getMe(shop!)).toBe(ALICE.username);
    await Promise.all([context.close(), ...fronts.map((front) => front.close())]);
    await shared.stop();
  });
});
