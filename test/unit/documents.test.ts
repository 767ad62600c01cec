// The index of the documents: docs/README.md. `npm run check` tests that the links exist.
import { globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';

const PROJECT = join(import.meta.dirname, '../..');

/** The documents to which a document links. */
function linkedFrom(page: string): string[] {
  const text = readFileSync(join(PROJECT, page), 'utf8');
  return [...text.matchAll(/\]\(([^)\s#]+\.md)[^)]*\)/g)].map(([, path]) => join(dirname(page), path!));
}

const documents = globSync('docs/**/*.md', { cwd: PROJECT });

describe('the index of the documents', () => {
  it('links to each document, except the decisions', () => {
    const pages = documents.filter((page) => !page.startsWith('docs/decisions/') && page !== 'docs/README.md');
    expect(pages.length).toBeGreaterThan(40);
    expect(pages.filter((page) => !linkedFrom('docs/README.md').includes(page))).toEqual([]);
  });

  it.each(['docs/decisions/', 'docs/decisions/archive/'])('leads to each decision of %s by its list', (folder) => {
    const list = `${folder}README.md`;
    const decisions = documents.filter((page) => dirname(page) === dirname(list) && page !== list);
    expect(decisions.length).toBeGreaterThan(20);
    expect(decisions.filter((page) => !linkedFrom(list).includes(page))).toEqual([]);
  });

  it('leads to the lists of decisions', () => {
    expect(linkedFrom('docs/README.md')).toContain('docs/decisions/README.md');
    expect(linkedFrom('docs/decisions/README.md')).toContain('docs/decisions/archive/README.md');
  });
});
