// The documents call tested what the tests of relying parties run, and nothing else.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { FIRST_PARTIES, PARTIES } from '../languages/relying-parties/parties/all.ts';
import type { Party } from '../languages/relying-parties/party.ts';
import { documentCells, type Row } from '../languages/relying-parties/table.ts';
import { PROJECT } from '../support/service-process.ts';

const read = (path: string): string => readFileSync(join(PROJECT, path), 'utf8');

/** Returns the cells of the table rows that begin with a pattern. */
const rowsOf = (document: string): string[][] =>
  document
    .split('\n')
    .filter((line) => line.startsWith('| '))
    .map((line) => line.slice(2, -2).split(' | '));

describe('docs/comparison.md', () => {
  it('has a row of a run for each party, and others only of those that also run on two cores', () => {
    const part = read('docs/comparison.md').split('\n## Relying parties\n')[1]!.split('\n## ')[0]!;
    const lineOf = (party: Party, kind: Row['kind']) => documentCells({ party, kind }).join(' | ');
    const expected = PARTIES.map((party) => lineOf(party, { engine: 'sqlite', processes: 'one process' }));
    const possible = FIRST_PARTIES.map((party) => lineOf(party, { engine: 'mariadb', processes: 'two cores' }));
    const [, , ...rows] = rowsOf(part.split('\n\n').find((text) => text.includes('| Minutes |'))!);
    const lines = rows.map((row) => row.slice(0, -1).join(' | '));
    expect(lines.filter((line) => !possible.includes(line)).toSorted()).toEqual(expected.toSorted());
    for (const row of rows) expect(row.at(-1)).toMatch(/^\d+\.\d$/);
  });
});

describe('docs/connect.md', () => {
  const document = read('docs/connect.md');
  const rows = rowsOf(document.split('\n## ')[0]!).flatMap(([link, settings, logout]) => {
    const [, section, anchor] = /^\[(.+)\]\(#(.+)\)$/.exec(link!) ?? [];
    return section === undefined ? [] : [{ section, anchor: anchor!, settings: settings!, logout: logout! }];
  });
  const anchorOf = (heading: string) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\w\- ]/g, '')
      .replaceAll(' ', '-');
  const texts = new Map(
    document.split('\n## ').map((text) => [anchorOf(text.slice(0, text.indexOf('\n'))), text] as const),
  );

  it('has a row for the section of each party', () => {
    const sections = rows.map(({ section }) => section);
    expect(PARTIES.map(({ section }) => section).filter((section) => !sections.includes(section))).toEqual([]);
  });

  it.each(rows)('$section: tested are the parties of the tests, else its documents are linked', (row) => {
    const parties = PARTIES.filter(({ section }) => section === row.section);
    const names = parties.map(({ name }) => name).join(', ');
    const text = texts.get(row.anchor)!;
    expect(row.settings.split('; ')[0]).toBe(parties.length > 0 ? `tested: ${names}` : 'from its documents');
    if (parties.length === 0) expect(text).toMatch(/From its documents|from their documents/);
    for (const { version, ourLogout } of parties) {
      expect(text).toContain(version);
      expect(row.logout).toContain(ourLogout);
    }
  });
});
