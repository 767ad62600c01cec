/** What a command sees of the outside. */
export interface Terminal {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  out(text: string): void;
  error(text: string): void;
}
