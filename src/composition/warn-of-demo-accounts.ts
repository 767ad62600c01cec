import { findDemoAccounts } from './bootstrap/demo-accounts.ts';
import { createClientSecretStore } from '../auth/client-credentials/client-secret-store.ts';
import type { Authentication } from './authentication.ts';
import type { Foundation } from './part.ts';

/** Logs a warning in PROD if accounts of the demo still have their published credentials. */
export async function warnOfDemoAccounts(
  { settings, database, accounts, clock, log, refuseSamples }: Foundation,
  { hasher }: Pick<Authentication, 'hasher'>,
): Promise<void> {
  if (!refuseSamples) return;
  const found = await findDemoAccounts({ accounts, secrets: createClientSecretStore(database), hasher, clock });
  if (found.length === 0) return;
  log.warn(
    { accounts: found.map(({ account }) => account.username) },
    `these accounts still have the published credentials of the demo, which app.env=${settings['app.env']} refuses; ` +
      'remove them with: authservice demo remove',
  );
}
