// Relying parties that are programs.
import { once } from 'node:events';
import type { ChildProcess } from 'node:child_process';
import { start } from '../commands.ts';

interface StartOptions {
  readonly cwd?: string;
  /** Answers when the program is ready. Default: it prints `listening on`. */
  readonly url?: string;
}

const LIMIT_MS = 300_000;
const PAUSE_MS = 100;
const running = new Set<ChildProcess>();
process.once('exit', () => running.forEach((child) => child.kill('SIGKILL')));

/** Starts a program, and resolves when it is ready. */
export async function startParty(
  command: string,
  args: readonly string[],
  env: Readonly<Record<string, string>>,
  { cwd, url }: StartOptions = {},
): Promise<ChildProcess> {
  const child = start(command, args, { env, ...(cwd !== undefined && { cwd }) });
  running.add(child);
  let output = '';
  let isEnded = false;
  const listening = Promise.withResolvers<void>();
  for (const stream of [child.stdout!, child.stderr!])
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text;
      if (url === undefined && /^listening on /m.test(output)) listening.resolve();
    });
  child.once('exit', () => {
    isEnded = true;
    running.delete(child);
    listening.reject(new Error(`${command} ended:\n${output}`));
  });
  if (url !== undefined)
    void answers(url, () => isEnded).then(listening.resolve, (error: unknown) =>
      listening.reject(new Error(`${String(error)}\n${output}`)),
    );
  await listening.promise;
  return child;
}

/** Waits until a URL answers, with any status. */
async function answers(url: string, isEnded: () => boolean): Promise<void> {
  const giveUpAt = performance.now() + LIMIT_MS;
  while (!isEnded() && performance.now() < giveUpAt) {
    const isUp = await fetch(url, { redirect: 'manual' }).then(
      () => true,
      () => false,
    );
    if (isUp) return;
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
  }
  throw new Error(`${url} does not answer`);
}

export async function endParty(child: ChildProcess | undefined): Promise<void> {
  if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
  child.kill('SIGKILL');
  await once(child, 'exit');
}
