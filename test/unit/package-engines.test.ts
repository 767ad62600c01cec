// The package `authservice` installs Node 26 beside it. So npm must not warn that the Node of the machine is too old for its packages.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { KEPT } from '../../scripts/build/build-programs.ts';
import { PROJECT } from '../support/service-process.ts';

interface Locked {
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly engines?: { readonly node?: string };
}

const { packages } = JSON.parse(readFileSync(join(PROJECT, 'package-lock.json'), 'utf8')) as {
  packages: Readonly<Record<string, Locked>>;
};
const require = createRequire(import.meta.url);
const { satisfies } = createRequire(require.resolve('sharp'))('semver') as {
  satisfies: (version: string, range: string) => boolean;
};

/** The path of a package in the lock file, as one at `from` finds it. */
function resolve(from: string, name: string): string {
  const path = `${from}${from === '' ? '' : '/'}node_modules/${name}`;
  if (path in packages || from === '') return path;
  return resolve(from.includes('/node_modules/') ? from.slice(0, from.lastIndexOf('/node_modules/')) : '', name);
}

/** The packages that npm installs with the package, optional ones excepted, whose engines it does not warn of. */
function installedPackages(): ReadonlySet<string> {
  const found = new Set<string>();
  const visit = (from: string, name: string) => {
    const path = resolve(from, name);
    if (found.has(path)) return;
    found.add(path);
    for (const dependency of Object.keys(packages[path]!.dependencies ?? {})) visit(path, dependency);
  };
  for (const name of KEPT) visit('', name);
  return found;
}

it.each(['20.19.0', '21.7.0', '22.0.0', '23.0.0', '24.0.0', '25.0.0', '26.0.0'])(
  'npm warns of no package on Node %s',
  (version) => {
    const paths = [...installedPackages()];
    expect(paths.length).toBeGreaterThan(50);
    expect(paths.filter((path) => !satisfies(version, packages[path]!.engines?.node ?? '*'))).toEqual([]);
  },
);
