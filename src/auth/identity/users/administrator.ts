// The scope of an administrator: accounts of its own tenant, or of every tenant for a SUPER_ADMIN.
import { ServiceError } from '../../../platform/errors.ts';
import type { Call, Principal } from '../../access/principal.ts';
import type { Account } from '../../access/account.ts';
import type { AccountStore } from '../account-store.ts';
import type { FoundAccount } from '../account-row.ts';
import { isId } from '../../../platform/db/ids.ts';
import type { AdminScope } from '../../../platform/db/query/tenant-scope.ts';
import { refusal, type OwnAct } from '../../access/refusals.ts';

/** Returns the scope of an administrator. Only a SUPER_ADMIN has no tenant and can access all tenants. */
export function getAdminScope({ account }: Principal): AdminScope {
  if (account.tenantId !== undefined) return { everyTenant: false, tenantId: account.tenantId };
  if (!account.rights.roles.includes('SUPER_ADMIN')) throw new ServiceError('PERMISSION_DENIED');
  return { everyTenant: true };
}

/** Returns the tenant of a new record. Throws TENANT_MISMATCH if the caller may not choose it. */
export function tenantForNew(principal: Principal, requested: string | undefined): string | undefined {
  const scope = getAdminScope(principal);
  if (scope.everyTenant) return requested;
  if (requested !== undefined && requested !== scope.tenantId) throw new ServiceError('TENANT_MISMATCH');
  return scope.tenantId;
}

/**
 * Returns the administrator's scope, narrowed to the requested tenant. Throws TENANT_MISMATCH if that tenant is outside
 * the scope.
 */
export function narrowScope(principal: Principal, tenantId: string | undefined): AdminScope {
  const scope = getAdminScope(principal);
  if (tenantId === undefined) return scope;
  if (!scope.everyTenant && tenantId !== scope.tenantId) throw new ServiceError('TENANT_MISMATCH');
  return { everyTenant: false, tenantId };
}

/** Returns the account with this id. Throws NOT_FOUND if it does not exist or is outside the administrator's scope. */
export type FindManagedAccount = (principal: Principal, accountId: string) => Promise<FoundAccount>;

export function createFindManagedAccount(accounts: Pick<AccountStore, 'findInScope'>): FindManagedAccount {
  return async (principal, accountId) => {
    const scope = getAdminScope(principal);
    const accountWithTenant = isId(accountId) ? await accounts.findInScope(scope, { id: accountId }) : undefined;
    if (!accountWithTenant) throw new ServiceError('NOT_FOUND');
    return accountWithTenant;
  };
}

/**
 * Whether an administrator may grant a role. SUPER_ADMIN requires that the caller is a SUPER_ADMIN and the account has
 * no tenant.
 */
export function canGrantRole(principal: Principal, role: string): boolean {
  return role !== 'SUPER_ADMIN' || getAdminScope(principal).everyTenant;
}

/** Throws PERMISSION_DENIED if the caller may not change the account: only a SUPER_ADMIN changes a resource server. */
export function assertCanAdminister(principal: Principal, account: Pick<Account, 'resourceServer'>): void {
  if (!account.resourceServer || getAdminScope(principal).everyTenant) return;
  throw refusal('resourceServer');
}

/** Returns the id of the account that acts on another, for the audit log; undefined if it acts on itself. */
export function actorIdOf(call: Partial<Pick<Call, 'principal'>>, account: Pick<Account, 'id'>): string | undefined {
  const actor = call.principal?.account.id;
  return actor === account.id ? undefined : actor;
}

/** Throws CONFLICT if the caller would apply to itself an act that it could not undo. */
export function assertNotSelf(call: Call, account: Pick<Account, 'id'>, act: OwnAct): void {
  if (call.principal?.account.id !== account.id) return;
  throw refusal('ownAccount', { act });
}
