// Completion for bash, zsh and fish. A script in the shell asks the program for candidates: `authservice complete -- WORD...`.
import { RootCommand, ShellCompDirective } from '@bomb.sh/tab';
import { COMMANDS } from './commands/all.ts';
import { SHELLS } from './completion-script.ts';
import { ID_TOKEN_ALGORITHMS, USERNAME_FORMS } from './commands/application-fields.ts';
import { APPLICATION_TYPES } from './commands/applications.ts';
import { DELIVERY_STATUSES, TENANT_STATUSES } from './commands/records.ts';
import { credentialsFile, type Login } from './core/credentials-file.ts';
import { FORMATS } from './import/read-rows.ts';
import { GROUPS, optionsOf, takesSettings } from './program.ts';
import type { Terminal } from './terminal/terminal.ts';
import { ROLES } from '../src/auth/access/roles/built-in-roles.ts';
import { fieldRule } from '../src/platform/rpc/field-rule.ts';
import { EXIT } from './failure.ts';

const FILE = '<file>';
const SCOPES = 'authservice.oauth.v1.ApplicationFields.scopes';
/** The options of settings, which the parser does not see. */
const CONFIG = ['--config <file>', 'a YAML file with settings'] as const;

type Handler = (candidate: (value: string, text: string) => void) => void;
type Texts = () => readonly (readonly [value: string, text: string])[];

/** The values of arguments and options, by their notation. */
function createValues(terminal: Pick<Terminal, 'env' | 'callerFolder'>): Readonly<Record<string, Texts>> {
  const named = (values: readonly string[], text: string) => () => values.map((value) => [value, text] as const);
  const roles = named(ROLES, 'a role');
  return {
    '<shell>': () => SHELLS.map((shell) => [shell, `the script for ${shell}`]),
    '<role>': roles,
    '<role...>': roles,
    '<roles...>': roles,
    '<status>': named(TENANT_STATUSES.names, 'a status'),
    '<delivery-status>': named(DELIVERY_STATUSES.names, 'a status'),
    '<application-type>': named(APPLICATION_TYPES.names, 'a type'),
    '<algorithm>': named(ID_TOKEN_ALGORITHMS.names, 'an algorithm'),
    '<username-form>': named(USERNAME_FORMS.names, 'a form'),
    '<acr>': named(['mfa', 'phr'], 'an authentication'),
    // The rules of the protos are read only if they are needed.
    '<scope...>': () => fieldRule(SCOPES).allowed.map((scope) => [scope, 'a scope']),
    '<format>': named(
      FORMATS.map((format) => format.toLowerCase()),
      'a format',
    ),
    '[core]': () => readLogins(terminal).map(({ core, username }) => [core, `the login of ${username}`]),
  };
}

/** A shell cannot show why the file is unusable. */
function readLogins(terminal: Pick<Terminal, 'env' | 'callerFolder'>): readonly Login[] {
  try {
    return credentialsFile(terminal).list();
  } catch {
    return [];
  }
}

/** Prints the candidates for the last of the words. */
export function printCompletions(words: readonly string[], terminal: Pick<Terminal, 'env' | 'callerFolder'>): number {
  const root = new RootCommand();
  const completeFiles = allowFiles(root);
  const values = createValues(terminal);
  /** The library calls a handler only if the value is completed. */
  const handlerOf = (notation: string): Handler | undefined => {
    if (notation === FILE) return completeFiles;
    const texts = values[notation];
    return texts && ((candidate) => texts().forEach(([value, text]) => candidate(value, text)));
  };
  for (const [name, text] of Object.entries(GROUPS)) root.command(name, text);
  for (const command of COMMANDS) {
    const known = root.command(command.name, command.summary);
    for (const [notation, text] of [...optionsOf(command), ...(takesSettings(command) ? [CONFIG] : [])]) {
      const [flag = '', value] = notation.split(' ');
      const name = flag.replace(/^--/, '');
      // An option with a value needs a function that lists its values.
      if (value === undefined) known.option(name, text);
      else known.option(name, text, handlerOf(value) ?? (() => undefined));
    }
    for (const notation of Object.keys(command.arguments ?? {})) known.argument(notation, handlerOf(notation));
  }
  root.parse(words[0] === '--' ? words.slice(1) : [...words]);
  return EXIT.done;
}

/** Returns a handler that lets the shell complete the name of a file. The library itself never does. */
function allowFiles(root: RootCommand): () => void {
  let directive = ShellCompDirective.ShellCompDirectiveNoFileComp;
  Object.defineProperty(root, 'directive', { get: () => directive, set() {} });
  return () => {
    directive = ShellCompDirective.ShellCompDirectiveDefault;
  };
}
