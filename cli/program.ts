import { Command as Program, CommanderError } from 'commander';
import { programVersion } from '../src/platform/process/usage.ts';
import { PROGRAM, type Command, type Input } from './command.ts';
import { COMMANDS } from './commands/all.ts';
import { CORE_OPTIONS, REMOTE_OPTIONS } from './core/connection-options.ts';
import { EXIT_CODES } from './failure.ts';
import type { Terminal } from './terminal/terminal.ts';

/** Runs a parsed command. */
type Act = (command: Command, values: Input['values']['all'], json: boolean) => Promise<void>;

/** The purpose of each group of commands. */
export const GROUPS: Readonly<Record<string, string>> = {
  account: 'Your own account, and accounts of the database',
  'account passkeys': 'Your passkeys',
  'api-key': 'API keys of service accounts',
  application: 'Applications that log in users',
  'application secret': 'Client secrets of applications',
  audit: 'The audit trail',
  backup: 'Backup and restore',
  client: 'Service accounts',
  cleanup: 'Expired rows',
  config: 'The settings',
  demo: 'The demo accounts and their data',
  email: 'E-mail addresses',
  invitation: 'Invitations by mail',
  key: 'Signing keys of access tokens',
  mail: 'The mails that wait to be sent',
  migrate: 'The schema of the database',
  recovery: 'Accounts whose password is forgotten',
  secret: 'Client secrets of service accounts',
  role: 'Roles and their permissions',
  session: 'Sessions of users',
  tenant: 'Tenants',
  'tenant policy': 'The policies of tenants',
  user: 'Users',
  'user factors': 'The second factors of users',
  webhook: 'Webhooks and their deliveries',
};

const SETTINGS_HELP = `
Settings:
  --config <file>   a YAML file with settings (default: application.yaml)
  --app.NAME=VALUE  a setting of the service; environment variables apply too`;
const HELP_WIDTH = 80;

const EXIT_HELP = `
Exit codes:
${EXIT_CODES.map(([code, meaning]) => `  ${String(code).padEnd(3)} ${meaning}`).join('\n')}`;

const START_HELP = `
${PROGRAM} dev, start, core and gateway start the service, in the package of npm. In a clone of the project, npm
run dev, npm start, npm run core and npm run gateway do. There, npm run -s cli -- COMMAND is ${PROGRAM} COMMAND.`;

type Output = Pick<Terminal, 'out' | 'error' | 'columns'>;

/** Splits the last word from the words of a command or group. */
function splitName(words: string): { readonly group: string; readonly name: string } {
  const end = words.lastIndexOf(' ');
  return { group: words.slice(0, Math.max(end, 0)), name: words.slice(end + 1) };
}

/** Creates the parser with all commands. */
export function createProgram(terminal: Output, act: Act): Program {
  const root = new Program(PROGRAM);
  configure(root, terminal);
  root
    .description('Administers tenants, users and keys of the authentication service, and maintains its database.')
    .version(programVersion(), '--version', 'show the version')
    .addHelpText('after', `${EXIT_HELP}\n${START_HELP}`);
  const groups = new Map<string, Program>();
  for (const command of COMMANDS) {
    const { group, name } = splitName(command.name);
    add(groupOf(group).command(name), command);
  }
  return root;

  /** Returns the group with these words. Groups can be nested. */
  function groupOf(words: string): Program {
    if (words === '') return root;
    const found = groups.get(words);
    if (found) return found;
    const { group: parent, name } = splitName(words);
    const group = groupOf(parent).command(name).description(GROUPS[words]!);
    configure(group, terminal);
    groups.set(words, group);
    return group;
  }

  function add(parsed: Program, command: Command): void {
    configure(parsed, terminal);
    parsed.description(command.summary);
    for (const [notation, text] of Object.entries(command.arguments ?? {})) parsed.argument(notation, text);
    for (const [notation, text] of optionsOf(command)) parsed.option(notation, text);
    const { notes } = command;
    if (notes !== undefined)
      parsed.addHelpText('after', () => `\n${parsed.createHelp().boxWrap(notes, helpWidth(terminal))}`);
    if (takesSettings(command)) parsed.addHelpText('after', SETTINGS_HELP);
    parsed.action(async () => {
      const names = parsed.registeredArguments.map((argument) => camelCase(argument.name()));
      const values = Object.fromEntries(names.map((name, index) => [name, parsed.processedArgs[index] as unknown]));
      const options = parsed.opts<Record<string, unknown>>();
      await act(command, { ...values, ...options }, options['json'] === true);
    });
  }
}

const YES = { '--yes': 'do not ask before the command runs' };
const CONFIRM = { '--confirm <name>': 'the same name again, instead of a question' };

/** Returns all options of a command, by their notation. */
export function optionsOf({ options = {}, uses = 'core', ends, confirmedBy }: Command): [string, string][] {
  const shared = { core: CORE_OPTIONS, remote: REMOTE_OPTIONS, settings: {}, nothing: {} }[uses];
  const confirmation = confirmedBy === undefined ? YES : CONFIRM;
  return Object.entries({
    ...options,
    ...(ends && confirmation),
    ...shared,
    '--json': 'print the result, or the error, as JSON',
  });
}

/** Whether a command accepts `--config` and settings as flags. */
export function takesSettings({ uses = 'core' }: Command): boolean {
  return uses === 'core' || uses === 'settings';
}

function helpWidth({ columns = HELP_WIDTH }: Output): number {
  return columns;
}

function configure(parsed: Program, terminal: Output): void {
  const { out, error } = terminal;
  parsed
    .exitOverride()
    .helpOption('--help', 'show this text')
    .helpCommand(false)
    .configureOutput({
      writeOut: out,
      writeErr: error,
      outputError: () => undefined,
      getOutHelpWidth: () => helpWidth(terminal),
      getErrHelpWidth: () => helpWidth(terminal),
    });
}

function camelCase(name: string): string {
  return name.replaceAll(/-([a-z])/g, (_dash, letter: string) => letter.toUpperCase());
}

/** Returns the message of an error of the parser; undefined if the parser has printed the requested text. */
export function parserMessage(error: CommanderError): string | undefined {
  if (error.exitCode === 0) return undefined;
  if (error.code === 'commander.help') return 'name a command; --help lists them';
  return error.message.replace(/^error: /, '').replace('\n', ' ');
}
