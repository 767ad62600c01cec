import { fstatSync, writeFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { CommandFailure } from '../failure.ts';
import { EXIT } from '../exit-codes.ts';
import type { Terminal } from './terminal.ts';

/** Creates the terminal of this process. */
export function processTerminal(signal: AbortSignal): Terminal {
  let lines: AsyncIterator<string> | undefined;
  return {
    env: process.env,
    cwd: process.cwd(),
    signal,
    isInteractive: process.stderr.isTTY,
    out: fstatSync(process.stdout.fd).isFile() ? writeToFile : (text) => void process.stdout.write(text),
    error: (text) => void process.stderr.write(text),
    async readSecret(prompt, { isNew = false } = {}) {
      if (process.stdin.isTTY) return isNew ? promptTwice(prompt, signal) : promptForSecret(prompt, signal);
      lines ??= createInterface({ input: process.stdin, signal })[Symbol.asyncIterator]();
      const { done, value } = await lines.next();
      if (done === true) throw new CommandFailure(`${prompt}: the standard input has no line for it`, EXIT.usage);
      return value;
    },
  };
}

/** On a full disk, the stream of a file writes a part of the text without an error. */
function writeToFile(text: string): void {
  try {
    writeFileSync(process.stdout.fd, text);
  } catch (error) {
    throw new CommandFailure(`standard output: ${(error as Error).message}`);
  }
}

/** Asks twice, because the person does not see the new secret. */
async function promptTwice(message: string, signal: AbortSignal): Promise<string> {
  const secret = await promptForSecret(message, signal);
  if ((await promptForSecret('The same again', signal)) === secret) return secret;
  throw new CommandFailure('the two entries differ', EXIT.usage);
}

async function promptForSecret(message: string, signal: AbortSignal): Promise<string> {
  const { default: password } = await import('@inquirer/password');
  try {
    return await password({ message: `${message}:`, toggleMask: false }, { signal, output: process.stderr });
  } catch (error) {
    if ((error as Error).name !== 'ExitPromptError') throw error;
    throw new CommandFailure('interrupted', EXIT.interrupted);
  }
}
