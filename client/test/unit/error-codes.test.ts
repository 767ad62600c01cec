// The README explains each error code that the client itself sets.
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';

const CLIENT = join(import.meta.dirname, '../..');
const read = (path: string) => readFileSync(join(CLIENT, path), 'utf8');

it('the table of error codes in the README has exactly the codes of the sources', () => {
  const sources = globSync('src/*.ts', { cwd: CLIENT }).map(read).join('\n');
  const [, union = ''] = /type ClientCode =([^;]*);/.exec(sources) ?? [];
  const codes = [
    ...union.matchAll(/'([^']+)'/g),
    ...sources.matchAll(/\bcode: '([^']+)'/g),
    ...sources.matchAll(/const INVALID = '([^']+)'/g),
  ].map(([, code]) => code!);
  if (sources.includes('`http-${status}`')) codes.push('http-STATUS');
  const [, section = ''] = /\n## Error codes\n(.*?)\n## /s.exec(read('README.md')) ?? [];
  const documented = [...section.matchAll(/^\| `([^`]+)` \|/gm)].map(([, code]) => code!);
  expect(documented.toSorted()).toEqual([...new Set(codes)].toSorted());
});
