// What `npm test` prints before the first test and after the last one.
import { spawnSync } from 'node:child_process';
import { symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { afterEach, describe, expect, it } from 'vitest';
import { planTools, type TestTool } from '../../scripts/test-tools.ts';
import { emptyFolder, endProcesses, PROJECT } from '../support/service-process.ts';

afterEach(endProcesses);

describe('before the tests', () => {
  const tool = (name: string, isInstalled: boolean): TestTool => ({
    packages: [`${name}-server`],
    purpose: `serves ${name}`,
    neededBy: `test/${name}.test.ts`,
    alternative: `set ${name.toUpperCase()}_URL`,
    isInstalled: () => isInstalled,
  });
  const some = { ant: tool('ant', true), bee: tool('bee', false), cat: tool('cat', false) };

  it('all tools are named if none is missing', () => {
    expect(planTools({ ant: tool('ant', true) }, true)).toEqual({
      lines: ['Tools of the tests: ant. All are installed.'],
      packages: [],
    });
  });

  it('root reads what is installed', () => {
    expect(planTools(some, true)).toEqual({
      lines: ['Tools of the tests: ant, bee, cat.', 'Installing what is missing: bee-server, cat-server'],
      packages: ['bee-server', 'cat-server'],
    });
  });

  it('other users read in one place which tests need them, and the remedies', () => {
    expect(planTools(some, false)).toEqual({
      lines: [
        'Tools of the tests: ant, bee, cat. Missing, and installed automatically only as root on Debian:',
        '  bee: needed by test/bee.test.ts',
        '    Debian: apt-get install bee-server. Without: set BEE_URL',
        '  cat: needed by test/cat.test.ts',
        '    Debian: apt-get install cat-server. Without: set CAT_URL',
      ],
      packages: [],
    });
  });
});

const TESTS = {
  'mixed.test.ts': `import { beforeAll, describe, expect, it } from 'vitest';
    it('passes', () => {});
    it('fails', () => expect(1).toBe(2));
    it.skip('is skipped', () => {});
    it.todo('is to be written');
    describe('whose hook fails', () => {
      beforeAll(() => { throw new Error('hook'); });
      it('does not run', () => {});
    });`,
  'unloadable.test.ts': `throw new Error('load');`,
};

/** Runs TESTS with the reporter of this project; returns its output. */
function runTests(): string {
  const folder = emptyFolder();
  for (const [name, source] of Object.entries(TESTS)) writeFileSync(join(folder, name), source);
  symlinkSync(join(PROJECT, 'node_modules'), join(folder, 'node_modules'));
  const reporters = [join(PROJECT, 'test/support/reporter.ts')];
  const test = { include: ['*.test.ts'], reporters, maxWorkers: 1, isolate: false };
  writeFileSync(join(folder, 'vitest.config.mjs'), `export default ${JSON.stringify({ test })}`);
  const vitest = `"${process.execPath}" "${join(PROJECT, 'node_modules/vitest/vitest.mjs')}" run 2>&1`;
  const { PATH = '', HOME = '' } = process.env;
  const { stdout } = spawnSync('/bin/sh', ['-c', vitest], { cwd: folder, env: { PATH, HOME }, encoding: 'utf8' });
  return stripVTControlCharacters(stdout);
}

describe('the output of a run', () => {
  const lines = runTests().trimEnd().split('\n');

  it('ends with the counts, after the failures outside of tests', () => {
    expect(lines.slice(-2)).toEqual([
      '2 failures outside of tests: mixed.test.ts > whose hook fails; unloadable.test.ts',
      '1 passed, 1 failed, 3 skipped',
    ]);
  });

  it('begins with the number of files, and has a line for each', () => {
    expect(lines[0]).toMatch(/: 2 files$/);
    expect(lines).toContainEqual(expect.stringMatching(/^0:\d\d [12]\/2 FAILED mixed\.test\.ts: 5 tests, \d+\.\d s$/));
  });

  it('shows the reason of a failure before the line of its file', () => {
    const failure = lines.indexOf('FAIL mixed.test.ts > fails');
    const reason = lines.findIndex((line) => line.includes('AssertionError: expected 1 to be 2'));
    const end = lines.findIndex((line) => line.includes('FAILED mixed.test.ts'));
    expect([failure >= 0, failure < reason, reason < end]).toEqual([true, true, true]);
  });
});
