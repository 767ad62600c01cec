// What new and changed accounts may be: the rules of their fields.
import { hasForbiddenCharacters, violateCharacters } from '../characters.ts';
import { ServiceError } from '../errors.ts';
import type { Principal } from '../principal.ts';
import { hasLength, wrongLength, type RequestCheck } from '../request-check.ts';
import { isTenantId } from '../tenancy/tenant.ts';
import { ROLES, type Role } from './account.ts';
import { mayGive, getAdminScope, tenantForNew } from './administrator.ts';
import { canonicalUsername } from './username.ts';

const MAX_EMAIL = 320;
const MAX_USERNAME = 254;

/** A login name or client id in its canonical form. */
export function checkUsername(check: RequestCheck, field: string, value: string): string {
  const username = canonicalUsername(value);
  if (username === undefined) check.violate(wrongLength(field, 1, MAX_USERNAME));
  else if (hasForbiddenCharacters(username)) violateCharacters(check, field);
  return username ?? '';
}

/** An e-mail address; undefined where it is empty. */
export function checkEmail(check: RequestCheck, value: string | undefined): string | undefined {
  const email = value?.trim();
  if (!email) return undefined;
  if (!hasLength(email, 1, MAX_EMAIL)) check.violate(wrongLength('email', 0, MAX_EMAIL));
  else if (hasForbiddenCharacters(email)) violateCharacters(check, 'email');
  else if (!/^[^\s@]+@[^\s@]+$/.test(email)) {
    check.violate({ message: 'must be an e-mail address', format: 'email', props: ['email'] });
  }
  return email;
}

/** A role by its name, without the ROLE_ prefix. */
export function checkRole(check: RequestCheck, props: readonly string[], value: string): Role | undefined {
  const role = ROLES.find((known) => known === value);
  if (role === undefined) {
    check.violate({ message: 'must be a known role', format: 'enum', props, params: { allowed: ROLES } });
  }
  return role;
}

/** Which roles a kind of account may hold, and the words for it. */
interface HoldableRoles {
  readonly kind: string;
  readonly includes: (role: Role) => boolean;
}

export const SUPER_ADMIN_ONLY: HoldableRoles = { kind: 'without a tenant', includes: (role) => role === 'SUPER_ADMIN' };
export const ROLES_OF_TENANTS: HoldableRoles = { kind: 'with a tenant', includes: (role) => role !== 'SUPER_ADMIN' };
/** Of a service account without a tenant. */
export const EVERY_ROLE: HoldableRoles = { kind: 'without a tenant', includes: () => true };

/** Roles for an account, the first is primary. */
export function checkRoles(
  check: RequestCheck,
  principal: Principal,
  values: readonly string[],
  holdable: HoldableRoles,
): Role[] {
  const roles = values.map((value, index) => checkRole(check, ['roles', `${index}`], value));
  const known = roles.filter((role) => role !== undefined);
  if (values.length === 0) check.violate({ message: 'must have at least one', format: 'minItems', props: ['roles'] });
  if (new Set(known).size < known.length) {
    check.violate({ message: 'must name each role once', format: 'uniqueItems', props: ['roles'] });
  }
  // An administrator of a tenant is refused SUPER_ADMIN by demandMayGive.
  if (getAdminScope(principal).everyTenant && !known.every(holdable.includes)) {
    const message = `an account ${holdable.kind} cannot hold this role`;
    check.violate({ message, format: 'role', props: ['roles'] });
  }
  return known;
}

/** Throws PERMISSION_DENIED for a role that the caller may not give. */
export function demandMayGive(principal: Principal, roles: readonly Role[]): void {
  if (roles.every((role) => mayGive(principal, role))) return;
  throw new ServiceError('PERMISSION_DENIED', { detail: 'the caller may not give this role' });
}

/** Whether a tenant of this id exists. */
export type TenantExists = (id: string) => Promise<boolean>;

/** Notes a requested tenant that cannot be one. */
export function checkTenantId(check: RequestCheck, requested: string | undefined): void {
  if (requested !== undefined && !isTenantId(requested)) check.violate(noTenant());
}

/**
 * The tenant of a new account whose request is otherwise valid. Throws TENANT_MISMATCH where the caller may not choose it,
 * VALIDATION_ERROR where it does not exist.
 */
export async function tenantOfNewAccount(
  principal: Principal,
  requested: string | undefined,
  exists: TenantExists,
): Promise<string | undefined> {
  const tenantId = tenantForNew(principal, requested);
  if (tenantId !== undefined && getAdminScope(principal).everyTenant && !(await exists(tenantId))) {
    throw new ServiceError('VALIDATION_ERROR', { publicMessage: 'No such tenant', violations: [noTenant()] });
  }
  return tenantId;
}

function noTenant() {
  return { message: 'must be the id of a tenant', format: 'tenant', props: ['tenantId'] };
}
