import { ConfigurationError, loadSettings } from '../src/config/load.ts';
import { createLogger } from '../src/process/log.ts';
import { unlockLocally, UnusableDatabaseError } from '../src/composition/unlock-locally.ts';
import type { Terminal } from './terminal.ts';

const USAGE = `usage: npm run -s cli -- account unlock NAME [--json] [--config=FILE] [--app.NAME=VALUE ...]

Unlocks the account with the username NAME and resets its count of failed logins to 0. Needs the service's database
(app.database.url), but not the running service. Safe while the service runs. Logins are possible immediately.

exit code: 0 unlocked or not locked, 1 unknown account or unusable database, 2 invalid arguments or settings
`;

const TEXTS = {
  unlocked: 'unlocked',
  'not-locked': 'not locked, nothing was changed',
  'unknown-account': 'no account has this username',
} as const;

/**
 * Runs `account unlock NAME [--json] [flags]`, for an administrator if no other administrator can log in. Returns the exit code.
 */
export async function accountUnlock(argv: readonly string[], terminal: Terminal): Promise<number> {
  const { names, json, help, flags } = readArguments(argv);
  const [username] = names;
  if (help) {
    terminal.out(USAGE);
    return 0;
  }
  if (username === undefined || names.length > 1) {
    terminal.error(USAGE);
    return 2;
  }
  try {
    const { settings, warnings } = loadSettings({
      argv: flags,
      env: terminal.env,
      cwd: terminal.cwd,
      role: 'command',
    });
    for (const warning of warnings) terminal.error(`warning: ${warning}\n`);
    const log = createLogger({
      level: 'warn',
      format: 'pretty',
      name: settings['app.name'],
      destination: { write: terminal.error },
    });
    const result = await unlockLocally({ settings, username, log });
    const isDone = result !== 'unknown-account';
    if (json) terminal.out(`${JSON.stringify({ username, result })}\n`);
    // Quoted as JSON, because a name could contain control characters.
    else terminal[isDone ? 'out' : 'error'](`${JSON.stringify(username)}: ${TEXTS[result]}\n`);
    return isDone ? 0 : 1;
  } catch (error) {
    if (error instanceof ConfigurationError) {
      terminal.error(`${error.message}\n`);
      return 2;
    }
    if (!(error instanceof UnusableDatabaseError)) throw error;
    if (json) terminal.out(`${JSON.stringify({ username, result: 'unusable-database', message: error.message })}\n`);
    else terminal.error(`${error.message}\n`);
    return 1;
  }
}

/** Separates the name from the flags of settings and keeps the flags in order. All arguments after `--` are names. */
function readArguments(argv: readonly string[]) {
  const end = argv.includes('--') ? argv.indexOf('--') : argv.length;
  const names = argv.slice(end + 1);
  const flags: string[] = [];
  let json = false;
  let help = false;
  for (let index = 0; index < end; index += 1) {
    const argument = argv[index]!;
    if (argument === '--json') json = true;
    else if (argument === '--help') help = true;
    else if (!argument.startsWith('--')) names.push(argument);
    else {
      flags.push(argument);
      if (argument === '--config' && index + 1 < end) flags.push(argv[(index += 1)]!);
    }
  }
  return { names, json, help, flags };
}
