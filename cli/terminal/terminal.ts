// The terminal: output, tables, progress, questions, and passwords without echo.
import { unicodeEscapes } from '../../src/platform/formats/characters.ts';

/** Shows how far a long command is. */
export interface Progress {
  /** Moves the bar and replaces the text after it. */
  update(done: number, text: string): void;
  stop(): void;
}

/** Environment, input and output of a command. */
export interface Terminal {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The folder to which paths in settings are relative. */
  readonly cwd: string;
  /** The folder of the caller, to which paths in arguments and options are relative. */
  readonly callerFolder: string;
  /** Aborts when the user presses Ctrl-C. */
  readonly signal: AbortSignal;
  /** Width of the standard output in characters. Undefined if it is not a terminal. */
  readonly columns: number | undefined;
  out(text: string): void;
  error(text: string): void;
  /** Asks a person for a line. Returns undefined if no person is there. */
  ask(question: string): Promise<string | undefined>;
  /**
   * Reads a secret without echo from the terminal, a new one twice. If no person is there, reads the next line of the
   * standard input.
   */
  readSecret(prompt: string, options?: { readonly isNew?: boolean }): Promise<string>;
  /** Waits. Rejects if the signal aborts. */
  wait(ms: number): Promise<void>;
  /** Shows the progress of a long command if a person reads the standard error. */
  startProgress(total: number, text: string): Progress;
}

const CONTROLS = /[\p{Cc}\p{Cf}\u2028\u2029]/gu;
const CONTROLS_IN_LINES = /(?![\t\n])[\p{Cc}\p{Cf}\u2028\u2029]/gu;

/** Escapes a text that belongs in one line. */
export function printable(text: string): string {
  return text.replaceAll(CONTROLS, unicodeEscapes);
}

/**
 * Returns a terminal that escapes all output, except for tabs and ends of lines. JSON keeps its value, because there
 * the characters are in strings.
 */
export function withEscapedOutput(terminal: Terminal): Terminal {
  const escaped = (text: string) => text.replaceAll(CONTROLS_IN_LINES, unicodeEscapes);
  return {
    ...terminal,
    out: (text) => terminal.out(escaped(text)),
    error: (text) => terminal.error(escaped(text)),
  };
}
