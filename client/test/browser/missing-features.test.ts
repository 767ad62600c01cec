// Features that older Firefox and Safari lack, and every browser on a page without HTTPS and not on localhost.
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { endProcesses } from '../../../test/support/service-process.ts';
import { ROUNDS } from '../../../test/support/rounds.ts';
import { launchBrowser } from '../support/chromium.ts';
import { startFront } from '../support/front.ts';
import { startService, type Service } from '../support/services.ts';
import { eventually, getMe, history, login, openTabs, restore, snapshot } from '../support/tabs.ts';

const TABS = 3;
/** Calls of each tab, over some seconds at night. */
const CALLS = 5 * ROUNDS;
let browser: Browser;
let service: Service;

beforeAll(async () => {
  browser = await launchBrowser();
  service = await startService('sqlite', { 'app.security.access-token-ttl': '1s' });
});
afterAll(async () => {
  await browser.close();
  await endProcesses();
});

const WITHOUT: readonly [string, string][] = [
  ['Web Locks', `delete Navigator.prototype.locks;`],
  ['BroadcastChannel', `delete globalThis.BroadcastChannel;`],
  ['both', `delete Navigator.prototype.locks; delete globalThis.BroadcastChannel;`],
];

describe.each(WITHOUT)('without %s', (_, script) => {
  it('three tabs keep one session, and the logout reaches all', async () => {
    const front = await startFront(service.url);
    const context = await browser.newContext();
    await context.addInitScript(script);
    const tabs = await openTabs(TABS, context, front.url);
    await login(tabs[0]!);
    expect(await Promise.all(tabs.map(restore))).toEqual(Array(TABS).fill('signed-in'));

    const hammered = tabs.map((tab) =>
      tab.evaluate(async (calls) => {
        const codes: string[] = [];
        for (let call = 0; call < calls; call += 1) {
          await api.getMe(session).catch((error: { code: string }) => codes.push(error.code));
          await new Promise((resolve) => setTimeout(resolve, 200 * Math.random()));
        }
        return codes;
      }, CALLS),
    );
    // A token that is won at the end of a second may be over before its request arrives.
    expect((await Promise.all(hammered)).flat().filter((code) => code !== 'unauthorized')).toEqual([]);
    expect((await Promise.all(tabs.map(history))).flat()).not.toContain('signed-out');
    expect(front.refreshes.filter(({ status }) => status !== undefined && status !== 200)).toEqual([]);

    await tabs[0]!.evaluate(() => session.logout());
    for (const tab of tabs) await eventually(async () => (await snapshot(tab)).status, 'signed-out');
    expect(await getMe(tabs[2]!)).toBe('session-ended');
    await context.close();
    await front.close();
  });
});
