// Rules for new and changed accounts, beyond the rules of their fields.
import { ServiceError } from '../../../platform/errors.ts';
import type { Principal } from '../../principal/principal.ts';
import type { RequestViolations } from '../../../platform/rpc/request-violations.ts';
import { isTenantId } from '../../tenancy/tenant.ts';
import { ROLES, type Role } from '../../principal/account.ts';
import { getAdminScope, canGrantRole, tenantForNew } from './administrator.ts';

/** The roles that a kind of account can hold. `kind` names it in error texts. */
interface HoldableRoles {
  readonly kind: string;
  readonly includes: (role: Role) => boolean;
}

export const SUPER_ADMIN_ONLY: HoldableRoles = { kind: 'without a tenant', includes: (role) => role === 'SUPER_ADMIN' };
export const ROLES_OF_TENANTS: HoldableRoles = { kind: 'with a tenant', includes: (role) => role !== 'SUPER_ADMIN' };
/** For a service account without a tenant. */
export const EVERY_ROLE: HoldableRoles = { kind: 'without a tenant', includes: () => true };

/** Returns the role with this name, without the ROLE_ prefix; undefined if there is no such role. */
export function toRole(name: string): Role | undefined {
  return ROLES.find((role) => role === name);
}

/** Returns the roles with these names for a kind of account. The first role is primary. Unknown names are left out. */
export function checkRoles(
  violations: RequestViolations,
  principal: Principal,
  names: readonly string[],
  holdable: HoldableRoles,
): Role[] {
  const roles = names.map(toRole).filter((role) => role !== undefined);
  // assertCanGrantRoles already refuses SUPER_ADMIN for an administrator of a tenant.
  if (getAdminScope(principal).everyTenant && !roles.every(holdable.includes)) {
    const message = `an account ${holdable.kind} cannot hold this role`;
    violations.add({ message, format: 'role', props: ['roles'] });
  }
  return roles;
}

/** Throws PERMISSION_DENIED if the caller may not grant one of the roles. */
export function assertCanGrantRoles(principal: Principal, roles: readonly Role[]): void {
  if (roles.every((role) => canGrantRole(principal, role))) return;
  throw new ServiceError('PERMISSION_DENIED', { detail: 'the caller may not grant this role' });
}

/** Returns whether a tenant with this id exists. */
export type TenantExists = (id: string) => Promise<boolean>;

/**
 * Returns the tenant of a new account whose request is otherwise valid. Throws TENANT_MISMATCH if the caller may not
 * choose it, and VALIDATION_ERROR if it does not exist.
 */
export async function tenantOfNewAccount(
  principal: Principal,
  requested: string | undefined,
  exists: TenantExists,
): Promise<string | undefined> {
  const tenantId = tenantForNew(principal, requested);
  if (tenantId === undefined || !getAdminScope(principal).everyTenant) return tenantId;
  if (isTenantId(tenantId) && (await exists(tenantId))) return tenantId;
  const violation = { message: 'must be the id of a tenant', format: 'tenant', props: ['tenantId'] };
  throw new ServiceError('VALIDATION_ERROR', { publicMessage: 'No such tenant', violations: [violation] });
}
