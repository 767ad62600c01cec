import { script } from '@bomb.sh/tab';
import { PROGRAM } from './command.ts';

export const SHELLS = ['bash', 'zsh', 'fish'] as const;

/** Prints the script that makes a shell complete the program. */
export function printCompletionScript(shell: (typeof SHELLS)[number]): void {
  script(shell, PROGRAM, PROGRAM);
  // Otherwise bash completes no file names. The script of the library turns them off for other words.
  if (shell === 'bash') console.log(`complete -o default -F __${PROGRAM}_complete ${PROGRAM}`);
}
