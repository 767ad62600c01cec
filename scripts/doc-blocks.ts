// Fails if a document has a block of commands that no test runs, unless a comment before the block says why.
import { existsSync, globSync, readFileSync } from 'node:fs';
import { PAGE_TESTS } from './doc-blocks-tests.ts';
import { shellBlocks, type ShellBlock } from './shell-blocks.ts';

/** They follow all pages of a folder. */
const FOLDER_TESTS: Readonly<Record<string, string>> = { 'docs/grpc/': 'test/languages/follow-page.ts' };
const PAGES = [
  '*.md',
  'site/index.md',
  '{client,examples,web,sdk}/**/README.md',
  'docs/*.md',
  'docs/{grpc,frameworks}/*.md',
];
const NOT_PAGES = /node_modules|^CHANGELOG/;

const pages = globSync(PAGES).filter((page) => !NOT_PAGES.test(page));
const problems = pages.flatMap(shellBlocks).flatMap((block) => {
  const problem = problemOf(block);
  return problem === undefined ? [] : [`${block.page}:${block.line}: ${problem}`];
});
if (pages.length === 0) throw new Error('no documents found');
if (problems.length > 0) {
  console.error(`commands that no test runs:\n${problems.join('\n')}`);
  process.exitCode = 1;
}

function problemOf({ page, mark }: ShellBlock): string | undefined {
  if (mark.kind === 'none')
    return 'put <!-- run NAME --> before the block and run it by a test, or <!-- not-run: REASON -->';
  if (mark.kind === 'not-run')
    return mark.reason.length < 15 ? 'say why the block is not run' : missingTest(mark.reason);
  if (mark.kind === 'snippet') return existsSync(mark.path) ? undefined : `${mark.path} does not exist`;
  const test = PAGE_TESTS[page] ?? Object.entries(FOLDER_TESTS).find(([folder]) => page.startsWith(folder))?.[1];
  if (test === undefined) return 'scripts/doc-blocks-tests.ts names no test that runs the commands of this page';
  return existsSync(test) ? undefined : `${test} does not exist`;
}

/** A reason that names a test or a folder must name one that exists. */
function missingTest(reason: string): string | undefined {
  const names = reason.match(/\b(?:client\/)?(?:test|scripts)\/[\w./-]*\w/g) ?? [];
  const missing = names.find((name) => !existsSync(name) && globSync(`${name}*`).length === 0);
  return missing === undefined ? undefined : `${missing} does not exist`;
}

// Each page of the table has commands that are run, and its test reads the page.
for (const [page, test] of Object.entries(PAGE_TESTS)) {
  const isRun = shellBlocks(page).some(({ mark }) => mark.kind === 'run');
  const reads = readFileSync(test, 'utf8');
  if (!isRun || !(reads.includes(page) || reads.includes('PAGE_TESTS'))) {
    console.error(`scripts/doc-blocks-tests.ts: ${test} runs no commands of ${page}`);
    process.exitCode = 1;
  }
}
