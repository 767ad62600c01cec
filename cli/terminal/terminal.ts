// The terminal: output, tables, progress, questions, and passwords without echo.
import type { Progress } from './progress.ts';

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
  /** Shows the progress of a long command if a person reads the standard error. */
  startProgress(total: number, text: string): Progress;
}
