// Writes the results of a run into docs/: the page, the picture, and the tables of performance.md.
import { readFileSync, writeFileSync } from 'node:fs';
import { page, picture } from './page.ts';
import { circumstances, figuresTable, shortTable } from './report.ts';
import type { Run } from './results.ts';

const DOCS = new URL('../docs/', import.meta.url);
const BEGIN = '<!-- Written by npm run bench -- --docs: begin -->';
const END = '<!-- end -->';

export function writeDocs(run: Run): void {
  writeFileSync(new URL('performance.html', DOCS), page(run));
  writeFileSync(new URL('performance.svg', DOCS), `${picture(run)}\n`);
  const file = new URL('performance.md', DOCS);
  writeFileSync(file, withResults(readFileSync(file, 'utf8'), run));
}

/** Returns a page with the results between its two marks replaced. */
export function withResults(text: string, run: Run): string {
  const begin = text.indexOf(BEGIN);
  const end = text.indexOf(END, begin);
  if (begin === -1 || end === -1) throw new Error('The page has no marks for the results');
  const results = [circumstances(run), shortTable(run.results), figuresTable(run.figures)].join('\n\n');
  return `${text.slice(0, begin)}${BEGIN}\n\n${results}\n\n${text.slice(end)}`;
}
