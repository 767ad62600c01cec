// The package as npm would publish it, installed into a folder of its own.
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '../../../test/support/temporary-folder.ts';

const CLIENT = join(import.meta.dirname, '../..');

/** Packs and installs the client; returns the folder that has it in node_modules. The caller removes the folder. */
export function installPublished(): string {
  const folder = temporaryFolder('client-package-');
  const home = join(folder, 'node_modules/authservice-client');
  mkdirSync(home, { recursive: true });
  execFileSync('npm', ['pack', '--silent', '--pack-destination', folder], { cwd: CLIENT, stdio: 'pipe' });
  const archive = readdirSync(folder).find((name) => name.endsWith('.tgz'))!;
  execFileSync('tar', ['-xzf', join(folder, archive), '-C', home, '--strip-components=1']);
  cpSync(join(CLIENT, 'examples'), folder, { recursive: true });
  return folder;
}

/** The files of the package. */
export function publishedFiles(folder: string): string[] {
  return readdirSync(join(folder, 'node_modules/authservice-client'), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ name }) => name);
}
