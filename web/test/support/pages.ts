// Pages in the browser. Each test has a context of its own, and fails if a page violates its policy or loads from elsewhere.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core';
import { expect } from 'vitest';
import { startService, type Service } from '../../../client/test/support/services.ts';
import type { Engine } from '../../../test/support/databases.ts';
import { freePort } from '../../../test/support/free-port.ts';
import type { SettingFlags } from '../../../test/support/service-process.ts';
import { withWatchedPage } from './watched-page.ts';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const RULES = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];

/** Widths and colours in which each page must be usable. */
export const VIEWS = [
  { width: 360, colorScheme: 'light' },
  { width: 360, colorScheme: 'dark' },
  { width: 1280, colorScheme: 'light' },
  { width: 1280, colorScheme: 'dark' },
] as const;

/** A service whose public URL is known, so that it has passkeys. */
export async function startPublicService(engine: Engine, settings: SettingFlags = {}): Promise<Service> {
  const port = await freePort();
  const url = `http://localhost:${port}`;
  const service = await startService(engine, { 'app.http.port': String(port), 'app.public-url': url, ...settings });
  return { ...service, url };
}

/** Adds an authenticator that confirms everything at once. */
export async function addAuthenticator(page: Page): Promise<void> {
  const cdp = await page.context().newCDPSession(page);
  await cdp.send('WebAuthn.enable');
  await cdp.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  });
}

/** Runs in a browser context of its own. Fails if a page has an error, or sends a request to another origin. */
export const withPage = (
  browser: Browser,
  origin: string,
  run: (page: Page, context: BrowserContext) => Promise<void>,
  options: BrowserContextOptions = {},
): Promise<void> => withWatchedPage(browser, [origin], run, { ...options, script: reportLateFocus });

/**
 * Notes as an error what moves the focus, or sets the text of a field, in a timer or a frame. That is later than the
 * user sees the screen: keys that are pressed in between go to the wrong field, or are lost.
 */
function reportLateFocus(): void {
  let isLate = false;
  const late = (callback: (...args: unknown[]) => void, args: unknown[]) => {
    isLate = true;
    try {
      callback(...args);
    } finally {
      isLate = false;
    }
  };
  const complain = (what: string) => {
    if (isLate) console.error(`${what} after the user has seen the screen: ${new Error('here').stack}`);
  };
  const { setTimeout, requestAnimationFrame } = window;
  Object.assign(window, {
    setTimeout: (callback: () => void, ms?: number, ...args: unknown[]) =>
      setTimeout((...given: unknown[]) => late(callback, given), ms, ...args),
    requestAnimationFrame: (callback: (at: number) => void) =>
      requestAnimationFrame((at) => late(callback as () => void, [at])),
  });
  const { focus } = HTMLElement.prototype;
  HTMLElement.prototype.focus = function (options) {
    // The focus cannot move to an element that is no longer in the document.
    if (this.isConnected) complain('focus()');
    focus.call(this, options);
  };
  const { showModal } = HTMLDialogElement.prototype;
  HTMLDialogElement.prototype.showModal = function () {
    complain('showModal()');
    showModal.call(this);
  };
  const { get, set } = Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value')!;
  Object.defineProperty(HTMLInputElement.prototype, 'value', {
    get,
    set(text) {
      complain('value');
      set!.call(this, text);
    },
  });
}

/** Expects that a screen has no violation of WCAG 2.2 AA and no sideways scrolling, in all views. */
export async function expectNoBarriers(page: Page, screen: string): Promise<void> {
  for (const { width, colorScheme } of VIEWS) {
    await page.setViewportSize({ width, height: 800 });
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    // The colours alone depend on the scheme.
    const barriers = await findBarriers(page, colorScheme === 'light' ? ALL_RULES : CONTRAST);
    expect({ screen, width, colorScheme, barriers }).toMatchObject({ barriers: [] });
  }
}

const ALL_RULES = { type: 'tag', values: RULES } as const;
const CONTRAST = { type: 'rule', values: ['color-contrast'] } as const;

/** Returns the violations of WCAG 2.2 AA, and what leads to sideways scrolling. */
export async function findBarriers(
  page: Page,
  runOnly: typeof ALL_RULES | typeof CONTRAST = ALL_RULES,
): Promise<string[]> {
  if (!(await page.evaluate(() => 'axe' in window))) await page.evaluate(AXE);
  return page.evaluate(async (rules) => {
    interface Violation {
      readonly id: string;
      readonly nodes: readonly { readonly target: readonly string[] }[];
    }
    const { axe } = window as unknown as { axe: { run: (options: object) => Promise<{ violations: Violation[] }> } };
    const { violations } = await axe.run({ runOnly: rules });
    const { scrollWidth, clientWidth } = document.documentElement;
    return [
      ...violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ target }) => target.join(' ')).join(', ')}`),
      ...(scrollWidth > clientWidth ? [`scrolls sideways: ${scrollWidth} > ${clientWidth}`] : []),
    ];
  }, runOnly);
}
