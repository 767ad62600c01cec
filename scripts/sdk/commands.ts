// Runs the tools of other languages.
import { spawnSync } from 'node:child_process';
import { delimiter, join } from 'node:path';

export const PROJECT = join(import.meta.dirname, '../..');

export interface CommandOptions {
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
}

/** Runs a program; programs of npm packages are found. Throws with its output unless it exits with 0. */
export function run(
  command: string,
  args: readonly string[],
  { cwd = PROJECT, env = {} }: CommandOptions = {},
): string {
  const path = [join(PROJECT, 'node_modules/.bin'), process.env['PATH']].join(delimiter);
  const { status, error, stdout, stderr } = spawnSync(command, args, {
    cwd,
    env: { ...process.env, PATH: path, ...env },
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
  });
  if (error) throw new Error(`${command} cannot be run: ${error.message}`, { cause: error });
  if (status !== 0) throw new Error(`${command} ${args.join(' ')} ended with ${status}:\n${stdout}${stderr}`);
  return stdout;
}
