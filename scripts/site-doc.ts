// Copies parts of docs/comparison.md into the front page of the site, so that each fact and its source stand once. A comment names
// the part: `<!-- table DOCUMENT HEADING: ROW, ROW -->` or `<!-- section DOCUMENT HEADING -->`. It ends at `<!-- end -->`.
import { readFileSync } from 'node:fs';
import { moveLink } from '../site/links.ts';
import { writePage } from './write-page.ts';

const PAGE = 'site/index.md';
const PART = /^(<!-- (table|section) (\S+) ([^:\n]+?)(?:: (.+))? -->\n)[\s\S]*?^<!-- end -->$/gm;
const LINK = /\]\(([^)\s]+)\)/g;

const text = readFileSync(PAGE, 'utf8');
if (!PART.test(text)) throw new Error(`${PAGE} has no parts of other documents`);
const current = text.replaceAll(
  PART,
  (_, comment: string, kind: string, document: string, heading: string, rows = '') => {
    const part = kind === 'table' ? table(document, heading, rows.split(', ')) : section(document, heading);
    const moved = part.replaceAll(LINK, (__, link: string) => `](${moveLink(link, document, PAGE)})`);
    return `${comment}\n${moved}\n\n<!-- end -->`;
  },
);
writePage(PAGE, current);

function section(document: string, heading: string): string {
  const part = readFileSync(document, 'utf8').split(`\n## ${heading}\n`)[1]?.split(/^## /m)[0];
  if (part === undefined) throw new Error(`${document} has no section “${heading}”`);
  return part.trim();
}

function table(document: string, heading: string, names: readonly string[]): string {
  const lines = section(document, heading).split('\n');
  const start = lines.findIndex((line) => line.startsWith('|'));
  const rows = names.map((name) => {
    const row = lines.find((line) => line.startsWith(`| ${name} |`));
    if (row === undefined) throw new Error(`${document} has no row “${name}”`);
    return row;
  });
  return [...lines.slice(start, start + 2), ...rows].join('\n');
}
