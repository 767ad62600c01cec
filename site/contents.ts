// The pages of the site and their order. A test fails if a document of docs/ is missing here.
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

export const PROJECT = join(import.meta.dirname, '..');

interface Group {
  readonly title: string;
  /** Documents, and the documents below them. */
  readonly pages: readonly (string | readonly [page: string, below: readonly string[]])[];
}

const LANGUAGES = ['typescript', 'python', 'go', 'java', 'kotlin', 'rust', 'php', 'dotnet'];

export const GROUPS: readonly Group[] = [
  {
    title: 'Try it',
    pages: [
      'docs/README.md',
      'docs/getting-started.md',
      'docs/comparison.md',
      'docs/performance.md',
      'docs/glossary.md',
    ],
  },
  {
    title: 'Call it',
    pages: [
      'client/README.md',
      'docs/rest-clients.md',
      'docs/machine-clients.md',
      'docs/files.md',
      'docs/sdk.md',
      ['docs/grpc-clients.md', LANGUAGES.map((language) => `docs/grpc/${language}.md`)],
    ],
  },
  {
    title: 'Protect your services',
    pages: [
      'docs/forward-authentication.md',
      'docs/spring-boot.md',
      [
        'docs/frameworks/README.md',
        ['spring-boot', 'go', 'node', 'python', 'jwt-filters'].map((name) => `docs/frameworks/${name}.md`),
      ],
    ],
  },
  {
    title: 'Let applications log in users',
    pages: ['openid-provider', 'applications', 'connect', 'openid-clients'].map((name) => `docs/${name}.md`),
  },
  {
    title: 'Operate it',
    pages: ['deployment', 'containers', 'helm', 'operations', 'scaling', 'upgrading', 'command-line', 'security'].map(
      (name) => `docs/${name}.md`,
    ),
  },
  {
    title: 'Administer it',
    pages: ['administration', 'pages', 'second-factors', 'mail', 'webhooks', 'events', 'terraform'].map(
      (name) => `docs/${name}.md`,
    ),
  },
  {
    title: 'Extend it',
    pages: [
      'docs/architecture.md',
      'docs/extending.md',
      'docs/decisions/README.md',
      'docs/threat-model.md',
      'docs/asvs.md',
      'docs/dependencies.md',
      'docs/releasing.md',
      'CONTRIBUTING.md',
    ],
  },
  {
    title: 'Reference',
    pages: [
      ...['settings', 'rpcs', 'errors', 'metrics'].map((name) => `docs/reference/${name}.md`),
      'CHANGELOG.md',
      'SECURITY.md',
    ],
  },
];

/** Titles that are shorter than the heading of the page. */
const SHORT: Readonly<Record<string, string>> = {
  'client/README.md': 'Client for browsers and Node',
  'docs/frameworks/README.md': 'Frameworks',
  'docs/decisions/README.md': 'Decisions',
  'docs/README.md': 'All documents',
  'SECURITY.md': 'Report a vulnerability',
};

export const DECISIONS: readonly string[] = globSync('docs/decisions/{0,archive/}*.md', { cwd: PROJECT }).toSorted();

const listed = GROUPS.flatMap(({ pages }) => pages.flatMap((page) => (typeof page === 'string' ? page : page.flat())));

/** All documents of the site, and the path of each without the base. */
export const PAGES: ReadonlyMap<string, string> = new Map([
  ['site/index.md', '/'],
  ...[...listed, ...DECISIONS].map((page) => [page, pathOf(page)] as const),
]);

function pathOf(page: string): string {
  if (page === 'SECURITY.md') return '/report-a-vulnerability';
  if (page === 'docs/README.md') return '/documents';
  const path = page.replace(/^docs\//, '').replace(/\.md$/, '');
  return `/${/^[A-Z]+$/.test(path) ? path.toLowerCase() : path.replace(/README$/, '')}`;
}

interface SidebarItem {
  readonly text: string;
  readonly link: string;
  readonly items?: SidebarItem[];
}

interface SidebarGroup {
  readonly text: string;
  readonly items: SidebarItem[];
}

/** The sidebars by the start of a path. The decisions have one of their own, because they are many. */
export function sidebars(): Record<string, SidebarGroup[]> {
  const back = { text: 'Other documents', link: PAGES.get('docs/architecture.md')! };
  const decisions = [back, itemOf('docs/decisions/README.md'), ...DECISIONS.map((page) => itemOf(page))];
  return {
    '/decisions/': [{ text: 'Decisions', items: decisions }],
    '/': GROUPS.map(({ title, pages }) => ({
      text: title,
      items: pages.map((page) => (typeof page === 'string' ? itemOf(page) : itemOf(...page))),
    })),
  };
}

function itemOf(page: string, below: readonly string[] = []): SidebarItem {
  const item = { text: SHORT[page] ?? titleOf(page), link: PAGES.get(page)! };
  return below.length === 0 ? item : { ...item, items: below.map((name) => itemOf(name)) };
}

/** The heading of a document, as text. */
export function titleOf(page: string): string {
  const heading = /^# (.+)$/m.exec(readFileSync(join(PROJECT, page), 'utf8'))?.[1];
  if (heading === undefined) throw new Error(`${page} has no heading`);
  return heading.replaceAll('`', '').replace(/^Decision (\d+): /, '$1. ');
}
