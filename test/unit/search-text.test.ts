import { expect, it } from 'vitest';
import { searchText } from '../../src/platform/db/query/search-text.ts';

const finds = (query: string, ...parts: readonly (string | undefined)[]) =>
  searchText(...parts).includes(searchText(query));

it.each([
  ['ROSE', 'A rose'],
  ['é', 'E\u0301pice\u0301a'],
  ['ΟΔΟΣ', 'ΟΔΟΣΗΜΟ'],
  ['σ', 'ΟΔΟΣ'],
  ['a\nb', 'A\nB'],
])('a search text %j matches %j', (query, text) => {
  expect(finds(query, text)).toBe(true);
  expect(finds(query, 'before', undefined, text, 'after')).toBe(true);
});

it.each([['\n'], ['a\nb'], ['ab'], ['\ufffd'], ['\u00ff'], ['\u0000']])(
  'a search text %j matches within one part only',
  (query) => {
    expect(finds(query, 'a', 'b')).toBe(false);
  },
);

it('a search text matches nothing without parts', () => {
  expect(searchText(undefined)).toEqual(Buffer.alloc(0));
});
