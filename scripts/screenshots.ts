// Takes the screenshots of the documents: `node scripts/screenshots.ts`, or some of them: `node scripts/screenshots.ts console login`.
// All values that change, such as times, are replaced, so the same pages give the same pictures.
import { spawn, type ChildProcess } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Browser, Page, Route } from 'playwright-core';
import { launchBrowser } from '../client/test/support/chromium.ts';

const PROJECT = join(import.meta.dirname, '..');
const TARGET = join(PROJECT, 'docs/images');
const PASSWORD = 'demo-password-1';
const NOW = '2027-01-31T12:00:00.000Z';
const HOUR_MS = 3_600_000;
const HOURS = 48;

interface Shot {
  readonly name: string;
  readonly path: string;
  readonly width: number;
  readonly height: number;
  readonly theme?: 'dark';
  /** Account of the demo that is logged in. */
  readonly username?: string;
}

const SHOTS: readonly Shot[] = [
  { name: 'login', path: '/login', width: 800, height: 720 },
  { name: 'account', path: '/account', width: 1280, height: 860, username: 'alice@acme.test' },
  { name: 'console', path: '/console', width: 1280, height: 780, username: 'root' },
  { name: 'console-dark', path: '/console', width: 1280, height: 780, theme: 'dark', username: 'root' },
  { name: 'console-narrow', path: '/console/users', width: 360, height: 780, theme: 'dark', username: 'root' },
  { name: 'api', path: '/docs/createUser', width: 1280, height: 860 },
];

async function take(browser: Browser, base: string, shot: Shot): Promise<void> {
  const { name, path, width, height, theme = 'light', username } = shot;
  const context = await browser.newContext({
    viewport: { width, height },
    colorScheme: theme,
    reducedMotion: 'reduce',
    locale: 'en-GB',
    timezoneId: 'UTC',
  });
  if (username !== undefined) {
    const { status } = await context.request
      .post(`${base}/api/v1/auth/login`, { data: { username, password: PASSWORD } })
      .then((response) => ({ status: response.status() }));
    if (status !== 200) throw new Error(`${username} cannot log in: ${status}`);
  }
  const page = await context.newPage();
  await page.route('**/api/v1/**', withoutTimes);
  await page.route('**/api/v1/statistics*', withSamples);
  await page.goto(base + path);
  await waitUntilLoaded(page);
  await page.locator('.code-block code').evaluateAll((blocks, origin) => {
    for (const code of blocks) code.textContent = code.textContent.replace(origin, 'http://localhost:8080');
  }, base);
  await page.screenshot({ path: join(TARGET, `${name}.png`), animations: 'disabled', caret: 'hide' });
  await context.close();
  console.log(`${name}.png`);
}

async function waitUntilLoaded(page: Page): Promise<void> {
  await page.getByRole('heading', { level: 1 }).waitFor();
  await page.waitForLoadState('networkidle');
  await page.locator('main:not(:has([aria-busy="true"]))').waitFor();
}

/** Replaces the times of a response. */
async function withoutTimes(route: Route): Promise<void> {
  const response = await route.fetch();
  const text = await response.text();
  const body = text.replaceAll(/"20\d\d-\d\d-\d\dT[^"]*"/g, JSON.stringify(NOW));
  await route.fulfill({ response, body });
}

/** Replaces the numbers of the logins: few at night, most at noon. */
async function withSamples(route: Route): Promise<void> {
  const response = await route.fetch();
  const statistics = (await response.json()) as Record<string, unknown>;
  const end = Date.parse(NOW);
  const hours = Array.from({ length: HOURS }, (_, index) => {
    const start = new Date(end - (HOURS - 1 - index) * HOUR_MS);
    const day = Math.max(0, Math.sin(((start.getUTCHours() - 5) / 16) * Math.PI));
    const logins = Math.round(12 + 180 * day + ((index * 7) % 11));
    const failures = Math.round(logins / 14) + (index === 31 ? 64 : 0);
    const failuresByReason = [
      { reason: 'BAD_CREDENTIALS', count: Math.ceil(failures * 0.8) },
      { reason: 'ACCOUNT_NOT_FOUND', count: Math.floor(failures * 0.2) },
    ];
    const authorizationsByApplication = [
      { clientId: 'wiki', name: 'Wiki', count: Math.ceil(logins * 0.4) },
      { clientId: 'board', name: 'Board', count: Math.floor(logins * 0.2) },
    ];
    const authorizations = authorizationsByApplication.reduce((sum, { count }) => sum + count, 0);
    const counts = { logins, failures, locks: index === 31 ? 6 : 0, authorizations, otherAuthorizations: 0 };
    return { start: start.toISOString(), ...counts, failuresByReason, authorizationsByApplication };
  });
  await route.fulfill({ response, json: { ...statistics, hours, openSessions: 1_284, countedAt: NOW } });
}

/** Starts the service with its demo data. Resolves with its URL when it is ready. */
async function startService(folder: string): Promise<{ service: ChildProcess; url: string }> {
  const ports = ['http', 'rpc', 'management'].map((name) => `--app.${name}.port=0`);
  const database = `--app.database.url=sqlite:${join(folder, 'service.db')}`;
  const more = ['--app.public-url=none', '--app.brand.name=Example'];
  const service = spawn(
    process.execPath,
    [join(PROJECT, 'gateway/main.ts'), '--app.env=DEV', ...ports, database, ...more],
    { cwd: folder, stdio: ['ignore', 'pipe', 'inherit'] },
  );
  for await (const line of createInterface(service.stdout)) {
    const { msg, http } = (line.startsWith('{') ? JSON.parse(line) : {}) as { msg?: string; http?: string };
    if (msg === 'ready') return { service, url: http!.replace('127.0.0.1', 'localhost') };
  }
  throw new Error('The service did not start');
}

const names = process.argv.slice(2);
const shots = names.length === 0 ? SHOTS : SHOTS.filter(({ name }) => names.includes(name));
if (shots.length < names.length) throw new Error(`the pictures are ${SHOTS.map(({ name }) => name).join(', ')}`);
const folder = mkdtempSync(join(tmpdir(), 'screenshots-'));
const { service, url } = await startService(folder);
const browser = await launchBrowser();
try {
  for (const shot of shots) await take(browser, url, shot);
} finally {
  await browser.close();
  service.kill();
  rmSync(folder, { recursive: true });
}
