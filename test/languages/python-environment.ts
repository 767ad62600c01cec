// Virtual environments of Python with the packages of a requirements file.
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { run } from './commands.ts';
import { CACHE, requirePrograms } from './toolchain.ts';

/** Returns the folder of the programs of an environment with these packages, and installs them if they are missing. */
export async function pythonEnvironment(requirements: string, pipOptions: readonly string[] = []): Promise<string> {
  requirePrograms('python3');
  const id = createHash('sha256').update(readFileSync(requirements)).digest('hex').slice(0, 8);
  const folder = join(CACHE, `python-${id}`);
  const complete = join(folder, 'complete');
  if (!existsSync(complete)) {
    console.log(`Installing the Python packages of ${requirements} …`);
    rmSync(folder, { recursive: true, force: true });
    await run('python3', ['-m', 'venv', folder]);
    await run(join(folder, 'bin/pip'), ['install', '--quiet', ...pipOptions, '-r', requirements]);
    await run('touch', [complete]);
  }
  return join(folder, 'bin');
}
