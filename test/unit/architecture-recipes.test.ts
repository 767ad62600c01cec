// Each recipe of docs/extending.md fits the files of the project. test/process/recipes.test.ts uses the result.
import { cpSync, existsSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { applyRecipe, readRecipes } from '../support/recipes.ts';
import { emptyFolder, endProcesses, PROJECT } from '../support/service-process.ts';

afterEach(endProcesses);

const RECIPES = readRecipes(readFileSync(join(PROJECT, 'docs/extending.md'), 'utf8'));

it.each(RECIPES)('“$title” fits the project', (recipe) => {
  const folder = emptyFolder();
  for (const { file } of recipe.edits) {
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    if (existsSync(join(PROJECT, file))) cpSync(join(PROJECT, file), join(folder, file));
  }
  applyRecipe(folder, recipe);
});

it('the migration of a recipe has the next number', () => {
  const numbers = readdirSync(join(PROJECT, 'migrations')).map((name) => Number.parseInt(name, 10) || 0);
  const created = RECIPES.flatMap(({ edits }) => edits).flatMap(
    ({ file }) => /^migrations\/(\d+)_/.exec(file)?.[1] ?? [],
  );
  expect(created.map(Number)).toEqual([Math.max(...numbers) + 1]);
});

describe('a wrong page', () => {
  const page = (step: string) => `# Page\n\n## Add a thing\n\nText.\n\n${step}\n\nMore text.\n`;
  const block = '\n\n   ```ts\n   one\n   ```';

  it.each([
    ['Text.', '“Add a thing” has no steps'],
    ['1. Add a line to `a.ts`.', '“Add a thing”: the step has no edit: Add a line'],
    [`1. Add to \`a.ts\`:${block}`, 'is not an edit'],
    [`1. Add to \`a.ts\`.${block}`, 'a block of code without an edit before it'],
    ['1. Create `a.ts`:', 'no block of code after “Create `a.ts`:”'],
    ['1. Create `a.ts`:\n\n   ```ts\n   one', 'a block of code without an end'],
    [`1. In the same file, insert at the end:${block}`, 'names the file'],
  ])('is not read: %j', (step, problem) => {
    expect(() => readRecipes(page(step))).toThrow(problem);
  });

  it.each([
    ['Create `a.ts`:', 'a.ts exists already'],
    ['In `b.ts`, insert at the end:', 'b.ts does not exist'],
    ['In `a.ts`, insert after the line `five`:', 'a.ts has 0 places “five”, not one'],
    ['In `a.ts`, insert before the line `two`:', 'a.ts has 2 places “two”, not one'],
    ['In `a.ts`, insert at the end of `typ`:', 'a.ts has 0 places “typ”, not one'],
    ['In `a.ts`, insert at the end of `open`:', 'a.ts has no end of “open”'],
  ])('is not applied: %s', (sentence, problem) => {
    const folder = emptyFolder();
    writeFileSync(join(folder, 'a.ts'), 'type A = {\n  one;\n};\ntwo\ntwo\nopen {\n');
    const [recipe] = readRecipes(page(`1. ${sentence}${block}`));
    expect(() => applyRecipe(folder, recipe!)).toThrow(problem);
  });

  it.each([
    ['Create `c.ts`:', 'c.ts', 'one\n'],
    ['In `a.ts`, insert at the end of `type A`:', 'a.ts', 'type A = {\n  one;\none\n};\ntwo\n'],
    ['In `a.ts`, insert after\n   the line `two`:', 'a.ts', 'type A = {\n  one;\n};\ntwo\none\n'],
    ['In `a.ts`, insert before the line ``two``:', 'a.ts', 'type A = {\n  one;\n};\none\ntwo\n'],
    ['In `a.ts`, replace the line `two` with:', 'a.ts', 'type A = {\n  one;\n};\none\n'],
  ])('differs from a right one: %s', (sentence, file, text) => {
    const folder = emptyFolder();
    writeFileSync(join(folder, 'a.ts'), 'type A = {\n  one;\n};\ntwo\n');
    for (const recipe of readRecipes(page(`1. ${sentence}${block}`))) applyRecipe(folder, recipe);
    expect(readFileSync(join(folder, file), 'utf8')).toBe(text);
  });
});
