// Reads the recipes of docs/extending.md as edits and applies them, so that the page is the only source. A recipe is a section
// `## Add …` with numbered steps. Each step has one or more of these sentences, each before a block of code:
//
//   Create `FILE`:
//   In `FILE`, insert at the end:
//   In `FILE`, insert at the end of `FIRST WORDS OF A LINE`:          before the line that closes this block
//   In `FILE`, insert after the line `LINE`:                          or: before the line
//   In `FILE`, replace the line `LINE` with:
//
// `the same file` is the file of the edit before. Lines are compared without their indentation and must be unique. Other
// paragraphs of a step are for readers; they have no block and do not end with a colon.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** One edit of a file. */
export interface Edit {
  /** Path in the project. */
  readonly file: string;
  readonly place: Place;
  readonly code: string;
}

type Place =
  | { readonly kind: 'new file' | 'end' }
  | { readonly kind: 'end of' | 'after' | 'before' | 'instead of'; readonly line: string };

/** A recipe by its title, such as `Add an optional field`. */
export interface Recipe {
  readonly title: string;
  readonly edits: readonly Edit[];
}

const SECTION = /^## (Add .+)$/m;
const CREATE = /^Create `([^`]+)`:$/;
const INSERT =
  /^In (?:`([^`]+)`|the same file), (?:insert (at the end)|(?:insert (at the end of|after the line|before the line)|(replace the line)) (`+)(.+?)\5(?: with)?):$/;
const KINDS: Readonly<Record<string, 'end of' | 'after' | 'before' | 'instead of'>> = {
  'at the end of': 'end of',
  'after the line': 'after',
  'before the line': 'before',
  'replace the line': 'instead of',
};

/** Returns the recipes of a page. Throws if a step is not an edit. */
export function readRecipes(page: string): Recipe[] {
  const [, ...parts] = page.split(SECTION);
  const titles = parts.filter((_, index) => index % 2 === 0);
  return titles.map((title, index) => {
    const edits: Edit[] = [];
    for (const step of stepsOf(parts[index * 2 + 1]!)) {
      const before = edits.length;
      readStep(step, edits, (problem) => new Error(`“${title}”: ${problem}: ${step.split('\n')[0]}`));
      if (edits.length === before) throw new Error(`“${title}”: the step has no edit: ${step.split('\n')[0]}`);
    }
    if (edits.length === 0) throw new Error(`“${title}” has no steps`);
    return { title, edits };
  });
}

/** The numbered items of a section, without numbers and indentation. */
function stepsOf(section: string): string[] {
  const steps: string[] = [];
  let inStep = false;
  for (const line of section.split(/^## /m)[0]!.split('\n')) {
    const [, number, first] = /^(\d+\. )(.*)/.exec(line) ?? [];
    if (number !== undefined) steps.push(first!);
    else if (/^\S/.test(line)) inStep = false;
    else if (inStep) steps.push(`${steps.pop()!}\n${line.slice(3)}`);
    inStep ||= number !== undefined;
  }
  return steps;
}

/** Adds the edits of a step. */
function readStep(step: string, edits: Edit[], fail: (problem: string) => Error): void {
  let paragraph: string[] = [];
  let sentence: string | undefined;
  let code: string[] | undefined;
  const endParagraph = () => {
    const text = paragraph.join(' ');
    paragraph = [];
    if (text === '') return;
    if (sentence !== undefined) throw fail(`no block of code after “${sentence}”`);
    if (text.endsWith(':')) sentence = text;
  };
  for (const line of [...step.split('\n'), '']) {
    if (code !== undefined && line === '```') {
      edits.push(readEdit(sentence!, code.join('\n'), edits.at(-1)?.file, fail));
      code = sentence = undefined;
    } else if (code !== undefined) code.push(line);
    else if (line.startsWith('```')) {
      endParagraph();
      if (sentence === undefined) throw fail('a block of code without an edit before it');
      code = [];
    } else if (line.trim() === '') endParagraph();
    else paragraph.push(line.trim());
  }
  if (code !== undefined) throw fail('a block of code without an end');
  if (sentence !== undefined) throw fail(`no block of code after “${sentence}”`);
}

function readEdit(text: string, code: string, lastFile: string | undefined, fail: (problem: string) => Error): Edit {
  const [, created] = CREATE.exec(text) ?? [];
  if (created !== undefined) return { file: created, place: { kind: 'new file' }, code };
  const [matched, named, end, insert, replace, , line] = INSERT.exec(text) ?? [];
  if (matched === undefined) throw fail(`“${text}” is not an edit`);
  const file = named ?? lastFile;
  if (file === undefined) throw fail(`no edit before “${text}” names the file`);
  if (end !== undefined) return { file, place: { kind: 'end' }, code };
  return { file, place: { kind: KINDS[(insert ?? replace)!]!, line: line!.trim() }, code };
}

/** Applies the edits of a recipe to a copy of the project. Throws if one does not fit. */
export function applyRecipe(project: string, { title, edits }: Recipe): void {
  for (const { file, place, code } of edits) {
    const path = join(project, file);
    const fail = (problem: string) => new Error(`“${title}”: ${file} ${problem}`);
    if (place.kind === 'new file') {
      if (existsSync(path)) throw fail('exists already');
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, `${code}\n`);
      continue;
    }
    if (!existsSync(path)) throw fail('does not exist');
    const lines = readFileSync(path, 'utf8').trimEnd().split('\n');
    const [at, removed] = find(lines, place, fail);
    lines.splice(at, removed, code);
    writeFileSync(path, `${lines.join('\n')}\n`);
  }
}

/** Returns where to insert, and how many lines the code replaces. */
function find(
  lines: readonly string[],
  place: Exclude<Place, { readonly kind: 'new file' }>,
  fail: (problem: string) => Error,
): [at: number, removed: number] {
  if (place.kind === 'end') return [lines.length, 0];
  const { kind, line: wanted } = place as Extract<Place, { readonly line: string }>;
  const fits = (text: string) =>
    kind === 'end of'
      ? text.startsWith(wanted) && !/^\w/.test(text.slice(wanted.length)) && /[[({]$/.test(text)
      : text === wanted;
  const found = lines.flatMap((line, index) => (fits(line.trim()) ? [index] : []));
  const [at] = found;
  if (at === undefined || found.length > 1) throw fail(`has ${found.length} places “${wanted}”, not one`);
  if (kind === 'after') return [at + 1, 0];
  if (kind === 'before') return [at, 0];
  if (kind === 'instead of') return [at, 1];
  const indent = /^ */.exec(lines[at]!)![0];
  const closing = lines.findIndex((line, index) => index > at && new RegExp(`^${indent}[\\])}]`).test(line));
  if (closing === -1) throw fail(`has no end of “${wanted}”`);
  return [closing, 0];
}
