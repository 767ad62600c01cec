// Completion for bash, zsh and fish. A script in the shell asks the program for candidates: `authservice complete -- WORD...`.
import { RootCommand, ShellCompDirective } from '@bomb.sh/tab';
import type { ArgumentHandler } from '@bomb.sh/tab';
import { COMMANDS } from './commands/all.ts';
import { SHELLS } from './completion-script.ts';
import { GROUPS, optionsOf } from './program.ts';
import { EXIT } from './exit-codes.ts';

const FILE = '<file>';
/** The candidates of arguments, by their notation. */
const ARGUMENTS: Readonly<Record<string, ArgumentHandler>> = {
  '<shell>': (candidate) => SHELLS.forEach((shell) => candidate(shell, `the script for ${shell}`)),
};

/** Prints the candidates for the last of the words. */
export function printCompletions(words: readonly string[]): number {
  const root = new RootCommand();
  const completeFiles = allowFiles(root);
  for (const [name, text] of Object.entries(GROUPS)) root.command(name, text);
  for (const command of COMMANDS) {
    const known = root.command(command.name, command.summary);
    for (const [notation, text] of optionsOf(command)) {
      const [flag = '', value] = notation.split(' ');
      const name = flag.replace(/^--/, '');
      // An option with a value needs a function that lists its values. Only files are completed.
      if (value === undefined) known.option(name, text);
      else known.option(name, text, value === FILE ? completeFiles : () => undefined);
    }
    for (const notation of Object.keys(command.arguments ?? {}))
      known.argument(notation, ARGUMENTS[notation] ?? (notation === FILE ? completeFiles : undefined));
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
