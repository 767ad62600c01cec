// The npm packages that users of this project get, from the lock file.
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { LockedPackages } from './document.ts';

/** An import of a package, with its name. */
const IMPORT = /(?:from |import\()'((?:@[\w-]+\/)?[a-z][\w.-]*)/g;

/** The packages of a production installation, also those for other platforms, and of the bundled pages. */
export function shippedPackages(project: string): LockedPackages {
  const production = Object.entries(readLock(project)).filter(([path, { dev }]) => path !== '' && dev !== true);
  return { ...Object.fromEntries(production), ...pagePackages(project) };
}

/** The development packages in the bundles of web/dist: those that the sources of the pages import, and their dependencies. */
export function pagePackages(project: string): LockedPackages {
  const lock = readLock(project);
  const sources = globSync('web/src/**/*.{ts,tsx}', { cwd: project });
  const texts = sources.map((path) => readFileSync(join(project, path), 'utf8'));
  const names = new Set(texts.flatMap((text) => [...text.matchAll(IMPORT)].map(([, name]) => name!)));
  if (names.size === 0) throw new Error('the pages import no packages');
  for (const name of names)
    for (const next of Object.keys(lock[`node_modules/${name}`]!.dependencies ?? {})) names.add(next);
  return lockedPackages(
    project,
    [...names].map((name) => `node_modules/${name}`),
  );
}

/** The names of the packages that only development installs. */
export function developmentPackages(project: string): ReadonlySet<string> {
  const nameOf = (path: string): string => path.split('node_modules/').at(-1)!;
  const entries = Object.entries(readLock(project));
  const shipped = new Set(entries.filter(([, { dev }]) => dev !== true).map(([path]) => nameOf(path)));
  return new Set(entries.map(([path]) => nameOf(path)).filter((name) => !shipped.has(name)));
}

/** Packages of the lock file, by their paths in it. */
export function lockedPackages(project: string, paths: readonly string[]): LockedPackages {
  const lock = readLock(project);
  return Object.fromEntries(paths.map((path) => [path, lock[path]!]));
}

function readLock(project: string): LockedPackages {
  const text = readFileSync(join(project, 'package-lock.json'), 'utf8');
  return (JSON.parse(text) as { packages: LockedPackages }).packages;
}
