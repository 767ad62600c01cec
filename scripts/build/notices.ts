// The licences of the packages whose code a build contains. They demand that their texts go with it.
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The folder of a package, in the path of one of its files. */
const PACKAGE = /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/;
const TEXTS = '{LICENSE,LICENCE,License,license,NOTICE,COPYING}*';

/** Returns the folders of the packages of these modules. */
export const foldersOf = (modules: readonly string[]): string[] =>
  modules.flatMap((path) => PACKAGE.exec(path)?.[0] ?? []);

/** Returns the texts for the packages in these folders. Throws if a package names no licence. */
export function noticesOf(folders: readonly string[]): string {
  const notices = folders.map((folder) => {
    const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Package;
    if (license === undefined) throw new Error(`${folder} names no licence`);
    const texts = globSync(TEXTS, { cwd: folder }).toSorted();
    const shown = texts.map((file) => readFileSync(join(folder, file), 'utf8').trim());
    return [`${name} ${version} (${license})`, ...shown].join('\n\n');
  });
  return `${notices.toSorted().join(`\n\n${'-'.repeat(80)}\n\n`)}\n`;
}

interface Package {
  readonly name: string;
  readonly version: string;
  readonly license?: string;
}
