// The npm packages that the build keeps apart, and Node, installed from the lock file for an architecture.
import { cpSync, globSync, lstatSync, mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join, sep } from 'node:path';
import { runProgram } from '../debian-archive.ts';
import type { LockedPackages } from '../sbom/document.ts';
import { FOLDER, type Architecture } from './config.ts';

/** Files that only developers read. */
const UNUSED = /\.(map|d\.[cm]?ts)$/;

/** The compiled parts of a package for one system each, by folder: argon2 and bcrypt. */
const PREBUILT = /node_modules\/[^/]+\/prebuilds\/([^/]+)\/([^/]+)$/;

/**
 * Installs the packages of `manifest`, the package.json of the build, below `packagesRoot`, and Node below `nodeRoot`, as they are in
 * the image. npm checks each against the lock file. No script of a package runs. Returns what is installed.
 */
export function installPackages(
  project: string,
  architecture: Architecture,
  {
    packagesRoot,
    nodeRoot,
    manifest,
  }: { readonly packagesRoot: string; readonly nodeRoot: string; readonly manifest: string },
): LockedPackages {
  const folder = join(packagesRoot, FOLDER);
  mkdirSync(folder, { recursive: true });
  for (const file of ['package.json', 'package-lock.json', '.npmrc']) cpSync(join(project, file), join(folder, file));
  const platform = ['--os=linux', `--cpu=${architecture}`, '--libc=glibc'];
  const quietly = ['--omit=dev', '--ignore-scripts', '--prefer-offline', '--no-audit', '--no-fund', ...platform];
  runProgram('npm', ['ci', ...quietly], folder);
  const node = `node_modules/node-linux-${architecture}`;
  const { [node]: nodePackage } = installedPackages(folder);
  moveNode(join(folder, node), nodeRoot);
  // `npm ci` demands the package.json of the lock file.
  cpSync(manifest, join(folder, 'package.json'));
  runProgram('npm', ['prune', ...quietly], folder);
  const packages = { ...installedPackages(folder), [node]: nodePackage! };
  for (const path of globSync('node_modules/**/*', { cwd: folder }))
    if (!isUsed(path, architecture) && !lstatSync(join(folder, path)).isDirectory()) rmSync(join(folder, path));
  // The programs of packages need a shell. npm wrote the rest for itself.
  for (const path of ['node_modules/.bin', 'package.json', 'package-lock.json', '.npmrc'])
    rmSync(join(folder, path), { recursive: true, force: true });
  return packages;
}

function installedPackages(folder: string): LockedPackages {
  const text = readFileSync(join(folder, 'node_modules/.package-lock.json'), 'utf8');
  return (JSON.parse(text) as { packages: LockedPackages }).packages;
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
