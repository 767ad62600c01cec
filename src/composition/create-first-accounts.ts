// Creates the first accounts: those of the bootstrap file, or the demo accounts.
import type { Logger } from 'pino';
import { applyBootstrap, type BootstrapDependencies } from '../bootstrap/apply.ts';
import { DEMO_PLAN } from '../bootstrap/demo.ts';
import type { Settings } from '../config/settings.ts';

/**
 * Creates the accounts of the bootstrap file, or the demo accounts with their business data. Returns true if the demo
 * accounts exist.
 */
export async function createFirstAccounts(settings: Settings, dependencies: BootstrapDependencies): Promise<boolean> {
  const file = settings['app.bootstrap.file'];
  if (file !== undefined) {
    await applyBootstrapFile(file, dependencies);
    return false;
  }
  if (settings['app.env'] !== 'DEV') return false;
  const { database, accounts } = dependencies;
  const empty = (await database.query('SELECT id FROM accounts LIMIT 1')).length === 0;
  if (empty) {
    const { tenants } = await applyBootstrap(DEMO_PLAN, dependencies);
    // Loaded here because it is needed only for the demo.
    const { createDemoBusiness } = await import('../bootstrap/demo-business.ts');
    await createDemoBusiness(tenants, dependencies);
  }
  return (await accounts.findByUsername(DEMO_PLAN.superAdmins![0]!.username)) !== undefined;
}

/** Creates the tenants and accounts of a bootstrap file that are missing. Returns and logs their numbers. */
export async function applyBootstrapFile(file: string, dependencies: BootstrapDependencies) {
  // Loaded here because YAML and its checks take longer to load than the rest of the core.
  const { readBootstrapPlan } = await import('../bootstrap/plan-file.ts');
  const { plan, hasSecrets, isReadableByOthers } = await readBootstrapPlan(file);
  if (hasSecrets && isReadableByOthers) warnOfReaders(dependencies.log, file);
  const { tenants, loginDomains, created, existing, skipped } = await applyBootstrap(plan, dependencies);
  const summary = { file, tenants: tenants.length, loginDomains, accounts: created, created, existing, skipped };
  dependencies.log.info(summary, 'bootstrap file applied');
  return summary;
}

function warnOfReaders(log: Logger, file: string): void {
  log.warn(
    { file },
    'app.bootstrap.file contains passwords or secrets and other users can read it: set its mode to 600',
  );
}
