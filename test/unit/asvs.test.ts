// docs/asvs.md against the published list of requirements, and the tests that it names against the suite. `npm run check` tests that
// the documents exist which it names.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { findTestFault } from '../../scripts/named-tests.ts';

const PROJECT = join(import.meta.dirname, '../..');
const { levels } = JSON.parse(readFileSync(join(PROJECT, 'test/fixtures/asvs-5.0.0.json'), 'utf8')) as {
  readonly levels: Readonly<Record<string, number>>;
};
const ROW = /^\| (\*{0,2})(\d+\.\d+\.\d+)\1 \| [^|]+ \| ([^|]+) \|$/gm;
const MARKS = ['**', '', '*'];

const page = readFileSync(join(PROJECT, 'docs/asvs.md'), 'utf8');
const rows = [...page.matchAll(ROW)].map(([, mark, id, state]) => ({ mark: mark!, id: id!, state: state! }));
const numbers = rows.map(({ id }) => id);

/** The forms of a state. A test is the last part of it. */
const GAP = /^(?:Not met|In part): [^[]+?(?:; (?<test>\[.+))?$/;
const NOT_APPLICABLE = /^Not applicable: \S/;
const DOCUMENTS = /^\[[^\]]+\]\([\w/-]*(?:\.md)?(?:#[\w-]+)?\)(?:, \[[^\]]+\]\([\w/-]+\.md(?:#[\w-]+)?\))*$/;

describe('the page about OWASP ASVS', () => {
  it('has a row for each requirement of levels 1 and 2, in their order', () => {
    expect(page.match(/^\|.*\d+\.\d+\.\d+.*\|$/gm)).toHaveLength(rows.length);
    const due = Object.keys(levels).filter((id) => levels[id]! < 3 || numbers.includes(id));
    expect(numbers).toEqual(due);
    expect(due.length).toBeGreaterThan(100);
  });

  it('marks each level', () => {
    expect(rows.filter(({ mark, id }) => mark !== MARKS[levels[id]! - 1])).toEqual([]);
  });

  it('lists of level 3 only what is met', () => {
    const unmet = rows.filter(({ state }) => GAP.test(state) || NOT_APPLICABLE.test(state));
    expect(unmet.filter(({ id }) => levels[id] === 3)).toEqual([]);
  });

  it('counts the states of levels 1 and 2', () => {
    const states = rows
      .filter(({ id }) => levels[id]! < 3)
      .map(({ state }) => /^(?:In part|Not met|Not a)/.exec(state)?.[0]);
    const [met, part, not, none] = [undefined, 'In part', 'Not met', 'Not a'].map(
      (kind) => states.filter((state) => state === kind).length,
    );
    const sentences = `Of the ${states.length} requirements of levels 1 and 2, ${met} are met, ${part} in part and ${not} not. ${none} do not apply.`;
    expect(page).toContain(`\n${sentences}\n`);
  });

  it('names a test that exists, a document, or the reason', () => {
    const faults = rows.flatMap(({ id, state }) => {
      if (NOT_APPLICABLE.test(state) || DOCUMENTS.test(state)) return [];
      const gap = GAP.exec(state);
      const fault = gap && gap.groups!['test'] === undefined ? undefined : findTestFault(gap?.groups!['test'] ?? state);
      return fault === undefined ? [] : [`${id} ${fault}`];
    });
    expect(faults).toEqual([]);
  });
});
