// What the site is made of. `npm run test:all -- site` builds it.
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { PAGES, PROJECT, sidebars } from '../../site/contents.ts';
import { anchorOf, moveLink, resolveLink } from '../../site/links.ts';
import { versionMenu, versionsOf } from '../../site/versions.ts';

const REPOSITORY = 'https://repository.example/owner/authservice/blob/main';

interface Item {
  readonly link?: string;
  readonly items?: readonly Item[];
}

const linksOf = ({ link, items = [] }: Item): string[] => [...(link ? [link] : []), ...items.flatMap(linksOf)];

describe('the contents', () => {
  it('has each document of docs/ in a sidebar', () => {
    const links = Object.values(sidebars()).flat().flatMap(linksOf);
    const documents = globSync('docs/**/*.md', { cwd: PROJECT });
    expect(documents.length).toBeGreaterThan(100);
    expect(documents.filter((page) => !links.includes(PAGES.get(page) ?? ''))).toEqual([]);
  });

  it('gives each document a path of its own', () => {
    expect(new Set(PAGES.values()).size).toBe(PAGES.size);
  });
});

describe('links of a document', () => {
  it.each([
    ['../../CHANGELOG.md', { kind: 'page', href: '/changelog' }],
    ['README.md#choose-a-check', { kind: 'page', href: '/frameworks/#choose-a-check' }],
    ['../decisions/archive/0057-public-url.md', { kind: 'page', href: '/decisions/archive/0057-public-url' }],
    ['../../client', { kind: 'page', href: '/client/' }],
    ['../performance.html', { kind: 'file', href: '/performance-figures.html' }],
    ['../../LICENSE', { kind: 'repository', href: `${REPOSITORY}/LICENSE` }],
    ['https://example.com/x', { kind: 'unchanged' }],
    ['#rules', { kind: 'unchanged' }],
  ])('%s', (link, target) => {
    expect(resolveLink('docs/frameworks/go.md', link, REPOSITORY)).toEqual(target);
  });

  it('are left out if the URL of the repository is unknown', () => {
    expect(resolveLink('docs/comparison.md', '../LICENSE', undefined)).toEqual({ kind: 'none' });
  });

  it('fail if the file does not exist', () => {
    expect(() => resolveLink('docs/comparison.md', '../missing.md', REPOSITORY)).toThrow(/does not exist/);
  });

  it('still name the same file in another document', () => {
    expect(moveLink('mail.md#invitations', 'docs/comparison.md', 'site/index.md')).toBe('../docs/mail.md#invitations');
    expect(moveLink('#speed', 'docs/comparison.md', 'site/index.md')).toBe('../docs/comparison.md#speed');
    expect(moveLink('../LICENSE', 'docs/comparison.md', 'site/index.md')).toBe('../LICENSE');
  });

  it('use the anchors of GitHub', () => {
    expect(anchorOf('Use an API key: 2 steps (v1.0)')).toBe('use-an-api-key-2-steps-v10');
  });
});

describe('versions', () => {
  it('are the last releases of each minor version, newest first', () => {
    const tags = ['v0.1.0', 'v0.10.2', 'v0.2.0', 'v0.1.9', 'v0.1.10', 'v0.10.0', 'sdk/go/v0.1.0', 'v0.3.0-rc.1', ''];
    expect(versionsOf(tags)).toEqual([
      { name: '0.10', tag: 'v0.10.2' },
      { name: '0.2', tag: 'v0.2.0' },
      { name: '0.1', tag: 'v0.1.10' },
    ]);
  });

  it('link to their folders from the menu, and the newest to the root', () => {
    const items = versionMenu('0.1', ['0.2', '0.1'], 'https://owner.example/authservice');
    expect(items.map(({ text, link }) => [text, link])).toEqual([
      ['0.2, latest', 'https://owner.example/authservice/'],
      ['0.1, this one', 'https://owner.example/authservice/v0.1/'],
      ['Changes', '/changelog'],
      ['Upgrading', '/upgrading'],
    ]);
  });

  it('have no links if the URL of the site is unknown', () => {
    expect(versionMenu('0.1', ['0.1'], undefined).map(({ text }) => text)).toEqual(['Changes', 'Upgrading']);
  });
});

it('has the packages of the site apart from those of the service', () => {
  const { devDependencies, dependencies } = JSON.parse(readFileSync(join(PROJECT, 'package.json'), 'utf8')) as Record<
    string,
    Record<string, string>
  >;
  expect({ ...devDependencies, ...dependencies }).not.toHaveProperty('vitepress');
});
