// The site is made of the Markdown of the repository: contents.ts lists it, links.ts resolves its links. It loads nothing from other
// hosts. docs/releasing.md explains the variables.
import { copyFileSync, globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { defineConfigWithTheme, type DefaultTheme } from 'vitepress';
import { accessibilityPlugin, tableCornersPlugin } from '../accessibility.ts';
import { PAGES, PROJECT, sidebars } from '../contents.ts';
import { anchorOf, FILES, linksPlugin } from '../links.ts';
import { NOTICES, noticesPlugin } from '../notices.ts';
import { type ShownVersions, versionMenu } from '../versions.ts';

const { version, repository: declared } = JSON.parse(readFileSync(join(PROJECT, 'package.json'), 'utf8')) as {
  version: string;
  repository?: { url: string };
};
const { SITE_URL, SITE_FOLDER = '', SITE_REF = 'main', SITE_VERSIONS = '' } = process.env;
const repository = process.env['SITE_REPOSITORY'] ?? declared?.url.replace(/^git\+|\.git$/g, '');
const url = SITE_URL?.replace(/\/$/, '');
const base = `${url === undefined ? '' : new URL(url).pathname.replace(/\/$/, '')}/${SITE_FOLDER}`;
const current = version.split('.').slice(0, 2).join('.');
const versions = SITE_VERSIONS.split(',').filter(Boolean);
const description =
  'Logs in users and machines, manages their sessions and checks their access tokens, for many tenants.';
/** A shield with a keyhole, in the colour of the pages of the service. */
const icon = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><path fill="#1f6f5c" d="M16 1 4 5v10c0 8 5 13 12 16 7-3 12-8 12-16V5z"/><path fill="#fff" d="M16 9a4 4 0 0 0-2 7.500L13 23h6l-1-6.500A4 4 0 0 0 16 9z"/></svg>`;

const isIncluded = (path: string) => PAGES.has(path);
const rewriteOf = (page: string) =>
  `${PAGES.get(page)!
    .slice(1)
    .replace(/(^|\/)$/, '$1index')}.md`;

export default defineConfigWithTheme<DefaultTheme.Config & ShownVersions>({
  srcDir: '..',
  outDir: 'dist',
  cacheDir: 'node_modules/.cache/vitepress',
  srcExclude: globSync('**/*.md', { cwd: PROJECT, exclude: (path) => path.includes('node_modules') }).filter(
    (path) => !isIncluded(path),
  ),
  rewrites: (page) => (isIncluded(page) ? rewriteOf(page) : page),
  base,
  cleanUrls: true,
  lang: 'en',
  title: 'authservice',
  description,
  head: [['link', { rel: 'icon', href: `data:image/svg+xml,${encodeURIComponent(icon)}` }]],
  // Examples name services on the machine of the reader.
  ignoreDeadLinks: 'localhostLinks',
  ...(url === undefined ? {} : { sitemap: { hostname: `${url}/${SITE_FOLDER}` } }),
  markdown: {
    anchor: { slugify: anchorOf },
    // Its blocks have the same form: a name, values, braces.
    languageAlias: { caddyfile: 'nginx' },
    theme: { light: 'github-light-high-contrast', dark: 'github-dark-high-contrast' },
    config: (renderer) => {
      tableCornersPlugin(renderer);
      linksPlugin(renderer, { repository: repository && `${repository}/blob/${SITE_REF}`, base });
    },
  },
  vite: {
    plugins: [accessibilityPlugin(), noticesPlugin()],
    // Other files of the project are no files of the site.
    publicDir: false,
    server: { watch: { ignored: ['**/data/**', '**/build/**', '**/examples/**'] } },
  },
  // Its table has eight columns. An option in the document would be visible in the repository.
  transformPageData: ({ filePath, frontmatter }) => {
    if (filePath === 'docs/comparison.md') frontmatter['aside'] = false;
  },
  buildEnd: ({ outDir }) => {
    for (const [file, path] of FILES) copyFileSync(join(PROJECT, file), join(outDir, path));
  },
  themeConfig: {
    nav: [
      { text: 'Getting started', link: '/getting-started', activeMatch: '^/getting-started' },
      { text: 'Comparison', link: '/comparison' },
      { text: 'Settings', link: '/reference/settings' },
      { text: `Version ${version}`, items: versionMenu(current, versions, url) },
    ],
    sidebar: sidebars(),
    outline: { level: [2, 3], label: 'On this page' },
    search: {
      provider: 'local',
      options: {
        miniSearch: {
          searchOptions: {
            boost: { title: 4, titles: 2, text: 1 },
            // Most readers look for a task before a reason or one of eight languages.
            boostDocument: (path: string) => (/\/(?:decisions|grpc)\//.test(path) ? 0.5 : 1),
          },
        },
      },
    },
    ...(repository === undefined
      ? {}
      : {
          socialLinks: [{ icon: 'github', link: repository, ariaLabel: 'Source code' }],
          editLink: { pattern: `${repository}/edit/main/:path`, text: 'Edit this page' },
        }),
    footer: {
      message: `Apache License 2.0. The site contains <a href="${base}${NOTICES}">code of others</a>.`,
    },
    notFound: {
      title: 'This page does not exist',
      quote: 'It may have another name in this version. The search finds pages by their words.',
      linkLabel: 'Go to the front page',
      linkText: 'Front page',
    },
    latestVersion: versions[0] === current ? undefined : versions[0],
    currentVersion: current,
    latestUrl: url,
  },
});
