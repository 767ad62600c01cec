// Projects of a user: the templates of React and Vue that `npm create vite` makes, with the files of the README pasted into them and
// the published package. They are compiled, built, and used in Chromium against the service.
import { execFileSync } from 'node:child_process';
import { cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { npmPackages } from '../../../test/openapi/cache.ts';
import { endProcesses, freePort, PROJECT } from '../../../test/support/service-process.ts';
import { launchBrowser } from '../support/chromium.ts';
import { createCookieSession } from '../../src/index.ts';
import { createUser } from '../../src/operations.ts';
import { collectProblems, enrolTotp, startServer, submit } from '../support/frameworks.ts';
import { startService, type Service } from '../support/services.ts';
import { ALICE, GINA } from '../support/tabs.ts';
import { installPublished } from './published.ts';

const EXAMPLES = join(PROJECT, 'client/examples');

interface Consumer {
  readonly template: string;
  /** The examples that replace files in `src` of the template. */
  readonly files: readonly string[];
  /** What the template compiles with. The folder of packages has the TypeScript that vue-tsc needs. */
  readonly compiler: string;
  /** A page whose session is known before it takes over what a server has rendered. */
  readonly late: { readonly script: string; readonly source: string };
}

const CONSUMERS: Readonly<Record<string, Consumer>> = {
  React: {
    template: 'react-ts',
    files: ['App.tsx'],
    compiler: join(PROJECT, 'node_modules/typescript/bin/tsc'),
    late: {
      script: 'late.tsx',
      source: `import { createCookieSession } from 'authservice-client';
        import { SessionProvider, useSession } from 'authservice-client/react';
        import { hydrateRoot } from 'react-dom/client';
        const session = createCookieSession();
        const Status = () => <p role="status">{useSession().status}</p>;
        await session.restore();
        hydrateRoot(document.querySelector('#app')!, <SessionProvider session={session}><Status /></SessionProvider>,
          { onRecoverableError: (error) => console.error(error) });`,
    },
  },
  Vue: {
    template: 'vue-ts',
    files: ['App.vue', 'main.ts'],
    compiler: 'vue-tsc/bin/vue-tsc.js',
    late: {
      script: 'late.ts',
      source: `import { createCookieSession } from 'authservice-client';
        import { createSessionPlugin, useSession } from 'authservice-client/vue';
        import { createSSRApp, h } from 'vue';
        const session = createCookieSession();
        const Status = { setup() { const { status } = useSession(); return () => h('p', { role: 'status' }, status.value); } };
        await session.restore();
        createSSRApp(Status).use(createSessionPlugin(session)).mount('#app');`,
    },
  },
};

let folder: string;
let service: Service;
let browser: Browser;
const ended: (() => unknown)[] = [];

beforeAll(async () => {
  folder = installPublished();
  const packages = await npmPackages('client-examples', EXAMPLES);
  cpSync(join(packages, '..'), join(folder, 'node_modules'), { recursive: true, force: false, verbatimSymlinks: true });
  browser = await launchBrowser();
  ended.push(() => browser.close());
  service = await startService('sqlite');
}, 480_000);
afterAll(async () => {
  for (const end of ended) await end();
  await endProcesses();
  rmSync(folder, { recursive: true });
});

/** A program of a package that the projects use. */
const program = (path: string) => resolve(folder, 'node_modules', path);

/** Makes, compiles and builds the project of a user, and serves the result. */
async function build(name: string, { template, files, compiler, late }: Consumer): Promise<string> {
  const project = join(folder, name.toLowerCase());
  const run = (path: string, args: readonly string[], cwd = project) =>
    execFileSync(process.execPath, [program(path), ...args], { cwd, encoding: 'utf8', stdio: 'pipe' });
  run('create-vite/index.js', [name.toLowerCase(), '--template', template, '--no-interactive'], folder);
  for (const file of files) cpSync(join(EXAMPLES, file), join(project, 'src', file));
  const proxy = /server: .*/.exec(readFileSync(join(EXAMPLES, 'vite.config.ts'), 'utf8'))![0];
  const pages = `build: { rolldownOptions: { input: ['index.html', 'late.html'] } },`;
  const config = join(project, 'vite.config.ts');
  const withProxy = readFileSync(config, 'utf8').replace(/plugins: .*/, (plugins) => `${plugins}\n${proxy}`);
  writeFileSync(config, withProxy);
  run(compiler, ['-b']);

  const target = service.url.replace('127.0.0.1', 'localhost');
  writeFileSync(config, withProxy.replace('http://localhost:8080', target).replace('server:', `${pages} server:`));
  writeFileSync(join(project, late.script), late.source);
  const body = `<div id="app"><p role="status">loading</p></div><script type="module" src="/${late.script}"></script>`;
  writeFileSync(join(project, 'late.html'), `<!doctype html><title>Shop</title>${body}`);
  const vite = program('vite/bin/vite.js');
  run(vite, ['build']);
  const url = `http://localhost:${await freePort()}/`;
  const server = await startServer(url, project, [vite, 'preview', '--strictPort', '--port', new URL(url).port]);
  ended.push(() => server.kill());
  return url;
}

describe.each([
  ['React', ALICE],
  ['Vue', GINA],
])('the template of Vite for %s', (name, user) => {
  let url: string;
  beforeAll(async () => {
    url = await build(name, CONSUMERS[name]!);
  });

  const logOut = (of: Page) => of.getByRole('button', { name: `Log out ${user.username}` });
  async function open(path = ''): Promise<{ tab: Page; problems: string[] }> {
    const context = await browser.newContext();
    const tab = await context.newPage();
    const problems = collectProblems(tab);
    await tab.goto(url + path);
    return { tab, problems };
  }

  it('logs in, keeps the session over a reload, and logs out in all tabs', async () => {
    const { tab, problems } = await open();
    await submit(tab, { ...user, password: 'wrong-password-1' });
    await tab.locator('output', { hasText: 'This username or password is wrong.' }).waitFor();
    await submit(tab, user);
    await logOut(tab).waitFor();
    expect(await tab.locator('output').textContent()).toBe('');
    await tab.reload();
    await logOut(tab).waitFor();
    const other = await tab.context().newPage();
    await other.goto(url);
    await logOut(other).click();
    await tab.locator('[name=username]').waitFor();
    expect(problems).toEqual([]);
    await tab.context().close();
  });

  it('names an account without an address', async () => {
    const admin = createCookieSession({ baseUrl: service.url });
    await admin.login(user);
    const [username, password] = [`no-address-${name.toLowerCase()}`, 'a password of a test'];
    await createUser(admin, { body: { username, password, name: 'Kim', roles: ['SALES'] } });
    await admin.logout();
    const { tab, problems } = await open();
    await submit(tab, { username, password: 'wrong-password-1' });
    await tab.locator('output', { hasText: /\w/ }).waitFor();
    await submit(tab, { username, password });
    await tab.getByRole('button', { name: `Log out ${username}` }).waitFor();
    expect(await tab.locator('output').textContent()).toBe('');
    expect(problems).toEqual([]);
    await tab.context().close();
  });

  it('takes over the loading state of a server, though the session is known already', async () => {
    const { tab, problems } = await open('late.html');
    await tab.getByRole('status').filter({ hasText: 'anonymous' }).waitFor();
    expect(problems).toEqual([]);
    await tab.context().close();
  });

  it('asks for the second factor of an account that has one', async () => {
    const [code] = await enrolTotp(service, user);
    const { tab, problems } = await open();
    await submit(tab, user);
    await tab.locator('[name=code]').waitFor();
    await submit(tab, { code: 'AAAA-BBBB-CCCC-DDDD' });
    await tab.locator('output', { hasText: 'This code is wrong or was used before.' }).waitFor();
    await submit(tab, { code: code! });
    await logOut(tab).waitFor();
    expect(problems).toEqual([]);
    await tab.context().close();
  });
});
