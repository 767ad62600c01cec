import type { Command } from '../command.ts';
import { loadLocalSettings } from '../local-settings.ts';

/** Loaded late, like the database in every command. */
const load = () => import('../../src/composition/backup-locally.ts');

export const BACKUP_COMMANDS: readonly Command[] = [
  {
    name: 'backup create',
    summary: 'write a consistent copy of the SQLite database to a new file',
    uses: 'settings',
    arguments: { '<file>': 'a file that does not exist yet' },
    notes: 'The service may run meanwhile. For MySQL use mysqldump --single-transaction --hex-blob.',
    async run(input) {
      const file = input.values.requiredPath('file');
      await (await load()).backUp(file, loadLocalSettings(input));
      return { value: { file }, text: `backup written to ${file}` };
    },
  },
  {
    name: 'backup restore',
    summary: 'replace the SQLite database by a backup and end all sessions',
    uses: 'settings',
    arguments: { '<file>': 'a file of backup create' },
    notes: 'Stop the service first. The old database is kept beside the new one. It may be damaged or missing.',
    ends: (values) => `replaces the database by ${values.requiredPath('file')} and ends all sessions`,
    async run(input) {
      const file = input.values.requiredPath('file');
      const previous = await (await load()).restore(file, loadLocalSettings(input));
      const kept = previous === undefined ? '' : `; the old database is ${previous}`;
      return { value: { file, previous }, text: `restored from ${file}, all sessions have ended${kept}` };
    },
  },
  {
    name: 'backup seal',
    summary: 'end all sessions in a database that other tools have restored',
    uses: 'settings',
    notes: 'Otherwise a restore revives the sessions that were revoked after the backup. Brings the schema up to date.',
    ends: () => 'ends all sessions of all accounts',
    async run(input) {
      const accounts = await (await load()).seal(loadLocalSettings(input));
      return { value: { accounts }, text: `all sessions of ${accounts} accounts have ended` };
    },
  },
];
