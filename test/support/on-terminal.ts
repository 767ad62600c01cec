// The command line on a real terminal.
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { PROJECT } from './service-process.ts';

export interface TerminalOptions {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly columns?: number;
  /** Texts to wait for, and the keys to press then. */
  readonly answers?: readonly (readonly [text: string, keys: string])[];
}

const LIMIT_MS = 60_000;

/** Runs the program on a terminal. Returns its exit code and the lines that a person sees at the end. */
export async function runOnTerminal(
  args: readonly string[],
  { cwd, env, columns = 80, answers = [] }: TerminalOptions,
) {
  const script = join(PROJECT, 'test/support/on-terminal.py');
  const program = [process.execPath, join(PROJECT, 'cli/main.ts'), ...args];
  const { stdout } = await promisify(execFile)(
    'python3',
    [script, String(columns), '24', JSON.stringify(answers), ...program],
    { cwd, env: { PATH: process.env['PATH'], TERM: 'xterm', ...env }, timeout: LIMIT_MS, maxBuffer: 16 * 1024 * 1024 },
  );
  const { code, output } = JSON.parse(stdout) as { code: number; output: string };
  return { code, output, lines: linesOf(output) };
}

// oxlint-disable-next-line no-control-regex -- The pattern reads them.
const TOKENS = /\u001b[78]|\u001b\[\??([\d;]*)([A-Za-z])|\r|\n|[^\u001b\r\n]+/g;

/** Draws the output on lines of unlimited width and number: movements in a line, saved positions, and deletions. */
function linesOf(output: string): string[] {
  const lines = [''];
  let at = { row: 0, column: 0 };
  let saved = at;
  for (const [token, count = '', action] of output.matchAll(TOKENS)) {
    const { row, column } = at;
    const line = lines[row]!;
    if (token === '\n') {
      at = { row: row + 1, column: 0 };
      lines[at.row] ??= '';
    } else if (token === '\r') at = { row, column: 0 };
    else if (token === '\u001b7') saved = at;
    else if (token === '\u001b8') at = saved;
    else if (action === 'G') at = { row, column: Number(count || 1) - 1 };
    else if (action === 'K') lines[row] = count === '2' ? '' : line.slice(0, column);
    else if (action === 'J') lines.splice(row, Infinity, line.slice(0, column));
    else if (action === undefined) {
      lines[row] = line.slice(0, column).padEnd(column) + token + line.slice(column + token.length);
      at = { row, column: column + token.length };
    }
  }
  return lines.map((line) => line.trimEnd());
}
