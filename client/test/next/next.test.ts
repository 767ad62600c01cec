// A project of Next that uses the published package: built, served, and used in Chromium against the service.
import { execFileSync } from 'node:child_process';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { endProcesses, freePort, PROJECT } from '../../../test/support/service-process.ts';
import { launchBrowser } from '../support/chromium.ts';
import { collectProblems, startServer, submit } from '../support/frameworks.ts';
import { startService } from '../support/services.ts';
import { ALICE } from '../support/tabs.ts';
import { installPublished } from '../package/published.ts';

let folder: string;
let browser: Browser;
let url: string;
const ended: (() => unknown)[] = [];

describe('Next', () => {
  beforeAll(async () => {
    folder = installPublished(join(PROJECT, 'client/examples/next'));
    const service = await startService('sqlite');
    const config = join(folder, 'next.config.ts');
    writeFileSync(config, readFileSync(config, 'utf8').replace('http://localhost:8080', service.url));
    const next = join(folder, 'node_modules/next/dist/bin/next');
    const env = { ...process.env, NEXT_TELEMETRY_DISABLED: '1', NODE_ENV: 'production' as const };
    execFileSync(process.execPath, [next, 'build'], { cwd: folder, stdio: 'inherit', env });
    url = `http://localhost:${await freePort()}/`;
    const server = await startServer(url, folder, [next, 'start', '--port', new URL(url).port]);
    ended.push(() => server.kill());
    browser = await launchBrowser();
    ended.push(() => browser.close());
  }, 900_000);
  afterAll(async () => {
    for (const end of ended) await end();
    await endProcesses();
    rmSync(folder, { recursive: true });
  });

  it('renders the state loading on the server', async () => {
    expect(await (await fetch(url)).text()).toContain('<h1>Shop</h1><p role="status">One moment …</p>');
  });

  it('logs in, keeps the session over a reload, and logs out', async () => {
    const page = await browser.newPage();
    const problems = collectProblems(page);
    await page.goto(url);
    await submit(page, ALICE);
    const logOut = page.getByRole('button', { name: `Log out ${ALICE.username}` });
    await logOut.waitFor();
    await page.reload();
    await logOut.click();
    await page.locator('[name=username]').waitFor();
    expect(problems).toEqual([]);
  });
});
