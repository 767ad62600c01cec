import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const PROJECT = new URL('..', import.meta.url);

/** Writes a generated file of the project. With --check on the command line, it writes nothing and fails if the file differs. */
export function writePage(path: string, text: string): void {
  const file = fileURLToPath(new URL(path, PROJECT));
  if (!process.argv.includes('--check')) writeFileSync(file, text);
  else if (readFileSync(file, 'utf8') !== text) {
    console.error(`${path} is not up to date; run: npm run generate && npm run docs`);
    process.exitCode = 1;
  }
}
