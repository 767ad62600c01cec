import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ENGINES } from '../../../test/support/databases.ts';
import { endProcesses } from '../../../test/support/service-process.ts';
import { launchBrowser } from '../support/chromium.ts';
import { startFront } from '../support/front.ts';
import { startService } from '../support/services.ts';
import { history, login, openTabs, restore, snapshot } from '../support/tabs.ts';

const DURATION_MS = 30_000;
const TABS = 5;
let browser: Browser;

beforeAll(async () => {
  browser = await launchBrowser();
});
afterAll(async () => {
  await browser.close();
  await endProcesses();
});

/** Sends requests one after the other for a time; returns how often each outcome came. */
const hammer = (page: Page, forMs: number) =>
  page.evaluate(async (ms) => {
    const outcomes: Record<string, number> = {};
    const end = Date.now() + ms;
    while (Date.now() < end) {
      const outcome = await api.getMe(session).then(
        () => 'ok',
        (error: { code: string }) => error.code,
      );
      outcomes[outcome] = (outcomes[outcome] ?? 0) + 1;
      await new Promise((resolve) => setTimeout(resolve, 60 * Math.random()));
    }
    return outcomes;
  }, forMs);

describe.concurrent.each(ENGINES)('five tabs with tokens that expire each second, strict, on %s', (engine) => {
  it('keep one session for half a minute with one refresh per expiry', async () => {
    const service = await startService(engine, { 'app.security.access-token-ttl': '1s' });
    const front = await startFront(service.url);
    const context = await browser.newContext();
    const tabs = await openTabs(TABS, context, front.url);
    await login(tabs[0]!);
    const { sessionId } = (await snapshot(tabs[0]!)) as { sessionId: string };
    expect(await Promise.all(tabs.map(restore))).toEqual(Array(TABS).fill('signed-in'));
    const before = front.refreshes.length;

    const outcomes = await Promise.all(tabs.map((tab) => hammer(tab, DURATION_MS)));
    console.log(engine, outcomes, front.refreshes.length - before);

    const snapshots = await Promise.all(tabs.map(snapshot));
    expect(snapshots.map((each) => each.status === 'signed-in' && each.sessionId)).toEqual(Array(TABS).fill(sessionId));
    expect((await Promise.all(tabs.map(history))).flat()).not.toContain('signed-out');
    const answered = front.refreshes.filter(({ status }) => status !== undefined);
    expect(answered.filter(({ status }) => status !== 200)).toEqual([]);
    // One at a time, and none before the token of the one before it has expired.
    const early = answered.filter(({ from }, index) => index > before && from < answered[index - 1]!.expiresAt!);
    expect(early).toEqual([]);
    expect(answered.length - before).toBeGreaterThan(15);
    expect(outcomes.every(({ ok = 0 }) => ok > 50)).toBe(true);

    await context.close();
    await front.close();
    await service.stop();
  });
});
