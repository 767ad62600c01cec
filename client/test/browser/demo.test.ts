// The DEV pages in the browser, by mouse, by keyboard and for assistive technology.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { endProcesses } from '../../../test/support/service-process.ts';
import { launchBrowser } from '../support/chromium.ts';
import { startService, type Service } from '../support/services.ts';
import { eventually } from '../support/tabs.ts';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const VIEWS = [
  { width: 360, theme: 'light' },
  { width: 1600, theme: 'dark' },
] as const;
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

/** Runs with a browser of its own; fails if a page complains, or asks anything of another origin. */
async function withPages(
  options: BrowserContextOptions,
  play: (context: BrowserContext) => Promise<void>,
  at = service,
): Promise<void> {
  const context = await browser.newContext(options);
  const complaints: string[] = [];
  context.on('weberror', (error) => complaints.push(String(error.error())));
  context.on('console', (message) => {
    // The browser itself notes the 401 that says that there is no session.
    if (message.type() === 'error' && !message.text().includes('401')) complaints.push(message.text());
  });
  context.on('request', (request) => {
    const url = new URL(request.url());
    if (url.protocol !== 'blob:' && url.origin !== new URL(at.url).origin) complaints.push(request.url());
  });
  await play(context);
  await context.close();
  expect(complaints).toEqual([]);
}

async function openDemo(context: BrowserContext, at = service): Promise<Page> {
  const page = await context.newPage();
  await page.goto(`${at.url}/demo`);
  return page;
}

async function logIn(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Log in' }).click();
  await page.getByRole('heading', { name: 'Session', exact: true }).waitFor();
  await page.getByText('20 products').waitFor();
}

const generation = (page: Page) => page.locator('dt:text-is("Generation") + dd').textContent();
const logOf = async (page: Page) => (await page.getByRole('log').textContent())!;

/** What the rules of WCAG 2.2 AA object to. */
async function findBarriers(page: Page): Promise<string[]> {
  await page.evaluate(AXE);
  return page.evaluate(async () => {
    const { axe } = window as unknown as { axe: { run: (options: object) => Promise<{ violations: Violation[] }> } };
    interface Violation {
      id: string;
      nodes: { target: string[] }[];
    }
    const values = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];
    const { violations } = await axe.run({ runOnly: { type: 'tag', values } });
    return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ target }) => target.join(' ')).join(', ')}`);
  });
}

const isWithinWidth = (page: Page) =>
  page.evaluate(() => document.documentElement.scrollWidth <= document.documentElement.clientWidth);

describe('the demo', () => {
  it('shares one session between two tabs, and logs both out', async () => {
    await withPages({}, async (context) => {
      const first = await openDemo(context);
      await logIn(first);
      expect(await generation(first)).toBe('1');
      const [second] = await Promise.all([
        context.waitForEvent('page'),
        first.getByRole('link', { name: 'Open a second tab' }).click(),
      ]);
      await second.getByRole('heading', { name: 'Session', exact: true }).waitFor();
      await eventually(() => generation(first), '2');
      await second.getByRole('button', { name: 'Refresh now' }).click();
      await Promise.all([first, second].map((page) => eventually(() => generation(page), '3')));
      expect(await logOf(first)).toContain('Token of generation 3, from another tab');
      expect(await logOf(second)).toContain('Token of generation 3.');

      await second.getByRole('button', { name: 'Log out everywhere' }).click();
      await first.getByRole('heading', { name: 'Log in' }).waitFor();
      expect(await first.getByRole('status').first().textContent()).toBe('Not logged in');
    });
  });

  it('shows products page by page, and an uploaded image', async () => {
    await withPages({}, async (context) => {
      const page = await openDemo(context);
      await logIn(page);
      const names = () => page.getByRole('rowheader').allTextContents();
      const before = await names();
      expect(before).toHaveLength(5);
      await page.getByRole('button', { name: 'Next page' }).click();
      await page.getByText('2 of 4').waitFor();
      expect((await names()).filter((name) => before.includes(name))).toEqual([]);
      expect(await page.getByRole('button', { name: 'Previous page' }).isEnabled()).toBe(true);

      await page.getByRole('button', { name: 'Upload' }).click();
      const image = page.getByRole('img', { name: /^Image \d+ of / });
      await image.waitFor();
      expect(await image.evaluate((element) => (element as HTMLImageElement).naturalWidth)).toBe(480);
    });
  });

  it('works by keyboard alone', async () => {
    await withPages({}, async (context) => {
      const page = await openDemo(context);
      await page.getByRole('heading', { name: 'Log in' }).waitFor();
      const focus = () => page.evaluate(() => document.activeElement?.textContent?.trim() ?? '');
      const tabTo = async (text: string) => {
        for (let presses = 0; (await focus()) !== text; presses += 1) {
          expect(presses).toBeLessThan(30);
          await page.keyboard.press('Tab');
        }
      };
      await tabTo('Log in');
      await page.keyboard.press('Enter');
      await eventually(focus, 'Session');
      await tabTo('Refresh now');
      await page.keyboard.press('Enter');
      await eventually(() => generation(page), '2');
      await tabTo('Next page');
      await page.keyboard.press('Enter');
      await page.getByText('2 of 4').waitFor();
      await page.evaluate(() => document.getElementById('session-title')!.focus());
      await tabTo('Log out');
      await page.keyboard.press('Enter');
      await eventually(() => page.evaluate(() => document.activeElement?.id), 'username');
    });
  });

  it('shows the error of a login', async () => {
    await withPages({}, async (context) => {
      const page = await openDemo(context);
      await page.getByLabel('Password').fill('wrong');
      await page.getByRole('button', { name: 'Log in' }).click();
      const password = page.getByLabel('Password');
      await page.locator('#password-error:has-text("bad-credentials")').waitFor();
      expect(await password.getAttribute('aria-invalid')).toBe('true');
      expect(await password.evaluate((field) => field === document.activeElement)).toBe(true);
    });
  });

  it('speaks Profile B where the service does', async () => {
    const other = await startService('sqlite', { 'app.security.auth-profile': 'B' });
    const play = async (context: BrowserContext) => {
      const page = await openDemo(context, other);
      await logIn(page);
      await page.reload();
      await eventually(() => generation(page), '2');
      await page.getByRole('button', { name: 'Log out', exact: true }).click();
      await page.getByRole('heading', { name: 'Log in' }).waitFor();
    };
    await withPages({}, play, other);
    await other.stop();
  });
});

describe.each(VIEWS)('at $width px, $theme', ({ width, theme }) => {
  it('the start page and the demo fit, and have no barriers', async () => {
    await withPages({ viewport: { width, height: 900 }, colorScheme: theme }, async (context) => {
      const page = await openDemo(context);
      await page.getByRole('heading', { name: 'Log in' }).waitFor();
      expect(await findBarriers(page)).toEqual([]);
      expect(await isWithinWidth(page)).toBe(true);
      await logIn(page);
      expect(await findBarriers(page)).toEqual([]);
      expect(await isWithinWidth(page)).toBe(true);
      await page.goto(`${service.url}/`);
      expect(await findBarriers(page)).toEqual([]);
      expect(await isWithinWidth(page)).toBe(true);
    });
  });
});

describe('the start page', () => {
  it('links to pages that are there', async () => {
    await withPages({}, async (context) => {
      const page = await context.newPage();
      await page.goto(`${service.url}/`);
      const links = await page
        .getByRole('link')
        .evaluateAll((all) => all.map((link) => (link as HTMLAnchorElement).href));
      expect(links.length).toBeGreaterThan(8);
      const statuses = await Promise.all(links.map(async (link) => [link, (await fetch(link)).status]));
      expect(statuses.filter(([, status]) => status !== 200)).toEqual([]);
    });
  });
});

describe('the page of the API', () => {
  it('has the name of the service, and leads back to the start page', async () => {
    await withPages({}, async (context) => {
      const page = await context.newPage();
      await page.goto(`${service.url}/docs`);
      await page.getByRole('heading', { name: 'API', exact: true }).waitFor();
      expect(await page.title()).toBe('API · Authservice');
      await page.getByRole('link', { name: 'Start', exact: true }).click();
      await page.getByRole('heading', { name: 'The service is running' }).waitFor();
    });
  });
});
