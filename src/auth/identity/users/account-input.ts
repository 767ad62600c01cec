// Rules for new and changed accounts, beyond the rules of their fields.
import { ServiceError, type Violation } from '../../../platform/errors.ts';
import { ROLE_PATTERN } from '../../../platform/formats/names.ts';
import type { Account } from '../../access/account.ts';
import type { Principal } from '../../access/principal.ts';
import type { RequestViolations } from '../../../platform/rpc/request-violations.ts';
import { isTenantId } from '../../tenancy/tenant.ts';
import { isBuiltInRole, ROLES } from '../../access/roles/built-in-roles.ts';
import type { DefinitionsReader } from '../../access/roles/definitions.ts';
import { MAX_ROLES_LENGTH, TOO_LONG } from '../../access/roles/role-limits.ts';
import type { AdminScope } from '../../../platform/db/query/tenant-scope.ts';
import { getAdminScope, canGrantRole, tenantForNew } from './administrator.ts';
import { refusal } from '../../access/refusals.ts';

/** The roles that a kind of account can hold. `kind` names it in error texts. */
interface HoldableRoles {
  readonly kind: string;
  readonly includes: (role: string) => boolean;
}

export const SUPER_ADMIN_ONLY: HoldableRoles = { kind: 'without a tenant', includes: (role) => role === 'SUPER_ADMIN' };
export const ROLES_OF_TENANTS: HoldableRoles = { kind: 'with a tenant', includes: (role) => role !== 'SUPER_ADMIN' };
/** For a service account without a tenant. */
export const EVERY_ROLE: HoldableRoles = { kind: 'without a tenant', includes: () => true };

/** Throws VALIDATION_ERROR if no account within a scope can hold a role. */
export async function assertKnownRole(definitions: DefinitionsReader, scope: AdminScope, role: string): Promise<void> {
  const tenantId = scope.everyTenant ? undefined : scope.tenantId;
  const isKnown = scope.everyTenant
    ? isBuiltInRole(role) || (await definitions.isUsed(role))
    : (await definitions.load({ tenantId, version: null })).roles.has(role);
  if (isKnown) return;
  const { props: _props, ...fault } = unknownRole(0);
  throw new ServiceError('VALIDATION_ERROR', { violations: [{ ...fault, props: ['role'] }] });
}

/** The violation of a name that is not a role. */
export function unknownRole(index: number): Violation {
  const message = `must be one of ${ROLES.join(', ')}, or a role of the tenant`;
  return { message, format: 'enum', props: ['roles', `${index}`], params: { allowed: [...ROLES] } };
}

/**
 * Adds the violations of roles that an account is to hold: names that are not roles or too long together, and roles of another
 * kind of account. The first role is primary.
 */
export async function checkRoles(
  violations: RequestViolations,
  definitions: DefinitionsReader,
  principal: Principal,
  { tenantId, roles }: { readonly tenantId?: string | undefined; readonly roles: readonly string[] },
  holdable: HoldableRoles,
): Promise<void> {
  if (roles.join().length > MAX_ROLES_LENGTH) {
    violations.add({ message: TOO_LONG, format: 'maxLength', props: ['roles'], params: { limit: MAX_ROLES_LENGTH } });
  }
  const { everyTenant, ...scope } = getAdminScope(principal);
  const own = roles.filter((name) => !isBuiltInRole(name) && ROLE_PATTERN.test(name));
  if (own.length > 0) {
    const { roles: table } = await definitions.load({
      tenantId: everyTenant ? tenantId : (scope as { tenantId: string }).tenantId,
      version: null,
    });
    for (const name of own) if (!table.has(name)) violations.add(unknownRole(roles.indexOf(name)));
  }
  // assertCanGrantRoles already refuses SUPER_ADMIN for an administrator of a tenant.
  if (everyTenant && !roles.filter(isBuiltInRole).every(holdable.includes)) {
    const message = `an account ${holdable.kind} cannot hold this role`;
    violations.add({ message, format: 'role', props: ['roles'] });
  }
}

/** Throws PERMISSION_DENIED if the caller may not grant one of the roles. */
export function assertCanGrantRoles(principal: Principal, roles: readonly string[]): void {
  const refused = roles.find((role) => !canGrantRole(principal, role));
  if (refused === undefined) return;
  throw refusal('roleNotGrantable', { role: refused });
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

/** Throws CONFLICT if the service refuses all credentials of a service account. None is issued that cannot be used. */
export function assertCredentialsUsable({ tenantId }: Pick<Account, 'tenantId'>, tenantRequired: boolean): void {
  if (!tenantRequired || tenantId !== undefined) return;
  throw refusal('tenantMissing');
}
