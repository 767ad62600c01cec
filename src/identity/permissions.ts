import { Permission } from '../../proto/gen/access/v1/access.ts';
import { flattenRoles, type Role } from './account.ts';

type PermissionName = Exclude<keyof typeof Permission, 'PERMISSION_UNSPECIFIED' | 'UNRECOGNIZED'>;

const TENANT_ADMINISTRATION: readonly PermissionName[] = [
  'PERMISSION_MANAGE_USERS',
  'PERMISSION_MANAGE_CLIENTS',
  'PERMISSION_MANAGE_API_KEYS',
  'PERMISSION_MANAGE_SESSIONS',
  'PERMISSION_READ_AUDIT',
];

/** What each role may do by itself; inherited roles add theirs. */
const GRANTS: Partial<Record<Role, readonly PermissionName[]>> = {
  SUPER_ADMIN: ['PERMISSION_MANAGE_TENANTS', ...TENANT_ADMINISTRATION],
  TENANT_ADMIN: TENANT_ADMINISTRATION,
  ADMIN: TENANT_ADMINISTRATION,
  OWNER: TENANT_ADMINISTRATION,
};

// Every bearer check asks, and there are few lists of roles.
const known = new Map<string, ReadonlySet<Permission>>();

/** What an account with these roles may do, directly or by inheritance. */
export function permissionsOf(held: readonly Role[]): ReadonlySet<Permission> {
  const list = held.join();
  let permissions = known.get(list);
  if (!permissions) {
    permissions = new Set(flattenRoles(held).flatMap((role) => (GRANTS[role] ?? []).map((name) => Permission[name])));
    known.set(list, permissions);
  }
  return permissions;
}
