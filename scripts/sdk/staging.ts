// Folders in which the packages are made. What tools left there stays, so that the next run does less.
import { cpSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PROJECT, run } from './commands.ts';

/** The packages; git ignores it. */
export const BUILD = join(PROJECT, 'build');

/** The version of all packages. */
export const { version: VERSION } = JSON.parse(readFileSync(join(PROJECT, 'package.json'), 'utf8')) as {
  version: string;
};

/** Stands for the version in the files of `sdk`. */
const PLACEHOLDER = '0.0.0';

/**
 * Copies a folder of `sdk` to build/sdk, with the licence and the service config. `versioned` are the files with the version, as
 * patterns.
 */
export function stage(name: string, versioned: readonly string[]): string {
  const folder = join(BUILD, 'sdk', name);
  mkdirSync(folder, { recursive: true });
  for (const file of trackedFiles(`sdk/${name}`)) {
    cpSync(join(PROJECT, 'sdk', name, file), join(folder, file), { preserveTimestamps: true });
  }
  cpSync(join(PROJECT, 'LICENSE'), join(folder, 'LICENSE'));
  for (const file of versioned.flatMap((pattern) => globSync(pattern, { cwd: folder }))) {
    const path = join(folder, file);
    writeFileSync(path, readFileSync(path, 'utf8').replaceAll(PLACEHOLDER, VERSION));
  }
  return folder;
}

/** The files of a folder that are in the repository, or will be. */
export function trackedFiles(folder: string): string[] {
  const cwd = join(PROJECT, folder);
  return run('git', ['ls-files', '--cached', '--others', '--exclude-standard'], { cwd })
    .split('\n')
    .filter((file) => file !== '');
}

export function emptyFolder(path: string): string {
  rmSync(path, { recursive: true, force: true });
  mkdirSync(path, { recursive: true });
  return path;
}
