// Takes the screenshots of the docs from the running pages: `npx node client/test/screenshots.ts`.
import { spawn, type ChildProcess } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Browser } from 'playwright-core';
import { launchBrowser } from './support/chromium.ts';

const PROJECT = join(import.meta.dirname, '../..');
const TARGET = join(PROJECT, 'docs/images');

interface Shot {
  readonly name: string;
  readonly path: string;
  readonly width: number;
  readonly height: number;
  readonly theme: 'light' | 'dark';
  readonly login?: boolean;
}

const SHOTS: readonly Shot[] = [
  { name: 'start', path: '/', width: 1280, height: 620, theme: 'light' },
  { name: 'demo', path: '/demo', width: 1600, height: 1420, theme: 'light', login: true },
  { name: 'demo-narrow-dark', path: '/demo', width: 360, height: 740, theme: 'dark', login: true },
];

async function take(browser: Browser, base: string, { name, path, width, height, theme, login }: Shot): Promise<void> {
  const context = await browser.newContext({ viewport: { width, height }, colorScheme: theme, locale: 'en-GB' });
  const page = await context.newPage();
  await page.goto(base + path);
  if (login) {
    await page.getByRole('button', { name: 'Log in' }).click();
    await page.getByRole('heading', { name: 'Session', exact: true }).waitFor();
    const second = await context.newPage();
    await second.goto(base + path);
    await second.getByRole('heading', { name: 'Session', exact: true }).waitFor();
    await second.getByRole('button', { name: 'Refresh now' }).click();
    await page.getByText('from another tab').first().waitFor();
    await page.getByRole('button', { name: 'Upload' }).click();
    await page.getByRole('figure').waitFor();
    await page.evaluate(() => scrollTo(0, 0));
  }
  await page.screenshot({ path: join(TARGET, `${name}.png`) });
  await context.close();
}

/** Starts the service with its demo data; resolves with its URL once it is ready. */
async function startService(folder: string): Promise<{ service: ChildProcess; url: string }> {
  const ports = ['http', 'rpc', 'management'].map((name) => `--app.${name}.port=0`);
  const database = `--app.database.url=sqlite:${join(folder, 'service.db')}`;
  const service = spawn(process.execPath, [join(PROJECT, 'gateway/main.ts'), '--app.env=DEV', ...ports, database], {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  for await (const line of createInterface(service.stdout)) {
    const { msg, http } = (line.startsWith('{') ? JSON.parse(line) : {}) as { msg?: string; http?: string };
    // The name that npm run dev prints.
    if (msg === 'ready') return { service, url: http!.replace('127.0.0.1', 'localhost') };
  }
  throw new Error('The service did not start');
}

mkdirSync(TARGET, { recursive: true });
const folder = mkdtempSync(join(tmpdir(), 'screenshots-'));
const { service, url } = await startService(folder);
const browser = await launchBrowser();
try {
  for (const shot of SHOTS) await take(browser, url, shot);
} finally {
  await browser.close();
  service.kill();
  rmSync(folder, { recursive: true });
}
