/** Environment and output of a command. */
export interface Terminal {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  out(text: string): void;
  error(text: string): void;
}
