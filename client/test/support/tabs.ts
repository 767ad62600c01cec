// What tests do in the tabs of a browser.
import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import type { BrowserContext, Page } from 'playwright-core';
import { expect } from 'vitest';
import type * as clientModule from '../../src/index.ts';
import type * as apiModule from '../../src/operations.ts';

declare global {
  // What the page of the front end offers.
  var client: typeof clientModule;
  var api: typeof apiModule;
  var session: clientModule.Session;
  var seen: string[];
}

export const ALICE = { username: 'alice@acme.test', password: 'demo-password-1' };
export const GINA = { username: 'gina@globex.test', password: 'demo-password-1' };

/** For machines where others use the processors. */
const PATIENCE_MS = 90_000;

export type PageOptions = clientModule.SessionOptions & { readonly profile?: 'A' | 'B' };

/** Opens a tab on a front end. */
export async function openTab(context: BrowserContext, url: string, options: PageOptions = {}): Promise<Page> {
  const page = await context.newPage();
  page.setDefaultTimeout(PATIENCE_MS);
  await page.goto(`${url}#${encodeURIComponent(JSON.stringify(options))}`);
  await page.waitForFunction(() => typeof session !== 'undefined');
  return page;
}

export async function openTabs(count: number, context: BrowserContext, url: string, options?: PageOptions) {
  return Promise.all(Array.from({ length: count }, () => openTab(context, url, options)));
}

export const login = (page: Page, credentials = ALICE) =>
  page.evaluate((given) => session.login(given), { ...credentials, rememberMe: true });

export const restore = (page: Page) => page.evaluate(async () => (await session.restore()).status);

/** The status of a request that needs the session, or the code of its error. */
export const getMe = (page: Page): Promise<string> =>
  page.evaluate(() =>
    api.getMe(session).then(
      ({ data }) => data.username,
      (error: { code: string }) => error.code,
    ),
  );

export const snapshot = (page: Page) => page.evaluate(() => session.getSnapshot());

/** Every status that the tab has had since it was opened. */
export const history = (page: Page) => page.evaluate(() => seen);

/** Lets `moveClock` move the clocks of tabs that are opened afterwards. */
export async function installClock(context: BrowserContext): Promise<void> {
  await context.addInitScript(() => {
    const real = Date.now;
    Object.assign(window, { clockOffset: 0 });
    Date.now = () => real() + (window as unknown as { clockOffset: number }).clockOffset;
  });
}

/** Moves the clock of a tab; call `installClock` before the tab is opened. By default, the tab notices it as after a sleep. */
export const moveClock = (page: Page, ms: number, isNoticed = true) =>
  page.evaluate(
    ([offset, notices]) => {
      (window as unknown as { clockOffset: number }).clockOffset += offset;
      if (notices) document.dispatchEvent(new Event('visibilitychange'));
    },
    [ms, isNoticed] as const,
  );

/** Delays the messages that each tab receives from the others; call it before the tabs are opened. */
export async function delayMessages(context: BrowserContext, byMs: number): Promise<void> {
  await context.addInitScript((ms) => {
    const { addEventListener } = BroadcastChannel.prototype;
    BroadcastChannel.prototype.addEventListener = function (type: string, listener: unknown) {
      const call = listener as (event: Event) => void;
      addEventListener.call(this, type, (event) => void setTimeout(() => call(event), ms));
    };
  }, byMs);
}

/** Reads until the value is as wanted, or fails the test with the last one. */
export async function eventually<T>(read: () => Promise<T> | T, wanted: T, withinMs = 10_000): Promise<void> {
  const end = Date.now() + withinMs;
  let value = await read();
  while (!isDeepStrictEqual(value, wanted) && Date.now() < end) {
    await sleep(50);
    value = await read();
  }
  expect(value).toEqual(wanted);
}
