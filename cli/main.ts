import { configPrint } from './config-print.ts';

/** What a command sees of the outside. */
export interface Terminal {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  out(text: string): void;
  error(text: string): void;
}

/** Runs with the arguments after its name; returns the exit code. */
type Command = (argv: readonly string[], terminal: Terminal) => number;

const COMMANDS: Readonly<Record<string, Command>> = {
  'config print': configPrint,
};

const USAGE = `usage: node cli/main.ts COMMAND

  config print [--config=FILE] [--app.NAME=VALUE ...]   show the effective settings, secrets masked
`;

const terminal: Terminal = {
  env: process.env,
  cwd: process.cwd(),
  out: (text) => void process.stdout.write(text),
  error: (text) => void process.stderr.write(text),
};

const [area = '', action = '', ...rest] = process.argv.slice(2);
const command = COMMANDS[`${area} ${action}`];
if (command === undefined) terminal.error(USAGE);
process.exitCode = command === undefined ? 2 : command(rest, terminal);
