// Completion for bash, zsh and fish. A script in the shell asks the program for candidates: `authservice complete -- WORD...`.
import { RootCommand } from '@bomb.sh/tab';
import { COMMANDS } from './commands/all.ts';
import { SHELLS } from './completion-script.ts';
import { GROUPS, optionsOf } from './program.ts';
import { EXIT } from './exit-codes.ts';

/** Prints the candidates for the last of the words. */
export function printCompletions(words: readonly string[]): number {
  const root = new RootCommand();
  for (const [name, text] of Object.entries(GROUPS)) root.command(name, text);
  for (const command of COMMANDS) {
    const known = root.command(command.name, command.summary);
    for (const [notation, text] of optionsOf(command)) {
      const [flag = '', value] = notation.split(' ');
      const name = flag.replace(/^--/, '');
      // An option with a value needs a function that lists its values. Their values are not listed.
      if (value === undefined) known.option(name, text);
      else known.option(name, text, () => undefined);
    }
    if (command.name === 'completion')
      known.argument('shell', (candidate) => SHELLS.forEach((shell) => candidate(shell, '')));
  }
  root.parse(words[0] === '--' ? words.slice(1) : [...words]);
  return EXIT.done;
}
