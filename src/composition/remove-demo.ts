// Removes the accounts and tenants of the demo, for the operator of the machine.
import type { AuditContext, AuditLog } from '../auth/audit/trail/audit-log.ts';
import { DEMO_PLAN } from './bootstrap/demo.ts';
import { findDemoAccounts, type DemoAccount } from './bootstrap/demo-accounts.ts';
import { createClientSecretStore, setClientSecretEnd } from '../auth/client-credentials/client-secret-store.ts';
import type { Settings } from '../platform/config/settings.ts';
import type { Database } from '../platform/db/types.ts';
import { createAccountStore, createAccountWriter } from '../auth/identity/account-store.ts';
import { selectAccountIds } from '../auth/identity/users/account-list-store.ts';
import { createPasswordHasher } from '../auth/identity/authentication/password-hasher.ts';
import { createEndAllSessions } from '../auth/session/revocation/end-sessions.ts';
import { createSessionStore } from '../auth/session/session-store.ts';
import { findTenant, updateTenantStatus } from '../auth/tenancy/tenant-store.ts';
import { createChallengeStore } from '../auth/factors/challenge-store.ts';
import { eraseTenant } from './erase-locally.ts';
import { maxHashMemoryBytes } from './authentication.ts';
import { createConfiguredRevocations } from './revocations.ts';
import type { Revocations } from '../auth/token/revocations.ts';
import { createLocalAuditLog, createLocalContext, LOCAL_COMMAND } from './local-operator.ts';
import { type LocalOptions, useDatabase } from './usable-database.ts';

/**
 * The accounts of the demo that still have a published credential, and the tenants that contain no other accounts. A tenant
 * with an account that also has its own client secret is not one of them.
 */
export interface Demo {
  readonly accounts: readonly DemoAccount[];
  /** Ids. */
  readonly tenants: readonly string[];
}

/** Finds the accounts and tenants that `removeDemo` removes. */
export function findDemo(options: LocalOptions): Promise<Demo> {
  return useDatabase(options, (database) => demoOf(database, options.settings));
}

/**
 * Erases the tenants with all their data. In other tenants, deletes the users and expires the client secrets. Can run
 * again after an interruption. Returns what it removed.
 */
export async function removeDemo(options: LocalOptions): Promise<Demo> {
  const demo = await useDatabase(options, async (database) => {
    const found = await demoOf(database, options.settings);
    const audit = createLocalAuditLog(database);
    const context = createLocalContext(options.log);
    const revocations = createConfiguredRevocations(options.settings, database, Date.now);
    for (const id of found.tenants) await suspend({ database, audit, revocations }, context, id);
    for (const one of found.accounts)
      if (!found.tenants.includes(one.account.tenantId ?? ''))
        await remove({ database, audit, revocations }, context, one);
    return found;
  });
  for (const id of demo.tenants) await eraseTenant(id, options);
  return demo;
}

async function demoOf(database: Database, settings: Settings): Promise<Demo> {
  const accounts = await findDemoAccounts({
    accounts: createAccountStore(database),
    secrets: createClientSecretStore(database),
    hasher: createPasswordHasher({ maxConcurrent: 1, maxQueued: 64, maxMemoryBytes: maxHashMemoryBytes(settings) }),
    clock: Date.now,
  });
  const known = new Set(accounts.filter(({ hasOwnSecrets }) => !hasOwnSecrets).map(({ account }) => account.id));
  const tenants: string[] = [];
  for (const { id, name } of DEMO_PLAN.tenants) {
    const tenant = await findTenant(database, id);
    const ids = await selectAccountIds(database, id, known.size + 1);
    // A removal that was interrupted has suspended the tenant, and may have deleted its accounts.
    const isDemo = ids.length > 0 || tenant?.status === 'SUSPENDED';
    if (tenant?.name === name && isDemo && ids.every((account) => known.has(account))) tenants.push(id);
  }
  return { accounts, tenants };
}

interface Dependencies {
  readonly database: Database;
  readonly audit: AuditLog;
  readonly revocations: Revocations;
}

async function suspend(
  { database, audit, revocations }: Dependencies,
  context: AuditContext,
  id: string,
): Promise<void> {
  await audit.commit(context, async (tx, record) => {
    const isChanged = await updateTenantStatus(database, tx, { id, status: 'SUSPENDED' }, Date.now(), context.deadline);
    if (!isChanged) return;
    await createChallengeStore(database).deleteOfTenant(tx, id);
    await revocations.setStopped(tx, 'tenant', id, true);
    record({ event: 'tenant.suspended', tenantId: id, details: { actor: LOCAL_COMMAND } });
  });
}

async function remove(
  { database, audit, revocations }: Dependencies,
  context: AuditContext,
  { account: { id, tenantId, username }, secretIds }: DemoAccount,
): Promise<void> {
  const writer = createAccountWriter(database);
  const endSessions = createEndAllSessions({
    sessions: createSessionStore(database),
    accounts: writer,
    challenges: createChallengeStore(database),
    revocations,
    clock: Date.now,
  });
  const subject = { tenantId, accountId: id, username };
  await audit.commit(context, async (tx, record) => {
    const account = await writer.lock(tx, { tenantId, id }, context.deadline);
    if (!account) return;
    if (account.interactive) {
      const sessionsEnded = await endSessions(tx, account, 'account-changed', context.deadline);
      await writer.remove(tx, account);
      await revocations.setStopped(tx, 'account', account.id, true);
      return record({ ...subject, event: 'account.deleted', details: { sessionsEnded, actor: LOCAL_COMMAND } });
    }
    const now = Date.now();
    for (const secretId of secretIds) {
      await setClientSecretEnd(tx, { tenantId, ownerId: id, id: secretId }, now, now);
      const details = { secretId, expiresAt: new Date(now).toISOString(), actor: LOCAL_COMMAND };
      record({ ...subject, event: 'client-secret.expiry-set', details });
    }
  });
}
