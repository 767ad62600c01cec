// Pages of React and Vue that are built by Vite with the published package, in Chromium against the service.
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { npmPackages } from '../../../test/openapi/cache.ts';
import { endProcesses, freePort, PROJECT } from '../../../test/support/service-process.ts';
import { launchBrowser } from '../support/chromium.ts';
import { collectProblems, enrolTotp, startServer, submit } from '../support/frameworks.ts';
import { startService, type Service } from '../support/services.ts';
import { ALICE, GINA } from '../support/tabs.ts';
import { installPublished } from './published.ts';

const EXAMPLES = join(PROJECT, 'client/examples');
const page = (script: string, content = '') =>
  `<!doctype html><title>Shop</title><div id="app">${content}</div><script type="module" src="/${script}"></script>`;

interface Consumer {
  /** The example that has the component. */
  readonly files: readonly string[];
  readonly plugin: string;
  readonly pages: Readonly<Record<string, string>>;
}

const CONSUMERS: Readonly<Record<string, Consumer>> = {
  React: {
    files: ['react.tsx'],
    plugin: '@vitejs/plugin-react',
    pages: {
      'main.tsx': `import { StrictMode } from 'react';
        import { createRoot } from 'react-dom/client';
        import { App } from './react.tsx';
        createRoot(document.querySelector('#app')!).render(<StrictMode><App /></StrictMode>);`,
      'index.html': page('main.tsx'),
      // The session is known before the page takes over what a server has rendered.
      'late.tsx': `import { createCookieSession } from 'authservice-client';
        import { SessionProvider, useSession } from 'authservice-client/react';
        import { hydrateRoot } from 'react-dom/client';
        const session = createCookieSession();
        const Status = () => <p role="status">{useSession().status}</p>;
        await session.restore();
        hydrateRoot(document.querySelector('#app')!, <SessionProvider session={session}><Status /></SessionProvider>,
          { onRecoverableError: (error) => console.error(error) });`,
      'late.html': page('late.tsx', '<p role="status">loading</p>'),
    },
  },
  Vue: {
    files: ['Account.vue', 'vue.ts'],
    plugin: '@vitejs/plugin-vue',
    pages: {
      'index.html': page('vue.ts'),
      'late.ts': `import { createCookieSession } from 'authservice-client';
        import { createSessionPlugin, useSession } from 'authservice-client/vue';
        import { createSSRApp, h } from 'vue';
        const session = createCookieSession();
        const Status = { setup() { const { status } = useSession(); return () => h('p', { role: 'status' }, status.value); } };
        await session.restore();
        createSSRApp(Status).use(createSessionPlugin(session)).mount('#app');`,
      'late.html': page('late.ts', '<p role="status">loading</p>'),
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

/** Builds the project of a user, and serves the result. */
async function build(name: string, { files, plugin, pages }: Consumer): Promise<string> {
  const project = join(folder, name);
  mkdirSync(project);
  for (const file of files) cpSync(join(EXAMPLES, file), join(project, file));
  for (const [path, content] of Object.entries(pages)) writeFileSync(join(project, path), content);
  const config = readFileSync(join(EXAMPLES, 'vite.config.ts'), 'utf8')
    .replace('http://localhost:8080', service.url.replace('127.0.0.1', 'localhost'))
    .replace(
      'server:',
      `plugins: [plugin()], build: { rolldownOptions: { input: ['index.html', 'late.html'] } }, server:`,
    );
  writeFileSync(join(project, 'vite.config.ts'), `import plugin from '${plugin}';\n${config}`);
  const vite = join(folder, 'node_modules/vite/bin/vite.js');
  execFileSync(process.execPath, [vite, 'build'], { cwd: project, stdio: 'pipe' });
  const url = `http://localhost:${await freePort()}/`;
  const server = await startServer(url, project, [vite, 'preview', '--strictPort', '--port', new URL(url).port]);
  ended.push(() => server.kill());
  return url;
}

describe.each([
  ['React', ALICE],
  ['Vue', GINA],
])('%s, built by Vite', (name, user) => {
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
    await tab.locator('output', { hasText: /\w/ }).waitFor();
    await submit(tab, user);
    await logOut(tab).waitFor();
    await tab.reload();
    await logOut(tab).waitFor();
    const other = await tab.context().newPage();
    await other.goto(url);
    await logOut(other).click();
    await tab.locator('[name=username]').waitFor();
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
    await submit(tab, { code: 'AAAA-BBBB-CCCC-DDDD' });
    await tab.locator('output', { hasText: /\w/ }).waitFor();
    await submit(tab, { code: code! });
    await logOut(tab).waitFor();
    expect(problems).toEqual([]);
    await tab.context().close();
  });
});
