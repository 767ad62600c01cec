// The checks before a release.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { changelogProblems, releaseNotes } from '../../scripts/release/changelog.ts';
import { projectVersion, VERSION_COPIES, versionProblems } from '../../scripts/release/versions.ts';

const PROJECT = join(import.meta.dirname, '../..');

describe('the version', () => {
  const folder = mkdtempSync(join(tmpdir(), 'versions-'));
  const copies = [
    { file: 'a.json', pattern: /"version": "([^"]+)"/ },
    { file: 'b.yaml', pattern: /^version: (.+)$/m },
    { file: 'c.xml', pattern: /<version>(.+)<\/version>/ },
    { file: 'd.json', pattern: /"version": "([^"]+)"/ },
  ];
  afterAll(() => rmSync(folder, { recursive: true }));

  it('is the same in all files of the project', () => {
    expect(VERSION_COPIES.length).toBeGreaterThan(2);
    expect(versionProblems(PROJECT)).toEqual([]);
  });

  it('is compared with that of package.json in each file', () => {
    writeFileSync(join(folder, 'package.json'), '{ "version": "1.2.3" }');
    writeFileSync(join(folder, 'a.json'), '{ "version": "1.2.3" }');
    writeFileSync(join(folder, 'b.yaml'), 'name: b\nversion: 1.2.2\n');
    writeFileSync(join(folder, 'c.xml'), '<project/>');
    expect(projectVersion(folder)).toBe('1.2.3');
    expect(versionProblems(folder, copies)).toEqual([
      'b.yaml has the version 1.2.2, package.json has 1.2.3',
      'c.xml has the version none, package.json has 1.2.3',
      'd.json is missing',
    ]);
  });
});

describe('the changelog', () => {
  const changelog = (unreleased: string, heading: string) =>
    `# Changelog\n\n## [Unreleased]\n${unreleased}\n${heading}\n\n### Added\n\n- A thing.\n\n## [1.1.0] - 2026-01-02\n\n- Old.\n`;

  it.each([
    ['is complete', '', '## [1.2.0] - 2026-11-28', []],
    ['has lines of no version', '\n- New.\n', '## [1.2.0] - 2026-11-28', [/^move the lines of ## \[Unreleased\]/]],
    ['has no date', '', '## [1.2.0]', [/needs a date/]],
    ['lacks the version', '', '## [1.3.0] - 2026-11-28', [/needs a section ## \[1\.2\.0\]/]],
  ])('that %s: the problems name the remedy', (_, unreleased, heading, problems) => {
    const found = changelogProblems(changelog(unreleased, heading), '1.2.0');
    expect(found).toEqual(problems.map((problem) => expect.stringMatching(problem)));
  });

  it('must have the new version first, and a section without a version before it', () => {
    expect(changelogProblems(changelog('', '## [1.2.0] - 2026-11-28'), '1.1.0')).toEqual([
      '## [1.1.0] must be the newest version in CHANGELOG.md',
    ]);
    expect(changelogProblems('# Changelog\n\n## [1.0.0] - 2026-11-28\n\n- A.\n', '1.0.0')).toHaveLength(2);
  });

  it('gives the notes of a version', () => {
    const text = changelog('', '## [1.2.0] - 2026-11-28');
    expect(releaseNotes(text, '1.2.0')).toBe('### Added\n\n- A thing.');
    expect(releaseNotes(text, '1.1.0')).toBe('- Old.');
    expect(() => releaseNotes(text, '1.0.0')).toThrow('CHANGELOG.md has no section ## [1.0.0]');
  });

  it('of this project has a section for changes of no version', () => {
    expect(readFileSync(join(PROJECT, 'CHANGELOG.md'), 'utf8')).toMatch(/^## \[Unreleased\]/m);
  });
});

describe('the workflows', () => {
  const names = ['ci', 'nightly', 'release', 'site'];
  const read = (name: string) => readFileSync(join(PROJECT, `.github/workflows/${name}.yaml`), 'utf8');

  it.each(names)('%s pins each action by commit and names its version', (name) => {
    const uses = [...read(name).matchAll(/^\s*(?:- )?uses: (.+)$/gm)].map(([, action]) => action!);
    expect(uses.length).toBeGreaterThan(0);
    for (const action of uses.filter((one) => !one.startsWith('./'))) {
      expect(action).toMatch(/^[\w.-]+(?:\/[\w.-]+)+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/);
    }
  });

  it.each(names)('%s gives no permission by default, and each job a time limit', (name) => {
    expect(read(name)).toMatch(/^permissions: \{\}$/m);
    const jobs = read(name)
      .split(/^jobs:\n/m)[1]!
      .split(/^ {2}(?=[\w-]+:$)/m)
      .slice(1);
    expect(jobs.length).toBeGreaterThan(0);
    for (const job of jobs) expect(job).toMatch(/^ {4}(?:timeout-minutes: \d+|uses: \.\/)/m);
  });

  it('keep no credentials in the working copy', () => {
    for (const name of names) {
      const checkouts = read(name).match(/uses: actions\/checkout@/g)?.length ?? 0;
      expect([name, read(name).match(/persist-credentials: false/g)?.length ?? 0]).toEqual([name, checkouts]);
    }
  });
});

it('waits for the gate and for all other tests', () => {
  const read = (name: string) => readFileSync(join(PROJECT, `.github/workflows/${name}.yaml`), 'utf8');
  const release = read('release');
  for (const [job, workflow] of [
    ['test', 'ci'],
    ['nightly', 'nightly'],
  ]) {
    const uses = new RegExp(`^ {2}${job}:\\n(?: {4}.*\\n)* {4}uses: \\./\\.github/workflows/${workflow}\\.yaml$`, 'm');
    expect(release).toMatch(uses);
  }
  expect(release).toMatch(/^ {4}needs: \[test, nightly\]$/m);
  expect(read('ci')).toMatch(/run: .* \.ci\/run$/m);
  expect(read('nightly')).toMatch(/run: .* npm run test:all$/m);
});
