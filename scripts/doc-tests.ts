// Fails if docs/threat-model.md has a promise without a test, or names a test that does not exist. A promise is a row of a table
// with the columns Promise and Test. test/unit/asvs.test.ts checks the tests that docs/asvs.md names.
import { readFileSync } from 'node:fs';
import { findTestFault } from './named-tests.ts';

const PAGE = 'docs/threat-model.md';
const TABLE = /^\| Promise \| Test \|\n\|[-|]+\|\n((?:\|.*\|\n)+)/gm;
const ROW = /^\| (.+?) \| (.+?) \|$/;

const rows = [...readFileSync(PAGE, 'utf8').matchAll(TABLE)].flatMap(([, body]) => body!.trimEnd().split('\n'));
const problems = rows.flatMap((row) => {
  const [, promise = row, test = ''] = ROW.exec(row) ?? [];
  return findTestFault(test)?.concat(`: ${promise}`) ?? [];
});
if (rows.length === 0) problems.push('no promises found');
if (problems.length > 0) {
  console.error(`${PAGE}:\n${problems.join('\n')}`);
  process.exitCode = 1;
}
