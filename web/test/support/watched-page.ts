// A page whose errors and requests to other origins fail the test. This file knows no DOM, so that tests outside of `web` can import it.
import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core';
import { expect } from 'vitest';

const PATIENCE_MS = 20_000;

/** Failed requests that a test expects: the browser notes them, too. */
const REFUSED =
  /^Failed to load resource: (?:the server responded with a status of 4|net::ERR_(?:FAILED|INTERNET_DISCONNECTED|INCOMPLETE_CHUNKED_ENCODING|CONNECTION_RESET|EMPTY_RESPONSE))/;

interface WatchedPageOptions extends BrowserContextOptions {
  /** Runs in each page before its own scripts. */
  readonly script?: () => void;
}

/** Runs in a browser context of its own. Fails if a page has an error, or sends a request to another origin than these. */
export async function withWatchedPage(
  browser: Browser,
  origins: readonly string[],
  run: (page: Page, context: BrowserContext) => Promise<void>,
  { script, ...options }: WatchedPageOptions = {},
): Promise<void> {
  const context = await browser.newContext({ locale: 'en-GB', ...options });
  const complaints: string[] = [];
  context.on('weberror', (error) => complaints.push(String(error.error())));
  context.on('console', (message) => {
    if (message.type() === 'error' && !REFUSED.test(message.text())) complaints.push(message.text());
  });
  context.on('request', (request) => {
    const url = new URL(request.url());
    if (/^https?:$/.test(url.protocol) && !origins.includes(url.origin)) complaints.push(`request to ${request.url()}`);
  });
  if (script) await context.addInitScript(script);
  const page = await context.newPage();
  page.setDefaultTimeout(PATIENCE_MS);
  try {
    await run(page, context);
  } finally {
    await context.close();
  }
  expect(complaints).toEqual([]);
}
