// The package as npm would publish it from a fresh clone, installed into a folder of its own.
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { PROJECT } from '../../../test/support/service-process.ts';
import { temporaryFolder } from '../../../test/support/temporary-folder.ts';

const CLONED = ['client', 'package.json', 'tsconfig.json', 'src/platform/process/require-node.cjs'];

/** Copies what the client is built from, without its build. Returns the folder of the client in it. */
export function cloneClient(folder: string): string {
  for (const path of CLONED) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    cpSync(join(PROJECT, path), join(folder, path), { recursive: true });
  }
  rmSync(join(folder, 'client/dist'), { recursive: true, force: true });
  symlinkSync(join(PROJECT, 'node_modules'), join(folder, 'node_modules'));
  return join(folder, 'client');
}

/** Runs npm as a user does, without the variables of the npm that runs the tests. */
export function npm(cwd: string, ...args: string[]): string {
  const env = Object.fromEntries(
    Object.entries(process.env).filter(([name]) => !name.toLowerCase().startsWith('npm_')),
  );
  return execFileSync('npm', args, { cwd, env, encoding: 'utf8', stdio: 'pipe' });
}

/**
 * Packs and installs the client; returns the folder that has it in node_modules. The caller removes the folder.
 *
 * @param example A project to install it into, with its packages. By default, it is a project without any.
 */
export function installPublished(example?: string): string {
  const clone = temporaryFolder('client-clone-');
  const folder = temporaryFolder('client-package-');
  npm(cloneClient(clone), 'pack', '--silent', '--pack-destination', folder);
  const archive = readdirSync(folder).find((name) => name.endsWith('.tgz'))!;
  if (example === undefined)
    writeFileSync(join(folder, 'package.json'), JSON.stringify({ name: 'consumer', private: true, type: 'module' }));
  else cpSync(example, folder, { recursive: true });
  npm(folder, 'install', '--silent', '--no-audit', '--no-fund', '--prefer-offline', `./${archive}`);
  rmSync(clone, { recursive: true });
  return folder;
}

/** The files of the package. */
export function publishedFiles(folder: string): string[] {
  return readdirSync(join(folder, 'node_modules/authservice-client'), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ name }) => name);
}
