import { Permission } from '../../proto/gen/access/v1/access.ts';
import { flattenRoles, type Role } from './account.ts';

type PermissionName = Exclude<keyof typeof Permission, 'PERMISSION_UNSPECIFIED' | 'UNRECOGNIZED'>;

/** What each role may do by itself; inherited roles add theirs. */
const GRANTS: Partial<Record<Role, readonly PermissionName[]>> = {};

/** What an account with these roles may do, directly or by inheritance. */
export function permissionsOf(held: readonly Role[]): ReadonlySet<Permission> {
  return new Set(flattenRoles(held).flatMap((role) => (GRANTS[role] ?? []).map((name) => Permission[name])));
}
