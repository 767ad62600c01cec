// The test files of a worker share its heap, so none of them fills it for the others.
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const OWN = 'test/unit/architecture-test-memory.test.ts';
/** For these, fast-check keeps an index of all 1,112,064 code points: 100 MB. */
const INDEXES_CODE_POINTS = /\bunit: 'binary'|\bwithUnicodeString: true/;

it('tests take texts of any code points from test/support/texts.ts', () => {
  const exclude = ['**/node_modules', OWN];
  const paths = globSync('{test,client/test,web/test}/**/*.{ts,tsx}', { cwd: ROOT, exclude });
  expect(paths.length).toBeGreaterThan(600);
  expect(paths.filter((path) => INDEXES_CODE_POINTS.test(readFileSync(join(ROOT, path), 'utf8')))).toEqual([]);
});

it.each([
  ["fc.string({ unit: 'binary' })", true],
  ['fc.anything({ withUnicodeString: true })', true],
  ["fc.string({ unit: 'binary-ascii' })", false],
])('finds %s: %s', (text, isFound) => {
  expect(INDEXES_CODE_POINTS.test(text)).toBe(isFound);
});
