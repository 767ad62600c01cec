// The command line. Each command has a file or folder.
// Imported by nothing.
import type { Terminal } from './terminal.ts';

/** Runs with the arguments after its name. Returns the exit code. */
type Command = (argv: readonly string[], terminal: Terminal) => number | Promise<number>;

/** Loaded on demand, so that a command does not load the packages of other commands. */
const COMMANDS: Readonly<Record<string, () => Promise<Command>>> = {
  'config print': async () => (await import('./config-print.ts')).configPrint,
  'account unlock': async () => (await import('./account-unlock.ts')).accountUnlock,
  isolation: async () => (await import('./isolation/command.ts')).runIsolation,
};

const USAGE = `usage: npm run -s cli -- COMMAND

  config print [SETTINGS]                   show the effective settings, secrets masked
  account unlock NAME [--json] [SETTINGS]   unlock an account and reset its count of failed logins;
                                            needs the service's database, not the running service
  isolation [OPTIONS]                       check that a running service isolates its tenants;
                                            isolation --help shows the options
  --help                                    show this

SETTINGS: --config=FILE and --app.NAME=VALUE, as for the service. Environment variables apply too.
Use npm run -s: without -s, npm prints the command line before the output.
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
