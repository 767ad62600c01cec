import { script } from '@bomb.sh/tab';
import { PROGRAM } from './command.ts';

export const SHELLS = ['bash', 'zsh', 'fish'] as const;

/** Prints the script that makes a shell complete the program. */
export function printCompletionScript(shell: (typeof SHELLS)[number]): void {
  script(shell, PROGRAM, PROGRAM);
}
