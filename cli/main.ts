// The command line: one file or folder for each command.
// Imported by nothing.
import type { Terminal } from './terminal.ts';

/** Runs with the arguments after its name; returns the exit code. */
type Command = (argv: readonly string[], terminal: Terminal) => number | Promise<number>;

/** Each is loaded when it is run: a command waits for no other one's packages. */
const COMMANDS: Readonly<Record<string, () => Promise<Command>>> = {
  'config print': async () => (await import('./config-print.ts')).configPrint,
  'account unlock': async () => (await import('./account-unlock.ts')).accountUnlock,
  isolation: async () => (await import('./isolation/command.ts')).runIsolation,
};

const USAGE = `usage: npm run -s cli -- COMMAND

  config print [SETTINGS]                   show the effective settings, secrets masked
  account unlock NAME [--json] [SETTINGS]   end the lock of an account and count its failed logins from 0;
                                            needs the service's database, not the service
  isolation [OPTIONS]                       check on a running service that tenants are kept apart; isolation --help
                                            shows the options
  --help                                    show this

SETTINGS: --config=FILE and --app.NAME=VALUE, as for the service; environment variables count too.
Run npm through npm run -s, else it repeats the arguments.
`;

const terminal: Terminal = {
  env: process.env,
  cwd: process.cwd(),
  out: (text) => void process.stdout.write(text),
  error: (text) => void process.stderr.write(text),
};

async function run(argv: readonly string[]): Promise<number> {
  if (argv[0] === '--help') {
    terminal.out(USAGE);
    return 0;
  }
  for (const words of [2, 1]) {
    const load = COMMANDS[argv.slice(0, words).join(' ')];
    if (load !== undefined) return (await load())(argv.slice(words), terminal);
  }
  terminal.error(USAGE);
  return 2;
}

process.exitCode = await run(process.argv.slice(2));
