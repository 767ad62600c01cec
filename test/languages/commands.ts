// Runs the commands of other languages' tools.
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';

export interface CommandOptions {
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
}

/** Runs a command; resolves with its standard output, rejects with all of its output unless it exits with 0. */
export async function run(command: string, args: readonly string[], options: CommandOptions = {}): Promise<string> {
  const child = start(command, args, options);
  let output = '';
  let errors = '';
  child.stdout!.setEncoding('utf8').on('data', (text: string) => (output += text));
  child.stderr!.setEncoding('utf8').on('data', (text: string) => (errors += text));
  const [code, signal] = (await once(child, 'close')) as [number | null, string | null];
  if (code === 0) return output;
  throw new Error(`${command} ${args.join(' ')} ended with ${code ?? signal}:\n${output}${errors}`);
}

/** Runs lines of a shell that stops at the first failure. */
export const runShell = (script: string, options: CommandOptions = {}): Promise<string> =>
  run('bash', ['-euo', 'pipefail', '-c', script], options);

export function start(command: string, args: readonly string[], { cwd, env = {} }: CommandOptions): ChildProcess {
  return spawn(command, args, { cwd, env: { ...process.env, ...env }, stdio: ['ignore', 'pipe', 'pipe'] });
}
