// The built site in a browser, below a path as on GitHub Pages: accessibility, search, links, and that nothing comes from other hosts.
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { launchBrowser } from '../../client/test/support/chromium.ts';
import { buildSite, installSite, SITE_OUTPUT } from '../../scripts/site/build.ts';
import { PAGES, PROJECT } from '../../site/contents.ts';
import { NOTICES } from '../../site/notices.ts';
import { expectNoBarriers, withPage } from '../../web/test/support/pages.ts';
import { run } from '../languages/commands.ts';
import { serveSite, type SiteServer } from './serve-site.ts';

const BASE = '/authservice/';
const REPOSITORY = 'https://repository.example/owner/authservice';
const FOLDER = join(PROJECT, SITE_OUTPUT);
/** Pages with everything that the theme shows: tables, code, pictures, raw HTML, lists of links. */
const SEEN = [
  '',
  'getting-started',
  'comparison',
  'mail',
  'performance',
  'reference/settings',
  'decisions/',
  'client/',
];

let server: SiteServer;
let browser: Browser;
let site: string;

beforeAll(async () => {
  server = await serveSite(FOLDER, BASE);
  site = server.origin + BASE;
  installSite(PROJECT);
  // An older version, whose menu names the latest one.
  buildSite(PROJECT, { SITE_URL: site, SITE_REPOSITORY: REPOSITORY, SITE_REF: 'v0.1.0', SITE_VERSIONS: '9.9,0.1' });
  browser = await launchBrowser();
}, 900_000);
afterAll(async () => {
  await browser?.close();
  server?.close();
});

/** Opens a page and waits until its code runs. */
async function open(page: Page, path: string): Promise<void> {
  await page.goto(site + path);
  await page.waitForLoadState('networkidle');
}

async function openSearch(page: Page, words: string): Promise<void> {
  await page.getByRole('button', { name: 'Search' }).click();
  await page.getByRole('dialog').getByRole('searchbox').fill(words);
  await page.locator('.VPLocalSearchBox .result').first().waitFor();
}

describe('in a browser', () => {
  it.each(SEEN)('/%s has no barriers, loads nothing from other hosts, and fits in 360 px', async (path) => {
    await withPage(browser, server.origin, async (page) => {
      await open(page, path);
      await expectNoBarriers(page, path);
    });
  });

  it('shows a page for unknown paths, without barriers', async () => {
    await withPage(browser, server.origin, async (page) => {
      await open(page, 'unknown');
      await page.getByText('This page does not exist').waitFor();
      await expectNoBarriers(page, 'unknown');
    });
  });

  it('finds a page by its words, without barriers', async () => {
    await withPage(browser, server.origin, async (page) => {
      await open(page, 'getting-started');
      await openSearch(page, 'forward authentication');
      await expectNoBarriers(page, 'search');
      await page.keyboard.press('Enter');
      await page.waitForURL(`${site}forward-authentication*`);
      await page.getByRole('heading', { level: 1, name: 'Forward authentication' }).waitFor();
    });
  });

  it('has no buttons among the links of the sidebar', async () => {
    await withPage(browser, server.origin, async (page) => {
      await open(page, 'getting-started');
      expect(await page.locator('.VPSidebar [role=button], .VPSidebar button').count()).toBe(0);
    });
  });

  it('can be read in the dark at the reader’s choice', async () => {
    await withPage(browser, server.origin, async (page) => {
      await open(page, 'getting-started');
      const background = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
      const light = await background();
      await page.getByRole('switch').first().click();
      await expect.poll(background).not.toBe(light);
    });
  });

  it('shows the console on the front page in the reader’s choice of colours, and loads no other picture', async () => {
    await withPage(
      browser,
      server.origin,
      async (page) => {
        const loaded: string[] = [];
        page.on('response', (response) => loaded.push(new URL(response.url()).pathname.split('/').at(-1)!));
        await open(page, '');
        const picture = page.getByRole('img', { name: /^The console/ });
        await picture.scrollIntoViewIfNeeded();
        await expect.poll(() => picture.evaluate((image: HTMLImageElement) => image.naturalWidth)).toBeGreaterThan(0);
        expect(await picture.getAttribute('src')).toMatch(/\/console-dark\.[\w-]+\.png$/);
        expect(loaded.filter((name) => /^console.*\.png$/.test(name))).toEqual([
          expect.stringMatching(/^console-dark\./),
        ]);
        await page.getByRole('switch').first().click();
        await expect.poll(() => picture.getAttribute('src')).toMatch(/\/console\.[\w-]+\.png$/);
      },
      { colorScheme: 'dark' },
    );
  });

  it('names the latest version on the pages of an older one', async () => {
    await withPage(browser, server.origin, async (page) => {
      await open(page, 'getting-started');
      const link = page.getByRole('link', { name: 'The latest version is 9.9.' });
      expect(await link.getAttribute('href')).toBe(site);
      await page.getByRole('button', { name: /^Version / }).hover();
      expect(await page.getByRole('link', { name: '0.1, this one' }).getAttribute('href')).toBe(`${site}v0.1/`);
    });
  });

  it('says on the front page what it is, for whom, and what it does not do', async () => {
    await withPage(browser, server.origin, async (page) => {
      await open(page, '');
      for (const name of ['For whom', 'Quick start', 'Beside other products', 'What it does not do']) {
        await page.getByRole('heading', { name }).waitFor();
      }
      const rows = await page
        .locator('.VPHome table tbody tr')
        .evaluateAll((all) =>
          all.map((row) => [...row.querySelectorAll('td')].slice(1).map((cell) => cell.querySelector('a') !== null)),
        );
      expect(rows.length).toBeGreaterThan(5);
      expect(rows.flat().every(Boolean), 'each cell has a source').toBe(true);
    });
  });
});

describe('the files', () => {
  const htmlOf = (path: string) =>
    readFileSync(join(FOLDER, path === '/' || path.endsWith('/') ? `${path}index.html` : `${path}.html`), 'utf8');
  const linksOf = (html: string) =>
    [...html.matchAll(/ href="([^"]*)"/g)].map(([, href]) => href!.replaceAll('&amp;', '&'));

  it('are reachable from the front page', () => {
    const seen = new Set<string>();
    const visit = (path: string): void => {
      if (seen.has(path)) return;
      seen.add(path);
      const inSite = linksOf(htmlOf(path)).filter(
        (href) => href.startsWith(BASE) && !/\.\w+$/.test(href.split('#')[0]!),
      );
      for (const href of inSite) visit(`/${href.slice(BASE.length).split('#')[0]!}`);
    };
    visit('/');
    expect([...PAGES.values()].filter((path) => !seen.has(path))).toEqual([]);
  });

  it('have no link to a missing page, file or heading', () => {
    const ids = new Map(
      [...PAGES.values()].map((path) => [
        path,
        new Set([...htmlOf(path).matchAll(/ id="([^"]+)"/g)].map(([, id]) => id!)),
      ]),
    );
    const dead = [...PAGES.values()].flatMap((path) =>
      linksOf(htmlOf(path))
        .filter((href) => {
          if (!href.startsWith(BASE) && !href.startsWith('#')) return !/^(?:https?:|data:|mailto:)/.test(href);
          const [target, anchor] = decodeURIComponent(href).split('#') as [string, string?];
          const to = target === '' ? path : `/${target.slice(BASE.length)}`;
          if (/\.\w+$/.test(to)) return globSync(join(FOLDER, to)).length === 0;
          return !ids.has(to) || (anchor !== undefined && !ids.get(to)!.has(anchor));
        })
        .map((href) => `${path}: ${href}`),
    );
    expect(dead).toEqual([]);
  });

  it('link to the repository at the version, never to another place of it', () => {
    const links = [...PAGES.values()]
      .flatMap((path) => linksOf(htmlOf(path)))
      .filter((href) => href.startsWith(REPOSITORY));
    expect(links).toContain(`${REPOSITORY}/blob/v0.1.0/LICENSE`);
    const forms = /^https:\/\/repository\.example\/owner\/authservice(?:$|\/blob\/v0\.1\.0\/|\/edit\/main\/)/;
    expect(links.filter((href) => !forms.test(href))).toEqual([]);
  });

  it('contain the licences of the packages in them', () => {
    const notices = readFileSync(join(FOLDER, NOTICES), 'utf8');
    for (const name of ['vue', 'vitepress', 'minisearch', 'mark.js'])
      expect(notices).toMatch(new RegExp(`^${name} \\d`, 'm'));
  });
});

it('has types that fit those of VitePress', async () => {
  await run('npx', ['tsc', '--noEmit', '-p', 'site'], { cwd: PROJECT });
});
