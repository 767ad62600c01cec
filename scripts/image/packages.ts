// The npm packages of production and Node, installed from the lock file for an architecture.
import { cpSync, globSync, lstatSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join, sep } from 'node:path';
import { runProgram } from '../debian-archive.ts';
import type { LockedPackages } from '../sbom/document.ts';
import { FOLDER, type Architecture } from './config.ts';

/** Files that only developers read. */
const UNUSED = /\.(map|d\.[cm]?ts)$/;

/** The compiled parts of a package for one system each, by folder: argon2 and bcrypt. */
const PREBUILT = /node_modules\/[^/]+\/prebuilds\/([^/]+)\/([^/]+)$/;

/**
 * Installs the packages below `packagesRoot`, and Node below `nodeRoot`, as they are in the image. npm checks each against the
 * lock file. No script of a package runs.
 */
export function installPackages(
  project: string,
  architecture: Architecture,
  { packagesRoot, nodeRoot }: { readonly packagesRoot: string; readonly nodeRoot: string },
): LockedPackages {
  const folder = join(packagesRoot, FOLDER);
  mkdirSync(folder, { recursive: true });
  for (const file of ['package.json', 'package-lock.json', '.npmrc']) cpSync(join(project, file), join(folder, file));
  const platform = ['--os=linux', `--cpu=${architecture}`, '--libc=glibc'];
  runProgram(
    'npm',
    ['ci', '--omit=dev', '--ignore-scripts', '--prefer-offline', '--no-audit', '--no-fund', ...platform],
    folder,
  );
  const { packages } = JSON.parse(readFileSync(join(folder, 'node_modules/.package-lock.json'), 'utf8')) as {
    packages: LockedPackages;
  };
  moveNode(join(folder, 'node_modules', `node-linux-${architecture}`), nodeRoot);
  for (const path of globSync('node_modules/**/*', { cwd: folder }))
    if (!isUsed(path, architecture) && !lstatSync(join(folder, path)).isDirectory()) rmSync(join(folder, path));
  // The programs of packages need a shell. npm wrote the rest for itself.
  for (const path of ['node_modules/.bin', 'package-lock.json', '.npmrc'])
    rmSync(join(folder, path), { recursive: true, force: true });
  removeDevelopment(join(folder, 'package.json'));
  return packages;
}

function isUsed(path: string, architecture: Architecture): boolean {
  if (UNUSED.test(path)) return false;
  const [, system, file] = PREBUILT.exec(path.replaceAll(sep, '/')) ?? [];
  return system === undefined || (system === `linux-${architecture}` && !file!.includes('musl'));
}

/** Node itself and its licences. The package also has headers, npm and documents. */
function moveNode(from: string, nodeRoot: string): void {
  mkdirSync(join(nodeRoot, 'usr/local/bin'), { recursive: true });
  mkdirSync(join(nodeRoot, 'usr/share/doc/node'), { recursive: true });
  renameSync(join(from, 'bin/node'), join(nodeRoot, 'usr/local/bin/node'));
  renameSync(join(from, 'LICENSE'), join(nodeRoot, 'usr/share/doc/node/LICENSE'));
  rmSync(from, { recursive: true });
}

function removeDevelopment(file: string): void {
  const {
    scripts: _,
    devDependencies: __,
    ...rest
  } = JSON.parse(readFileSync(file, 'utf8')) as Record<string, unknown>;
  writeFileSync(file, `${JSON.stringify(rest, null, 2)}\n`);
}
