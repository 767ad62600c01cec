// The tests that a document names: a link to a file, a colon, and a title. A title that ends with … names the one title of the file that
// begins like that.
import { existsSync, readFileSync } from 'node:fs';

const TEST = /^\[[^\]]+\]\(\.\.\/((?:web\/|client\/)?test\/[\w./-]+\.test\.ts)\): (.+)$/;

/** Returns what is wrong with the name of a test; undefined if exactly one test has it. */
export function findTestFault(test: string): string | undefined {
  const [, path, title] = TEST.exec(test) ?? [];
  if (path === undefined) return 'names no test';
  if (!existsSync(path)) return `${path} does not exist`;
  const start = title!.replace(/…$/, '');
  const named = [...titlesOf(path)].filter((each) => (start === title ? each === title : each.startsWith(start)));
  return named.length === 1 ? undefined : `${path} has ${named.length} tests “${title}”`;
}

/** All literals of a test file that can be titles, as they are written. */
function titlesOf(path: string): ReadonlySet<string> {
  const text = readFileSync(path, 'utf8');
  const titles = text.matchAll(/(?:\b(?:it|describe)|\)|\])\(\s*(?:'((?:[^'\\\n]|\\.)+)'|"([^"\n]+)"|`([^`]+)`)/g);
  return new Set(
    [...titles].map(([, single, double, template]) => (single ?? double ?? template)!.replaceAll("\\'", "'")),
  );
}
