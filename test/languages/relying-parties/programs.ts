// Relying parties that are programs.
import { once } from 'node:events';
import type { ChildProcess } from 'node:child_process';
import { start } from '../commands.ts';

/** Starts a program, and resolves when it prints where it listens. */
export async function startParty(
  command: string,
  args: readonly string[],
  env: Readonly<Record<string, string>>,
): Promise<ChildProcess> {
  const child = start(command, args, { env });
  let output = '';
  const listening = new Promise<void>((resolve, reject) => {
    for (const stream of [child.stdout!, child.stderr!])
      stream.setEncoding('utf8').on('data', (text: string) => {
        output += text;
        if (/^listening on /m.test(output)) resolve();
      });
    child.once('exit', () => reject(new Error(`${command} ended:\n${output}`)));
  });
  await listening;
  return child;
}

export async function endParty(child: ChildProcess | undefined): Promise<void> {
  if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
  child.kill('SIGKILL');
  await once(child, 'exit');
}
