// Projects of others that use the published package: TypeScript, a page rendered on a server, Vite, and a linked folder.
import { execFileSync, spawn } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { rolldown } from 'rolldown';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { npmPackages } from '../../../test/openapi/cache.ts';
import { endProcesses, freePort, PROJECT } from '../../../test/support/service-process.ts';
import { temporaryFolder } from '../../../test/support/temporary-folder.ts';
import { launchBrowser } from '../support/chromium.ts';
import { startService } from '../support/services.ts';
import { ALICE } from '../support/tabs.ts';
import { cloneClient, installPublished, npm } from './published.ts';

let folder: string;
const ended: (() => unknown)[] = [];

beforeAll(async () => {
  folder = installPublished();
  cpSync(join(PROJECT, 'client/examples'), folder, { recursive: true });
  const packages = await npmPackages('client-examples', join(PROJECT, 'client/examples'));
  cpSync(join(packages, '..'), join(folder, 'node_modules'), { recursive: true, force: false, verbatimSymlinks: true });
}, 480_000);
afterAll(async () => {
  for (const end of ended) await end();
  await endProcesses();
  rmSync(folder, { recursive: true });
});

const node = (script: string, cwd = folder) =>
  execFileSync(process.execPath, ['--input-type=module', '-e', script], { cwd, encoding: 'utf8' }).trim();

describe('TypeScript', () => {
  const strict = {
    target: 'es2022',
    jsx: 'react-jsx',
    strict: true,
    noUncheckedIndexedAccess: true,
    exactOptionalPropertyTypes: true,
    outDir: 'out',
  };
  const PAGES = ['login.ts', 'plain.ts', 'App.tsx', 'profile-b.ts', 'second-factor.ts'];

  const dom = ['es2023', 'dom', 'dom.iterable'];
  it.each([
    ['a page with a bundler', { module: 'preserve', moduleResolution: 'bundler', lib: dom, types: [] }, PAGES],
    ['a page with nodenext', { module: 'nodenext', lib: dom, types: ['node'], skipLibCheck: true }, PAGES],
    ['a program of Node, without the DOM', { module: 'nodenext', lib: ['es2023'], types: ['node'] }, ['machine.ts']],
  ])('compiles %s, checked strictly', (_name, options, include) => {
    writeFileSync(
      join(folder, 'tsconfig.json'),
      JSON.stringify({ compilerOptions: { ...strict, ...options }, include }),
    );
    execFileSync(join(PROJECT, 'node_modules/.bin/tsc'), ['-p', folder], { stdio: 'inherit' });
  });
});

describe('a server that renders React', () => {
  it('imports the example and renders the state loading, without the address of the service', async () => {
    const bundle = await rolldown({
      input: join(folder, 'App.tsx'),
      cwd: folder,
      external: /^[^./]/,
      logLevel: 'silent',
    });
    await bundle.write({ file: join(folder, 'rendered.js'), format: 'esm' });
    const script = `
      import App from './rendered.js';
      import { createElement } from 'react';
      import { renderToString } from 'react-dom/server';
      console.log(renderToString(createElement(App)));`;
    expect(node(script)).toBe('<p role="status">One moment …</p>');
  });
});

describe('a folder', () => {
  it('is installed by its path, and the client is imported from it after npm run build', () => {
    const clone = temporaryFolder('client-clone-');
    const app = temporaryFolder('client-app-');
    ended.push(() => [clone, app].forEach((path) => rmSync(path, { recursive: true })));
    const client = cloneClient(clone);
    npm(client, 'run', '-s', 'build');
    npm(app, 'install', '--silent', '--no-audit', '--no-fund', '--prefer-offline', client);
    const script = `import { createCookieSession } from 'authservice-client';
      import { listProducts } from 'authservice-client/operations';
      console.log(typeof createCookieSession(), typeof listProducts);`;
    expect(node(script, app)).toBe('object function');
  });
});

describe('Vite', () => {
  const HTML = `<!doctype html><form><input name="username"><input name="password" type="password">
    <button>Log in</button></form><output></output><ul></ul><script type="module" src="/plain.ts"></script>`;
  const vite = (...args: string[]) => [join(folder, 'node_modules/vite/bin/vite.js'), ...args];
  let browser: Browser;
  let url: string;

  beforeAll(async () => {
    const service = await startService('sqlite');
    const config = readFileSync(join(folder, 'vite.config.ts'), 'utf8');
    const target = service.url.replace('127.0.0.1', 'localhost');
    writeFileSync(join(folder, 'vite.config.ts'), config.replace('http://localhost:8080', target));
    writeFileSync(join(folder, 'index.html'), HTML);
    url = `http://localhost:${await freePort()}/`;
    const server = spawn(process.execPath, vite('--strictPort', '--port', new URL(url).port), { cwd: folder });
    ended.push(() => server.kill());
    const failed = new Promise<never>((_, reject) => {
      server.once('exit', (code) => reject(new Error(`Vite ended with ${code}`)));
    });
    await Promise.race([vi.waitFor(() => fetch(url), { timeout: 60_000, interval: 100 }), failed]);
    browser = await launchBrowser();
    ended.push(() => browser.close());
  });

  it('serves the page of the README with its proxy, and a reload keeps the session', async () => {
    const page = await browser.newPage();
    const warnings: string[] = [];
    page.on('console', (message) => message.type() === 'warning' && warnings.push(message.text()));
    await page.goto(url);
    await page.getByRole('button', { name: 'Log in' }).waitFor();
    await page.locator('[name=username]').fill(ALICE.username);
    await page.locator('[name=password]').fill(ALICE.password);
    await page.getByRole('button', { name: 'Log in' }).click();
    await page.locator('li').first().waitFor();
    await page.reload();
    await page.locator('li').first().waitFor();
    expect(await page.locator('output').textContent()).toBe(ALICE.username);
    expect(warnings).toEqual([]);
  });

  it('builds the page, with the client in it', () => {
    mkdirSync(join(folder, 'dist'), { recursive: true });
    const output = execFileSync(process.execPath, vite('build'), { cwd: folder, encoding: 'utf8', stdio: 'pipe' });
    expect(output).toMatch(/dist\/assets\/index-\S+\.js/);
  });
});
