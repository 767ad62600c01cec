// Refreshes of several tabs whose messages are late. In Chromium, the lock reaches the next tab before a message that was sent
// earlier in a quarter of all cases.
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { openBrowser } from './made-up-browser.ts';

/** Longer than a tab waits for its own message. */
const TOO_LATE_MS = 1_000;

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'], now: Date.UTC(2026, 0) }));
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

/** Two tabs of a session whose token has ended. */
async function twoTabs() {
  const browser = openBrowser();
  const [first, second] = [browser.openTab(), browser.openTab()];
  await first.login();
  await browser.quiet();
  expect(second.session.getSnapshot().status).toBe('signed-in');
  browser.endTokens();
  return { browser, first, second };
}

describe('two tabs refresh once', () => {
  it('if all messages are in time', async () => {
    const { browser, first, second } = await twoTabs();
    const [token, other] = await Promise.all([first.accessToken(), second.accessToken()]);
    expect(other).toBe(token);
    expect(browser.refreshes()).toBe(1);
  });

  it('if the new token is late on its way out of the tab that got it', async () => {
    const { browser, first, second } = await twoTabs();
    browser.onRefresh = () => first.hold('out');
    const tokens = [first.accessToken(), second.accessToken()];
    await browser.quiet();
    first.release();
    const [token, other] = await Promise.all(tokens);
    expect(other).toBe(token);
    expect(browser.refreshes()).toBe(1);
  });

  it('if the new token is late on its way into the tab that waits', async () => {
    const { browser, first, second } = await twoTabs();
    browser.onRefresh = () => second.hold('in');
    const tokens = [first.accessToken(), second.accessToken()];
    await browser.quiet();
    second.release();
    const [token, other] = await Promise.all(tokens);
    expect(other).toBe(token);
    expect(browser.refreshes()).toBe(1);
  });

  it('if the second one asks for the lock after the first one has released it', async () => {
    const { browser, first, second } = await twoTabs();
    browser.onRefresh = () => second.hold('in');
    const token = await first.accessToken();
    await browser.quiet();
    const other = second.accessToken();
    await browser.quiet();
    second.release();
    expect(await other).toBe(token);
    expect(browser.refreshes()).toBe(1);
  });
});

it('a tab whose messages do not arrive at all refreshes after a second', async () => {
  const { browser, first, second } = await twoTabs();
  browser.onRefresh = () => second.hold('in');
  const token = await first.accessToken();
  const other = second.accessToken();
  await browser.quiet();
  expect(browser.refreshes()).toBe(1);
  await vi.advanceTimersByTimeAsync(TOO_LATE_MS);
  expect(await other).not.toBe(token);
  expect(browser.refreshes()).toBe(2);
  second.release();
  await browser.quiet();
  // The older token that arrives now changes nothing.
  expect(await second.accessToken()).toBe(await other);
});
