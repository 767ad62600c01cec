import { run } from './commands.ts';
import type { Core } from './cores.ts';
import { EXAMPLES, folderOf, type Language } from './examples.ts';

/** Runs the machine client of an example, which calls for some seconds; resolves with its output. */
export async function runMachineClient(
  language: Language,
  workspace: string,
  env: Core['env'],
  seconds: number,
): Promise<string> {
  const [program, ...args] = EXAMPLES[language].command(workspace);
  const cwd = folderOf(workspace, language);
  return run(program, [...args, 'machine'], { cwd, env: { ...env, CORE_SECONDS: String(seconds) } });
}
