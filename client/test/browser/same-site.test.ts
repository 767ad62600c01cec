// A page and a service on two names of this machine: the browser keeps the refresh cookie only if they are one site.
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { endProcesses } from '../../../test/support/service-process.ts';
import { launchBrowser } from '../support/chromium.ts';
import { startFront, type Front } from '../support/front.ts';
import { startService, type Service } from '../support/services.ts';
import { login, openTab, restore } from '../support/tabs.ts';

let browser: Browser;
let service: Service;
let front: Front;

beforeAll(async () => {
  browser = await launchBrowser();
  service = await startService('sqlite');
  front = await startFront(service.url);
});
afterAll(async () => {
  await front.close();
  await browser.close();
  await endProcesses();
});

const on = (host: string, url: string) => url.replace('127.0.0.1', host);

it.each([
  ['localhost', 'localhost', 'signed-in', 0],
  ['127.0.0.1', '127.0.0.1', 'signed-in', 0],
  ['localhost', '127.0.0.1', 'signed-out', 1],
  ['127.0.0.1', 'localhost', 'signed-out', 1],
])('a page on %s with the service on %s is %s after a reload, with %i warnings', async (page, api, status, count) => {
  const context = await browser.newContext();
  const warnings: string[] = [];
  context.on('console', (message) => message.text().includes('different sites') && warnings.push(message.text()));
  const options = { baseUrl: on(api, service.url) };
  const tab = await openTab(context, on(page, front.url), options);
  await login(tab);
  expect(warnings).toHaveLength(count);
  await tab.close();
  expect(await restore(await openTab(context, on(page, front.url), options))).toBe(status);
  await context.close();
});
