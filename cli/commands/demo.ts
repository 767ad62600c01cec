// Commands that find and remove the accounts of the demo.
import type { Demo } from '../../src/composition/remove-demo.ts';
import type { Command } from '../command.ts';
import { loadLocalSettings } from '../local-settings.ts';

/** Loaded late, like the database in every command. */
const load = () => import('../../src/composition/remove-demo.ts');

export const DEMO_COMMANDS: readonly Command[] = [
  {
    name: 'demo list',
    summary: 'list the accounts of the demo that still have their published password or client secret',
    uses: 'settings',
    notes: 'Works on the database of the settings. `demo remove` removes these accounts.',
    async run(input) {
      const demo = await (await load()).findDemo(loadLocalSettings(input));
      return { value: recordsOf(demo), columns: ['username', 'tenantId', 'removal'] };
    },
  },
  {
    name: 'demo remove',
    summary: 'remove the accounts, tenants and data of the demo',
    uses: 'settings',
    ends: () =>
      'deletes the demo users who still have the published password, and ends their sessions. It ends the published ' +
      'client secret. It erases the tenants of the demo that have no other accounts, with all their data. Nothing can be ' +
      'restored',
    notes:
      'Works on the database of the settings. The service may run meanwhile. Demo users with another password stay, and\n' +
      'so do their tenants. A client with its own secret beside the published one stays, and so does its tenant.\n' +
      ' If no SUPER_ADMIN is left, create one: user create --role SUPER_ADMIN --local, or\n' +
      'app.bootstrap.file.',
    async run(input) {
      const demo = await (await load()).removeDemo(loadLocalSettings(input));
      const [accounts, tenants] = [demo.accounts.length, demo.tenants.length];
      return { value: recordsOf(demo), text: `${accounts} demo accounts removed, ${tenants} demo tenants erased` };
    },
  },
];

function recordsOf({ accounts, tenants }: Demo) {
  return accounts.map(({ account: { username, tenantId = '' }, secretIds }) => ({
    username,
    tenantId,
    removal: tenants.includes(tenantId) ? 'with its tenant' : secretIds.length > 0 ? 'its secret' : 'the account',
  }));
}
