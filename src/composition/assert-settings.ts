// Settings that only a file or the data can prove wrong, checked before the start writes anything.
import { existsSync } from 'node:fs';
import { createUsernameCheck } from '../auth/identity/account-store.ts';
import { createDefinitions } from '../auth/access/roles/definitions.ts';
import { createBuiltInRoles } from '../auth/access/roles/built-in-roles.ts';
import { loadTemplates } from '../auth/mail/load-templates.ts';
import { createPasswordPolicy } from '../auth/identity/users/password-policy.ts';
import { findSecretKeys } from '../auth/keys/key-store.ts';
import { secretKeyContext } from '../auth/keys/secret-key.ts';
import { parseDatabaseUrl } from '../platform/db/database-url.ts';
import { migrationStates } from '../platform/db/migrate.ts';
import type { Database } from '../platform/db/types.ts';
import { assertObjectStore } from '../platform/files/create-object-store.ts';
import { assertCertificates } from '../platform/rpc/grpc/certificates.ts';
import type { Settings } from '../platform/config/settings.ts';
import { applicationRules } from './applications.ts';
import { assertPlan } from './bootstrap/assert-plan.ts';
import { enabledModules } from './modules.ts';
import { servicePolicy } from './service-policy.ts';
import { createConfiguredKeyEncryption } from './tokens.ts';

const TABLE_OF_ACCOUNTS = '0002_accounts.ts';
const TABLE_OF_KEYS = '0016_secret_keys.ts';

/** Whether an account exists. */
type HasAccount = (username: string) => Promise<boolean>;
/** A database without tables. */
const NO_ACCOUNTS: HasAccount = async () => false;
const NO_ROWS = { query: async () => [], execute: async () => 0 };

/** Rejects with SettingError if a file or folder of the settings cannot be used, or if a missing SQLite file cannot get its accounts. */
export async function assertFiles(settings: Settings): Promise<void> {
  if (settings['app.rpc.enabled'])
    assertCertificates({
      cert: settings['app.rpc.tls.cert'],
      key: settings['app.rpc.tls.key'],
      ca: settings['app.rpc.tls.client-ca'],
    });
  if (settings['app.mail.templates'] !== undefined) loadTemplates(settings['app.mail.templates']);
  if (settings['app.business.enabled']) assertObjectStore(settings['app.files.store']);
  const target = parseDatabaseUrl(settings['app.database.url']);
  const isNew = target.engine === 'sqlite' && !existsSync(target.filename);
  await assertBootstrap(settings, isNew ? NO_ACCOUNTS : undefined);
}

/** Rejects with SettingError if the database cannot get its missing accounts, or if another key has encrypted the data. */
export async function assertData(database: Database, settings: Settings): Promise<void> {
  const states = await migrationStates(database);
  const isApplied = (migration: string) => states.some(({ name, applied }) => applied && name === migration);
  await assertBootstrap(settings, isApplied(TABLE_OF_ACCOUNTS) ? createUsernameCheck(database) : NO_ACCOUNTS);
  // The first start may have been killed during its migrations.
  if (!isApplied(TABLE_OF_KEYS)) return;
  const encryption = createConfiguredKeyEncryption(settings);
  for (const { name, encrypted } of await findSecretKeys(database))
    encryption.decrypt(encrypted, secretKeyContext(name));
}

/** Checks the bootstrap file, and without `hasAccount` only its syntax. */
async function assertBootstrap(settings: Settings, hasAccount: HasAccount | undefined): Promise<void> {
  const file = settings['app.bootstrap.file'];
  if (file === undefined) return;
  // Loaded here because YAML and its checks take longer to load than the rest of the core.
  const { readBootstrapPlan } = await import('./bootstrap/plan-file.ts');
  const { plan } = await readBootstrapPlan(file);
  if (hasAccount === undefined) return;
  const service = servicePolicy(settings);
  const policies = { service, load: async () => ({ own: {}, service, effective: service }) };
  const builtInRoles = createBuiltInRoles(enabledModules(settings).flatMap(({ grants }) => grants ?? []));
  if (hasAccount === NO_ACCOUNTS) {
    const { assertRoles } = await import('./bootstrap/apply-roles.ts');
    await assertRoles(plan, builtInRoles);
  }
  const refuseSamples = settings['app.env'] === 'PROD';
  const forbiddenWords = settings['app.security.password.forbidden-words'];
  await assertPlan(plan, {
    hasAccount,
    checkPassword: createPasswordPolicy({ refuseSamples, forbiddenWords, policies }),
    refuseSamples,
    policies,
    canInvite: settings['app.mail.url'] !== undefined,
    rules: () => applicationRules(settings, createDefinitions(NO_ROWS, builtInRoles)),
  });
}
