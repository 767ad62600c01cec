// Whom an administrator may administer: accounts of the own tenant, or of every tenant for a SUPER_ADMIN.
import { ServiceError } from '../../errors.ts';
import type { Principal } from '../../principal/principal.ts';
import type { Call } from '../../rpc/types.ts';
import { flattenRoles, type Account, type Role } from '../../principal/account.ts';
import type { AccountStore } from '../account-store.ts';
import type { AccountWithTenant } from '../authentication/eligibility.ts';
import { isId } from '../../db/ids.ts';
import type { AdminScope } from '../../db/query/tenant-scope.ts';

/** The tenant comes from the account: only a SUPER_ADMIN has none and reaches all. */
export function getAdminScope({ account }: Principal): AdminScope {
  if (account.tenantId !== undefined) return { everyTenant: false, tenantId: account.tenantId };
  if (!flattenRoles(account.roles).includes('SUPER_ADMIN')) throw new ServiceError('PERMISSION_DENIED');
  return { everyTenant: true };
}

/** The tenant that a new record belongs to. Throws TENANT_MISMATCH where the caller may not choose it. */
export function tenantForNew(principal: Principal, requested: string | undefined): string | undefined {
  const scope = getAdminScope(principal);
  if (scope.everyTenant) return requested;
  if (requested !== undefined && requested !== scope.tenantId) throw new ServiceError('TENANT_MISMATCH');
  return scope.tenantId;
}

/**
 * An administrator's scope, narrowed to the tenant that a list is asked for. Throws TENANT_MISMATCH for a tenant outside of the
 * scope.
 */
export function narrowScope(principal: Principal, tenantId: string | undefined): AdminScope {
  const scope = getAdminScope(principal);
  if (tenantId === undefined) return scope;
  if (!scope.everyTenant && tenantId !== scope.tenantId) throw new ServiceError('TENANT_MISMATCH');
  return { everyTenant: false, tenantId };
}

/** The account of this id within the administrator's scope. Throws NOT_FOUND, the same for all that it may not see. */
export type FindManagedAccount = (principal: Principal, accountId: string) => Promise<AccountWithTenant>;

export function createFindManagedAccount(accounts: Pick<AccountStore, 'findInScope'>): FindManagedAccount {
  return async (principal, accountId) => {
    const scope = getAdminScope(principal);
    const standing = isId(accountId) ? await accounts.findInScope(scope, { id: accountId }) : undefined;
    if (!standing) throw new ServiceError('NOT_FOUND');
    return standing;
  };
}

/** Roles that an administrator may give: SUPER_ADMIN only where it is one itself and the account has no tenant. */
export function canGrantRole(principal: Principal, role: Role): boolean {
  return role !== 'SUPER_ADMIN' || getAdminScope(principal).everyTenant;
}

/** Who acts on an account, for the audit trail; undefined where it is the account itself. */
export function actorIdOf(call: Call, account: Pick<Account, 'id'>): string | undefined {
  const actor = call.principal?.account.id;
  return actor === account.id ? undefined : actor;
}

/** Throws CONFLICT where the caller would do to itself what it could not undo. */
export function assertNotSelf(call: Call, account: Pick<Account, 'id'>, what: string): void {
  if (call.principal?.account.id !== account.id) return;
  throw new ServiceError('CONFLICT', { publicMessage: `An account cannot ${what} itself` });
}
