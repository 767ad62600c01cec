// The terminal of this process: prompts, progress bars, and output that survives a full disk.
import { setTimeout as sleep } from 'node:timers/promises';
import { fstatSync, writeFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { addAbortSignal } from 'node:stream';
import { PROGRAM } from '../command.ts';
import { CommandFailure, EXIT } from '../failure.ts';
import { linesOf, textOf } from '../text-lines.ts';
import type { Terminal, Progress } from './terminal.ts';
import { MultiBar, Presets } from 'cli-progress';

/** Creates the terminal of this process. */
export function processTerminal(signal: AbortSignal): Terminal {
  const { env, stdin, stdout, stderr } = process;
  const writeOut = fstatSync(stdout.fd).isFile() ? writeToFile : (text: string) => void stdout.write(text);
  let lines: AsyncIterator<string> | undefined;
  let bar: ProgressBar | undefined;
  const aboveBar = (write: () => void) => (bar === undefined ? write() : bar.writeAbove(write));
  return {
    env,
    cwd: process.cwd(),
    callerFolder: callerFolder(env),
    signal,
    columns: stdout.isTTY ? stdout.columns : undefined,
    out: (text) => aboveBar(() => writeOut(text)),
    error: (text) => aboveBar(() => void stderr.write(text)),
    ask: async (question) => (stdin.isTTY && stderr.isTTY ? promptForLine(question, signal) : undefined),
    async readSecret(prompt, { isNew = false } = {}) {
      if (stdin.isTTY) return isNew ? promptTwice(prompt, signal) : promptForSecret(prompt, signal);
      lines ??= linesOf(textOf(addAbortSignal(signal, stdin)));
      const { done, value } = await lines.next().catch((error: Error) => {
        throw new CommandFailure(`${prompt}: ${error.message}`, EXIT.usage);
      });
      if (done === true) throw new CommandFailure(`${prompt}: the standard input has no line for it`, EXIT.usage);
      return value;
    },
    wait: (ms) => sleep(ms, undefined, { signal }),
    startProgress(total, text) {
      if (!stderr.isTTY) return { update: () => undefined, stop: () => undefined };
      const started = drawProgress(stderr, total, text);
      bar = started;
      return {
        update: started.update,
        stop() {
          bar = undefined;
          started.stop();
        },
      };
    },
  };
}

/** `npm run cli` changes to the folder of the project. npm keeps the folder of its caller in INIT_CWD. */
function callerFolder(env: NodeJS.ProcessEnv): string {
  const isScript = env['npm_lifecycle_event'] === 'cli' && env['npm_package_name'] === PROGRAM;
  return (isScript ? env['INIT_CWD'] : undefined) ?? process.cwd();
}

/** On a full disk, the stream of a file writes a part of the text without an error. */
function writeToFile(text: string): void {
  try {
    writeFileSync(process.stdout.fd, text);
  } catch (error) {
    throw new CommandFailure(`standard output: ${(error as Error).message}`);
  }
}

/** Asks for a line. The end of the input is an empty line. */
function promptForLine(question: string, signal: AbortSignal): Promise<string> {
  const reader = createInterface({ input: process.stdin, output: process.stderr, signal });
  return new Promise((resolve, reject) => {
    reader.once('SIGINT', () => {
      reject(interrupted());
      reader.close();
    });
    reader.once('close', () => {
      process.stderr.write('\n');
      if (signal.aborted) reject(interrupted());
      else resolve('');
    });
    reader.question(question, (line) => {
      resolve(line);
      reader.removeAllListeners('close');
      reader.close();
    });
  });
}

/** Asks twice, because the person does not see the new secret. */
async function promptTwice(message: string, signal: AbortSignal): Promise<string> {
  const secret = await promptForSecret(message, signal);
  if ((await promptForSecret('The same again', signal)) === secret) return secret;
  throw new CommandFailure('the two entries differ', EXIT.usage);
}

/** Replaces bytes that are not UTF-8. */
const REPLACEMENT = '\uFFFD';

async function promptForSecret(message: string, signal: AbortSignal): Promise<string> {
  const { default: password } = await import('@inquirer/password');
  try {
    const secret = await password({ message: `${message}:`, toggleMask: false }, { signal, output: process.stderr });
    if (!secret.includes(REPLACEMENT)) return secret;
  } catch (error) {
    if ((error as Error).name !== 'ExitPromptError') throw error;
    throw interrupted();
  }
  throw new CommandFailure('the terminal does not send UTF-8', EXIT.usage);
}

function interrupted(): CommandFailure {
  return new CommandFailure('interrupted', EXIT.interrupted);
}

/** A progress bar that other output of the same terminal does not overwrite. */
interface ProgressBar extends Progress {
  /** Writes above the bar. */
  writeAbove(write: () => void): void;
}

const MIN_BAR = 10;
const MAX_BAR = 40;
/** The percentage, the time left and the longest text after the bar. */
const TEXTS_WIDTH = 60;
const CLEAR_LINE = '\r\u001b[K';

/** Draws a bar on a stream that is a terminal. */
function drawProgress(stream: NodeJS.WriteStream, total: number, text: string): ProgressBar {
  // Unlike SingleBar, it does not return to the line where it began, which other lines have taken meanwhile.
  const bars = new MultiBar(
    {
      format: '{bar} {percentage}% | {text} | {eta_formatted} left',
      stream,
      barsize: Math.max(MIN_BAR, Math.min(MAX_BAR, stream.columns - TEXTS_WIDTH)),
      etaBuffer: 100,
      clearOnComplete: true,
      forceRedraw: true,
      // Otherwise the library turns off the wrapping of lines above the bar too.
      linewrap: true,
    },
    Presets.legacy,
  );
  const bar = bars.create(total, 0, { text });
  return {
    update: (done, next) => bar.update(done, { text: next }),
    stop: () => bars.stop(),
    writeAbove(write) {
      stream.write(CLEAR_LINE);
      write();
      bars.update();
    },
  };
}
