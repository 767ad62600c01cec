// The files of which the pages are built. It imports no bundler, so that each installation can read it.
import { createHash } from 'node:crypto';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const PROJECT = join(import.meta.dirname, '../..');
const FILES = ['web/src/**/*.*', 'web/styles/*.css', 'web/build/*.ts', 'client/src/**/*.ts', 'client/demo/icon.svg'];

/** Returns a digest of the sources: of their names and contents. */
export function hashSources(): string {
  const hash = createHash('sha256');
  for (const name of globSync(FILES, { cwd: PROJECT }).toSorted())
    hash.update(name).update(readFileSync(join(PROJECT, name)));
  return hash.digest('hex');
}
