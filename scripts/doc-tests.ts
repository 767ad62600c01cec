// Fails if docs/threat-model.md has a promise without a test, or names a test that does not exist. A promise is a row of a table
// with the columns Promise and Test. A test is a link to its file, a colon, and its title. A title that ends with … names the one title
// of the file that begins like that.
import { existsSync, readFileSync } from 'node:fs';

const PAGE = 'docs/threat-model.md';
const TABLE = /^\| Promise \| Test \|\n\|[-|]+\|\n((?:\|.*\|\n)+)/gm;
const ROW = /^\| (.+?) \| (.+?) \|$/;
const TEST = /^\[[^\]]+\]\(\.\.\/((?:web\/|client\/)?test\/[\w./-]+\.test\.ts)\): (.+)$/;

const rows = [...readFileSync(PAGE, 'utf8').matchAll(TABLE)].flatMap(([, body]) => body!.trimEnd().split('\n'));
const problems = rows.flatMap(problemsOf);
if (rows.length === 0) problems.push('no promises found');
if (problems.length > 0) {
  console.error(`${PAGE}:\n${problems.join('\n')}`);
  process.exitCode = 1;
}

function problemsOf(row: string): string[] {
  const [, promise, test = ''] = ROW.exec(row) ?? [];
  const [, path, title] = TEST.exec(test) ?? [];
  if (promise === undefined || path === undefined) return [`no test: ${row}`];
  if (!existsSync(path)) return [`${path} does not exist: ${promise}`];
  const start = title!.replace(/…$/, '');
  const named = [...titlesOf(path)].filter((each) => (start === title ? each === title : each.startsWith(start)));
  return named.length === 1 ? [] : [`${path} has ${named.length} tests “${title}”: ${promise}`];
}

/** All literals of a test file that can be titles, as they are written. */
function titlesOf(path: string): ReadonlySet<string> {
  const text = readFileSync(path, 'utf8');
  const titles = text.matchAll(/(?:\b(?:it|describe)|\)|\])\(\s*(?:'((?:[^'\\\n]|\\.)+)'|"([^"\n]+)"|`([^`]+)`)/g);
  return new Set(
    [...titles].map(([, single, double, template]) => (single ?? double ?? template)!.replaceAll("\\'", "'")),
  );
}
