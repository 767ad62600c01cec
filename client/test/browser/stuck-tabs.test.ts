// Tabs and services that freeze during a refresh.
import { setTimeout as sleep } from 'node:timers/promises';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ENGINES } from '../../../test/support/databases.ts';
import { endProcesses } from '../../../test/support/service-process.ts';
import { launchBrowser } from '../support/chromium.ts';
import { FOREVER, startFront, type Detour, type Front } from '../support/front.ts';
import { startService, type Service } from '../support/services.ts';
import { eventually, getMe, history, login, openTab, restore, snapshot } from '../support/tabs.ts';

/** Round trip and grace of the lock, with the spread of those who wait. */
const TAKEN_OVER_AFTER_MS = 25_000;
const SECOND = 1_000;
let browser: Browser;
let service: Service;

beforeAll(async () => {
  browser = await launchBrowser();
  service = await startService('sqlite', { 'app.security.access-token-ttl': '2s' });
});
afterAll(async () => {
  await browser.close();
  await endProcesses();
});

interface Scene {
  readonly context: BrowserContext;
  readonly front: Front;
  readonly first: Page;
  readonly second: Page;
}

/** Two tabs of one session whose token has expired; the next refresh takes the detour. */
async function withTwoTabs(detour: Detour, play: (scene: Scene) => Promise<void>, at = service): Promise<void> {
  const scene = lastScene.then(() => openScene(detour, at));
  // Scenes are opened one after the other and wait at the same time.
  lastScene = scene.catch(() => undefined);
  const { context, front, first, second } = await scene;
  await play({ context, front, first, second });
  await context.close();
  await front.close();
}

let lastScene: Promise<unknown> = Promise.resolve();

async function openScene(detour: Detour, at: Service): Promise<Scene> {
  const front = await startFront(at.url);
  const context = await browser.newContext();
  const first = await openTab(context, front.url);
  const second = await openTab(context, front.url);
  await login(first);
  await restore(second);
  front.refreshes.length = 0;
  front.detours.push(detour);
  await eventually(() => front.refreshes.length > 0, true);
  return { front, context, first, second };
}

/** Which of two tabs has sent the refresh that is under way. */
async function holderOf(first: Page, second: Page): Promise<{ holder: Page; other: Page }> {
  const held = await first.evaluate(async () => {
    const { held } = await navigator.locks.query();
    const own = await navigator.locks.request(
      `probe ${Math.random()}`,
      async () => (await navigator.locks.query()).held,
    );
    return { held, own };
  });
  const refreshLock = held.held!.find(({ name }) => name === 'service:refresh-session')!;
  const ownClient = held.own!.find(({ name }) => name?.startsWith('probe'))!.clientId;
  return refreshLock.clientId === ownClient ? { holder: first, other: second } : { holder: second, other: first };
}

/** Stops all of a tab's timers, messages and answers; Chromium's own freezing spares tabs that are seen. */
const freeze = async (context: BrowserContext, page: Page) => {
  const devtools = await context.newCDPSession(page);
  await devtools.send('Debugger.enable');
  await devtools.send('Debugger.pause');
  // It stops at the next statement.
  devtools.send('Runtime.evaluate', { expression: 'void 0' }).catch(() => undefined);
  return () => devtools.send('Debugger.disable');
};

const breakOff: Detour['respond'] = (response) => {
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': 100 }).write('{');
  setTimeout(() => response.destroy(), 100);
};

const crash = async (context: BrowserContext, page: Page) => {
  const devtools = await context.newCDPSession(page);
  devtools.send('Page.crash').catch(() => undefined);
  await page.waitForEvent('crash');
};

describe.concurrent('a tab that holds the lock', () => {
  it('is killed before the service has its refresh: the next tab refreshes', async () => {
    await withTwoTabs({ before: FOREVER }, async ({ front, context, first, second }) => {
      const { holder, other } = await holderOf(first, second);
      await crash(context, holder);
      const started = Date.now();
      expect(await getMe(other)).toBe('alice@acme.test');
      expect(Date.now() - started).toBeLessThan(8 * SECOND);
      expect(front.refreshes.map(({ status }) => status)).toEqual([undefined, 200]);
    });
  });

  it('is closed while the response is on its way: the next tab waits for the new cookie, and the session lives', async () => {
    const closed = Promise.withResolvers<void>();
    const afterwards = () => closed.promise.then(() => sleep(SECOND));
    await withTwoTabs({ after: afterwards }, async ({ front, first, second }) => {
      const { holder, other } = await holderOf(first, second);
      await holder.close();
      closed.resolve();
      expect(await getMe(other)).toBe('alice@acme.test');
      expect(front.refreshes.map(({ status }) => status)).toEqual([200, 200]);
      expect(await history(other)).not.toContain('signed-out');
    });
  });

  it('is reloaded while the response is on its way: the new page keeps the session', async () => {
    const reloaded = Promise.withResolvers<void>();
    const afterwards = () => reloaded.promise.then(() => sleep(SECOND));
    await withTwoTabs({ after: afterwards }, async ({ front, first, second }) => {
      const { holder, other } = await holderOf(first, second);
      await other.close();
      await holder.reload({ waitUntil: 'commit' });
      reloaded.resolve();
      await holder.waitForFunction(() => typeof session !== 'undefined');
      expect(await restore(holder)).toBe('signed-in');
      expect(front.refreshes.map(({ status }) => status)).toEqual([200, 200]);
    });
  });

  it('is frozen: the next tab waits no longer than the bounds, and the thawed one keeps the session', async () => {
    await withTwoTabs({ before: FOREVER }, async ({ front, context, first, second }) => {
      const { holder, other } = await holderOf(first, second);
      const thaw = await freeze(context, holder);
      const started = Date.now();
      expect(await getMe(other)).toBe('alice@acme.test');
      expect(Date.now() - started).toBeLessThan(TAKEN_OVER_AFTER_MS + 2 * SECOND);
      await thaw();
      await eventually(() => getMe(holder), 'alice@acme.test');
      expect(await getMe(other)).toBe('alice@acme.test');
      expect((await Promise.all([holder, other].map(history))).flat()).not.toContain('signed-out');
      expect(front.refreshes.filter(({ status }) => status !== undefined && status !== 200)).toEqual([]);
    });
  });
});

describe.concurrent('a service that hangs 20 s in refresh', () => {
  const HANG_MS = 20 * SECOND;

  it('rejects a refresh after 15 s, and the session continues when it responds again', async () => {
    await withTwoTabs({ before: () => sleep(HANG_MS) }, async ({ front, first, second }) => {
      const started = front.refreshes[0]!.from;
      const codes = await Promise.all([first, second].map(getMe));
      expect(codes).toEqual(['refresh-timeout', 'refresh-timeout']);
      expect(Date.now() - started).toBeGreaterThan(14 * SECOND);
      expect(Date.now() - started).toBeLessThan(17 * SECOND);
      expect((await snapshot(first)).status).toBe('signed-in');
      // The browser still waits for the response: a second refresh beside it would be a replay.
      await sleep(HANG_MS + 2 * SECOND - (Date.now() - started));
      expect(front.refreshes.filter(({ from }) => from < started + HANG_MS)).toHaveLength(1);
      await eventually(() => Promise.all([first, second].map(getMe)), ['alice@acme.test', 'alice@acme.test']);
      expect((await Promise.all([first, second].map(history))).flat()).not.toContain('signed-out');
    });
  });

  it.each(ENGINES)('frozen on %s: the session continues when it runs again', async (engine) => {
    const frozen = await startService(engine, { 'app.security.access-token-ttl': '2s' });
    const detour = { before: async () => frozen.process.signal('SIGSTOP') };
    const play = async ({ front, first, second }: Scene) => {
      const started = front.refreshes[0]!.from;
      setTimeout(() => frozen.process.signal('SIGCONT'), HANG_MS);
      expect(await Promise.all([first, second].map(getMe))).toEqual(['refresh-timeout', 'refresh-timeout']);
      await sleep(HANG_MS + 2 * SECOND - (Date.now() - started));
      await eventually(() => Promise.all([first, second].map(getMe)), ['alice@acme.test', 'alice@acme.test']);
      expect((await Promise.all([first, second].map(history))).flat()).not.toContain('signed-out');
    };
    await withTwoTabs(detour, play, frozen);
    await frozen.stop();
  });
});

describe.concurrent('a refresh that fails', () => {
  const refusals: readonly [string, Detour][] = [
    ['503 with Retry-After', { respond: (response) => response.writeHead(503, { 'retry-after': '2' }).end() }],
    ['429 with Retry-After', { respond: (response) => response.writeHead(429, { 'retry-after': '2' }).end() }],
  ];

  it.each(refusals)('%s keeps the session, and no tab asks again before that time', async (_, detour) => {
    await withTwoTabs(detour, async ({ front, first, second }) => {
      await sleep(300);
      const codes = await Promise.all([first, second].map(getMe));
      expect(codes.every((code) => code.startsWith('http-') || code === 'alice@acme.test')).toBe(true);
      await eventually(() => Promise.all([first, second].map(getMe)), ['alice@acme.test', 'alice@acme.test']);
      const [failed, next] = front.refreshes;
      expect(next!.from - failed!.from).toBeGreaterThanOrEqual(1.9 * SECOND);
      expect((await Promise.all([first, second].map(history))).flat()).not.toContain('signed-out');
    });
  });

  const interruptions: readonly [string, Detour][] = [
    ['a torn connection', { respond: (response) => response.destroy() }],
    ['a response that breaks off', { respond: breakOff }],
  ];

  it.each(interruptions)('by %s keeps the session', async (_, detour) => {
    await withTwoTabs(detour, async ({ first, second }) => {
      await eventually(() => Promise.all([first, second].map(getMe)), ['alice@acme.test', 'alice@acme.test']);
    });
  });
});
