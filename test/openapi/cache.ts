// Tools at fixed versions in the user's cache folder, installed when they are first needed.
import { createHash } from 'node:crypto';
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { run } from '../languages/commands.ts';
import { CACHE, requirePrograms } from '../languages/toolchain.ts';

/** The folder of a tool whose versions stand in a file: made by `install` unless it is complete. */
async function cached(name: string, versions: string, install: (folder: string) => Promise<unknown>): Promise<string> {
  const id = createHash('sha256').update(readFileSync(versions)).digest('hex').slice(0, 8);
  const folder = join(CACHE, `${name}-${id}`);
  const complete = join(folder, 'complete');
  if (existsSync(complete)) return folder;
  console.log(`Installing what ${versions} lists …`);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  await install(folder);
  writeFileSync(complete, '');
  return folder;
}

/** The programs of a virtual environment with the packages of a requirements file. */
export async function pythonPackages(name: string, requirements: string): Promise<string> {
  requirePrograms('python3');
  const folder = await cached(name, requirements, async (made) => {
    await run('python3', ['-m', 'venv', made]);
    await run(join(made, 'bin/pip'), ['install', '--quiet', '-r', requirements]);
  });
  return join(folder, 'bin');
}

/** The programs of the npm packages of a folder's lock file. */
export async function npmPackages(name: string, source: string): Promise<string> {
  const folder = await cached(name, join(source, 'package-lock.json'), async (made) => {
    for (const file of ['package.json', 'package-lock.json']) cpSync(join(source, file), join(made, file));
    await run('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund'], { cwd: made });
  });
  return join(folder, 'node_modules/.bin');
}
