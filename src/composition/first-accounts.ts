// Creates the first accounts: those of the bootstrap file, or the demo accounts.
import { addFactor } from '../auth/factors/change-factors.ts';
import { updateFactors } from '../auth/factors/factor-store.ts';
import type { TotpSecrets } from '../auth/factors/totp-secrets.ts';
import type { PasswordHasher } from '../auth/identity/authentication/password-hasher.ts';
import type { Authentication } from './authentication.ts';
import { applicationChecks } from './applications.ts';
import { applyApplications } from './bootstrap/apply-applications.ts';
import { applyBootstrap, type BootstrapDependencies } from './bootstrap/apply.ts';
import { findDemoAccounts } from './bootstrap/demo-accounts.ts';
import { DEMO_PLAN, DEMO_TOTP } from './bootstrap/demo.ts';
import { tenantExists } from '../auth/tenancy/tenant-store.ts';
import { UNLIMITED } from '../platform/clock.ts';
import { repeatRolledBack } from '../platform/db/repeat-rolled-back.ts';
import type { Statements } from '../platform/db/types.ts';
import { fromBase32 } from '../platform/formats/base32.ts';
import type { Foundation } from './foundation.ts';
import type { Module } from './module.ts';

type Credentials = Pick<BootstrapDependencies, 'hasher' | 'checkPassword' | 'invitations'>;

/**
 * Creates the accounts of the bootstrap file, or the demo accounts with the records of the modules. Returns true if the demo
 * accounts exist.
 */
export async function createFirstAccounts(
  foundation: Foundation,
  credentials: Credentials & { readonly totpSecrets: TotpSecrets },
  modules: readonly Module[],
): Promise<boolean> {
  const { settings, database, accounts, audit, clock } = foundation;
  const file = settings['app.bootstrap.file'];
  if (file !== undefined) {
    await applyBootstrapFile(file, foundation, credentials);
    return false;
  }
  if (settings['app.env'] !== 'DEV') return false;
  const empty = (await database.query('SELECT id FROM accounts LIMIT 1')).length === 0;
  // The records of the demo would push its addresses off the first screen.
  const log = foundation.log.child({}, { level: 'warn' });
  if (empty) {
    // The demo's password is public and its accounts share it. So it is hashed once, and not compared with the most common
    // passwords, whose list takes longer to load than everything else.
    const quick = {
      hasher: hashOnce(credentials.hasher),
      checkPassword: async () => undefined,
      invitations: undefined,
    };
    const { tenants } = await applyBootstrap(DEMO_PLAN, { ...dependenciesOf(foundation, quick), log });
    await addDemoFactor(foundation, credentials.totpSecrets);
    for (const module of modules) await module.createDemo?.(tenants, foundation);
  }
  if ((await accounts.findByUsername(DEMO_PLAN.superAdmins[0]!.username)) === undefined) return false;
  // A database of an earlier release has the accounts alone.
  if (!empty && (await tenantExists(database, DEMO_PLAN.tenants[0]!.id)))
    await applyApplications(DEMO_PLAN, applicationChecks(foundation), { audit, clock, log });
  return true;
}

/** Adds a TOTP to one account of the demo. */
async function addDemoFactor({ database, accounts, clock }: Foundation, totpSecrets: TotpSecrets) {
  const { account } = (await accounts.findByUsername(DEMO_TOTP.username))!;
  const now = clock();
  const add = async (tx: Statements) => {
    const totpSecret = totpSecrets.encrypt(account.id, fromBase32(DEMO_TOTP.secret));
    await updateFactors(tx, account, { totpSecret, totpCreatedAt: now });
    await addFactor(tx, account, 'totp', now);
  };
  await repeatRolledBack(() => database.transaction(UNLIMITED, add));
}

/** Returns a hasher that hashes equal passwords once, with one salt. Not for secret passwords: equal hashes reveal them. */
export function hashOnce({ hash }: Pick<PasswordHasher, 'hash'>): Pick<PasswordHasher, 'hash'> {
  const hashes = new Map<string, Promise<string>>();
  return {
    hash(password, requester) {
      const known = hashes.get(password) ?? hash(password, requester);
      hashes.set(password, known);
      return known;
    },
  };
}

/** Creates the tenants and accounts of a bootstrap file that are missing. Returns and logs their numbers. */
export async function applyBootstrapFile(file: string, foundation: Foundation, credentials: Credentials) {
  const { log } = foundation;
  // Loaded here because YAML and its checks take longer to load than the rest of the core.
  const { readBootstrapPlan } = await import('./bootstrap/plan-file.ts');
  const { plan, hasSecrets, isReadableByOthers } = await readBootstrapPlan(file);
  if (hasSecrets && isReadableByOthers) {
    log.warn(
      { file },
      'app.bootstrap.file contains passwords or secrets and other users can read it: set its mode to 600',
    );
  }
  const { tenants, ...counts } = await applyBootstrap(plan, dependenciesOf(foundation, credentials));
  const summary = { file, tenants: tenants.length, ...counts };
  log.info(summary, 'bootstrap file applied');
  return summary;
}

function dependenciesOf(foundation: Foundation, credentials: Credentials): BootstrapDependencies {
  const { database, definitions, policies, accounts, audit, clock, log, refuseSamples } = foundation;
  const { hasher, checkPassword, invitations } = credentials;
  return {
    database,
    definitions,
    policies,
    accounts,
    audit,
    clock,
    log,
    refuseSamples,
    hasher,
    checkPassword,
    invitations,
    applications: applicationChecks(foundation),
  };
}

/** Logs a warning in PROD if accounts of the demo still have their published credentials. */
export async function warnOfDemoAccounts(
  { settings, accounts, clientSecrets, clock, log, refuseSamples }: Foundation,
  { hasher }: Authentication,
): Promise<void> {
  if (!refuseSamples) return;
  const found = await findDemoAccounts({ accounts, secrets: clientSecrets, hasher, clock });
  if (found.length === 0) return;
  log.warn(
    { accounts: found.map(({ account }) => account.username) },
    `these accounts still have the published credentials of the demo, which app.env=${settings['app.env']} refuses; ` +
      'remove them with: authservice demo remove',
  );
}
