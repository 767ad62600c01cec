// The first accounts and the demo data, created when a deployment starts.
// Existing tenants, login domains and accounts are not changed: no password, lock or disabled flag is reset. A name that belongs to
// another tenant is skipped with an error in the log.
import type { Logger } from 'pino';
import { UNLIMITED, type Clock } from '../../platform/clock.ts';
import { insertClientSecret } from '../../auth/client-credentials/client-secret-store.ts';
import { DatabaseError } from '../../platform/db/errors.ts';
import { repeatRolledBack } from '../../platform/db/repeat-rolled-back.ts';
import type { Database, Statements } from '../../platform/db/types.ts';
import { ServiceError } from '../../platform/errors.ts';
import type { AuditLog } from '../../auth/audit/trail/audit-log.ts';
import type { AccountStore } from '../../auth/identity/account-store.ts';
import { addAccount } from '../../auth/identity/users/add-account.ts';
import type { PasswordHasher } from '../../auth/identity/authentication/password-hasher.ts';
import type { Invitations } from '../../auth/identity/invitation/invitations.ts';
import type { CheckPassword } from '../../auth/identity/users/password-policy.ts';
import { readOwnPolicy } from '../../auth/access/policy/effective-policy.ts';
import type { Policies } from '../../auth/access/policy/policies.ts';
import { selectNamesOfApplications } from '../../auth/oauth/applications/application-store.ts';
import { addLoginDomains } from '../../auth/tenancy/claim-username.ts';
import { parseDomainName } from '../../platform/formats/names.ts';
import { beginDefinitionsChange } from '../../auth/tenancy/lock-tenant.ts';
import { insertTenant, tenantExists, updateTenantPolicy } from '../../auth/tenancy/tenant-store.ts';
import type { Tenant } from '../../auth/tenancy/tenant.ts';
import { lockSharedRoles } from '../../auth/access/roles/definitions.ts';
import { assertPlan } from './assert-plan.ts';
import { inGroups } from './in-groups.ts';
import type { BootstrapPlan, PlannedTenant } from './plan.ts';
import { newAccount, plannedAccounts, type PlannedAccount } from './planned-accounts.ts';
import type { StoredAccount } from '../../auth/access/account.ts';
import { isBuiltInRole } from '../../auth/access/roles/built-in-roles.ts';
import type { DefinitionsReader } from '../../auth/access/roles/definitions.ts';
import { findExcess } from '../../auth/access/roles/role-limits.ts';
import { unknownRole } from '../../auth/identity/users/account-input.ts';
import { holdDefinitions } from '../../auth/tenancy/lock-tenant.ts';
import type { ApplicationChecks } from '../../auth/oauth/applications/add-application.ts';
import { applyApplications } from './apply-applications.ts';
import { applyRoles } from './apply-roles.ts';

export interface BootstrapDependencies {
  readonly applications: ApplicationChecks;
  readonly database: Database;
  readonly definitions: DefinitionsReader;
  readonly accounts: AccountStore;
  readonly hasher: Pick<PasswordHasher, 'hash'>;
  readonly checkPassword: CheckPassword;
  /** Whether published client secrets are refused. */
  readonly refuseSamples: boolean;
  readonly policies: Pick<Policies, 'service'>;
  /** Undefined if mail is off. */
  readonly invitations: Invitations | undefined;
  readonly audit: AuditLog;
  readonly clock: Clock;
  readonly log: Logger;
}

export interface BootstrapResult {
  /** Ids of the tenants that were created. */
  readonly tenants: readonly string[];
  /** The number of roles that were created. */
  readonly roles: number;
  /** The number of login domains added to tenants. */
  readonly loginDomains: number;
  /** The numbers of accounts and applications that were created. */
  readonly accounts: number;
  readonly applications: number;
  /** The numbers of accounts and applications that were created, existed already, and could not be created. */
  readonly created: number;
  readonly existing: number;
  readonly skipped: number;
}

type Outcome = 'created' | 'existing' | 'skipped';

/** The requester of the plan's password hashes. */
const LOCAL = { clientAddress: 'bootstrap', deadline: UNLIMITED };

/** Applies a plan. Rejects with SettingError before creating anything if a password or secret of a new account may not be used. */
export async function applyBootstrap(
  plan: BootstrapPlan,
  dependencies: BootstrapDependencies,
): Promise<BootstrapResult> {
  const { database, definitions, accounts, hasher, invitations, applications, clock, log } = dependencies;
  const planned = plannedAccounts(plan);
  const own = new Map((plan.tenants ?? []).map(({ id, policy }) => [id, readOwnPolicy(policy)]));
  const hasAccount = async (username: string) => (await accounts.findByUsername(username)) !== undefined;
  await assertPlan(plan, {
    ...dependencies,
    hasAccount,
    canInvite: invitations !== undefined,
    rules: () => applications.rules,
  });
  const tenants: string[] = [];
  let loginDomains = 0;
  for (const tenant of plan.tenants ?? []) {
    if (await createTenant(tenant)) tenants.push(tenant.id);
    loginDomains += await giveDomains(tenant);
  }
  const roles = await applyRoles(plan, dependencies);
  const outcomes = await inGroups(planned, createAccount);
  const ofApplications = await applyApplications(plan, applications, dependencies);
  const count = (outcome: Outcome, of = [...outcomes, ...ofApplications]) => of.filter((one) => one === outcome).length;
  return {
    tenants,
    roles,
    loginDomains,
    accounts: count('created', outcomes),
    applications: count('created', [...ofApplications]),
    created: count('created'),
    existing: count('existing'),
    skipped: count('skipped'),
  };

  async function createTenant({ id, name }: PlannedTenant): Promise<boolean> {
    if (await tenantExists(database, id)) return false;
    const tenant: Tenant = { id, name: name ?? id, status: 'ACTIVE', createdAt: clock() };
    return unlessTaken(
      repeatedTransaction(async (tx) => {
        await lockSharedRoles(tx);
        await insertTenant(tx, tenant);
        const policy = own.get(id)!;
        if (Object.keys(policy).length === 0) return;
        await beginDefinitionsChange(database, tx, { tenantId: id, now: clock(), deadline: UNLIMITED });
        await updateTenantPolicy(tx, id, JSON.stringify(policy));
      }),
    );
  }

  async function giveDomains({ id: tenantId, loginDomains: wanted = [] }: PlannedTenant): Promise<number> {
    if (wanted.length === 0) return 0;
    const domains = wanted.map((domain) => parseDomainName(domain)!);
    const { added, taken } = await repeatRolledBack(() =>
      addLoginDomains(database, { tenantId, domains }, clock(), UNLIMITED),
    );
    for (const domain of taken) log.error({ tenantId, domain }, 'login domain skipped: another tenant owns it');
    return added;
  }

  async function createAccount(wanted: PlannedAccount): Promise<Outcome> {
    const { place, password, secret, isInvited } = wanted;
    const invitation = isInvited ? invitations : undefined;
    const account = { ...newAccount(wanted.account, clock()), invitationExpiresAt: invitation?.newExpiry() };
    const skip = (why: string): Outcome => {
      log.error({ place, username: account.username, tenantId: account.tenantId }, `bootstrap account skipped: ${why}`);
      return 'skipped';
    };
    const found = await accounts.findByUsername(account.username);
    if (found)
      return found.account.tenantId === account.tenantId ? 'existing' : skip('its username exists in another tenant');

    const passwordHash = password === undefined ? undefined : await hasher.hash(password, LOCAL);
    const insertion = repeatedTransaction(async (tx) => {
      await assertRolesHoldable(tx, account);
      await addAccount({ database, selectReservedNames: selectNamesOfApplications }, tx, account, passwordHash);
      if (invitation)
        await invitation.send(tx, account, { to: account.email!, expiresAt: account.invitationExpiresAt! });
      if (secret === undefined) return;
      const { tenantId, id: ownerId, createdAt } = account;
      await insertClientSecret(tx, { tenantId, ownerId, secret, createdAt });
    });
    try {
      // An account that another process has created meanwhile is treated like an existing one.
      return (await unlessTaken(insertion)) ? 'created' : await createAccount(wanted);
    } catch (error) {
      if (error instanceof ServiceError && error.reason === 'CONFLICT') return skip('an application has its name');
      if (!(error instanceof ServiceError) || error.reason !== 'VALIDATION_ERROR') throw error;
      const ofRoles = error.violations?.find(({ props }) => props?.[0] === 'roles');
      if (!ofRoles) return skip('its username lies under a login domain of another tenant');
      return skip(ofRoles.format === 'enum' ? 'one of its roles does not exist' : `its roles ${ofRoles.message}`);
    }
  }

  /** Another process that starts at the same moment writes the same rows. */
  function repeatedTransaction(work: (tx: Statements) => Promise<void>): Promise<void> {
    return repeatRolledBack(() => database.transaction(UNLIMITED, work));
  }

  async function assertRolesHoldable(tx: Statements, { tenantId, roles: held }: StoredAccount): Promise<void> {
    if (held.every(isBuiltInRole)) return;
    if (tenantId !== undefined) await holdDefinitions(database, tx, tenantId);
    const defined = await definitions.load({ tenantId, version: null }, tx);
    const unknown = held.flatMap((name, index) => (defined.roles.has(name) ? [] : [unknownRole(index)]));
    const violations = [...unknown, ...findExcess(defined.rightsOf(held))];
    if (violations.length > 0) throw new ServiceError('VALIDATION_ERROR', { violations });
  }
}

/** Returns false if another process, starting at the same time, was faster. */
async function unlessTaken(insertion: Promise<void>): Promise<boolean> {
  try {
    await insertion;
    return true;
  } catch (error) {
    if (error instanceof DatabaseError && error.kind === 'duplicate') return false;
    throw error;
  }
}
