// Fails if a relative link in a document points to a missing file or heading. Anchors of headings follow GitHub's rules.
import { existsSync, globSync, readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';

const CODE_BLOCK = /^( *)```.*?^\1```/gms;
const LINK = /\]\(([^)\s]+)\)/g;
const HEADING = /^#+ (.+)$/gm;

const pages = globSync(['*.md', 'client/*.md', 'docs/**/*.md', 'examples/*.md', 'sdk/**/README.md', 'site/index.md']);
const broken = pages.flatMap((page) => {
  const links = [...textOf(page).matchAll(LINK)].map(([, link]) => link!);
  return links.filter((link) => !/^[a-z]+:/.test(link) && !resolves(page, link)).map((link) => `${page}: ${link}`);
});
if (pages.length === 0) throw new Error('no documents found');
if (broken.length > 0) {
  console.error(`broken links:\n${broken.join('\n')}`);
  process.exitCode = 1;
}

/** The text without its code blocks. */
function textOf(page: string): string {
  return readFileSync(page, 'utf8').replaceAll(CODE_BLOCK, '');
}

function resolves(page: string, link: string): boolean {
  const [path, anchor] = link.split('#') as [string, string?];
  const target = path === '' ? page : join(dirname(page), path);
  if (!existsSync(target)) return false;
  if (anchor === undefined || statSync(target).isDirectory()) return anchor === undefined;
  return [...textOf(target).matchAll(HEADING)].some(([, heading]) => anchorOf(heading!) === anchor);
}

function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .replaceAll(' ', '-');
}
