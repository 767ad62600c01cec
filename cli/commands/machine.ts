// Commands of the machine itself: settings, a locked account, the check of isolation, completion.
import { printSettings, shownSettings } from '../../src/platform/config/print.ts';
import { loadSettings } from '../../src/platform/config/load.ts';
import type { Command } from '../command.ts';
import { EXIT, CommandFailure } from '../failure.ts';
import { ISOLATION } from './isolation.ts';
import { loadLocalSettings } from '../local-settings.ts';

export const MACHINE_COMMANDS: readonly Command[] = [
  {
    name: 'config print',
    summary: 'show the effective settings with their sources, secrets masked',
    uses: 'settings',
    async run({ settingFlags, terminal }) {
      const { env, cwd } = terminal;
      const loaded = loadSettings({ argv: settingFlags, env, cwd });
      for (const warning of loaded.warnings) terminal.error(`warning: ${warning}\n`);
      return { value: shownSettings(loaded), text: printSettings(loaded).trimEnd() };
    },
  },
  {
    name: 'account unlock',
    summary: 'unlock an account and reset its count of failed logins',
    uses: 'settings',
    arguments: { '<username>': 'the username' },
    notes:
      'Needs the database of the service (app.database.url), but not the running service. Safe while the service runs.\n' +
      'Logins are possible immediately.',
    async run(input) {
      const username = input.values.required('username');
      const { unlockLocally } = await import('../../src/composition/maintenance.ts');
      const result = await unlockLocally({ ...loadLocalSettings(input), username });
      // Quoted as JSON, because a name could contain control characters.
      const shown = JSON.stringify(username);
      if (result === 'unknown-account') throw new CommandFailure(`${shown}: no account has this username`);
      return { value: { username, result }, text: `${shown}: ${RESULTS[result]}` };
    },
  },
  ISOLATION,
  {
    name: 'completion',
    summary: 'print the script that completes this program in a shell',
    uses: 'nothing',
    arguments: { '<shell>': 'bash, zsh or fish' },
    notes: 'For example: authservice completion bash > /etc/bash_completion.d/authservice',
    async run({ values }) {
      const { printCompletionScript, SHELLS } = await import('../completion-script.ts');
      const shell = SHELLS.find((one) => one === values.required('shell'));
      if (shell === undefined) throw new CommandFailure(`the shell must be ${SHELLS.join(', ')}`, EXIT.usage);
      printCompletionScript(shell);
      return EXIT.done;
    },
  },
];

const RESULTS = { unlocked: 'unlocked', 'not-locked': 'not locked, nothing was changed' } as const;
