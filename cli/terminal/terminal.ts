// The terminal: output, tables, progress, and passwords without echo.
// Imported by cli.

/** Environment, input and output of a command. */
export interface Terminal {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  /** Aborts when the user presses Ctrl-C. */
  readonly signal: AbortSignal;
  /** Whether a person reads the standard error, so that progress can be shown. */
  readonly isInteractive: boolean;
  out(text: string): void;
  error(text: string): void;
  /**
   * Reads a secret without echo from the terminal, a new one twice. If no person is there, reads the next line of the
   * standard input.
   */
  readSecret(prompt: string, options?: { readonly isNew?: boolean }): Promise<string>;
}
