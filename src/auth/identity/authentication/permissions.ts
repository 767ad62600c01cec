import { Permission } from '../../../../proto/gen/authservice/access/v1/access.ts';
import { flattenRoles, type Account, type Role } from '../../principal/account.ts';

type PermissionName = Exclude<keyof typeof Permission, 'PERMISSION_UNSPECIFIED' | 'UNRECOGNIZED'>;

const TENANT_ADMINISTRATION: readonly PermissionName[] = [
  'PERMISSION_MANAGE_USERS',
  'PERMISSION_MANAGE_CLIENTS',
  'PERMISSION_MANAGE_API_KEYS',
  'PERMISSION_MANAGE_SESSIONS',
  'PERMISSION_READ_AUDIT',
  'PERMISSION_EXPLAIN_CREDENTIALS',
];

const READ: readonly PermissionName[] = [
  'PERMISSION_READ_PRODUCTS',
  'PERMISSION_READ_ORDERS',
  'PERMISSION_READ_CUSTOMERS',
  'PERMISSION_READ_DASHBOARD',
  'PERMISSION_READ_REFERENCE_DATA',
];

const BUSINESS: readonly PermissionName[] = [
  ...READ,
  'PERMISSION_WRITE_PRODUCTS',
  'PERMISSION_WRITE_ORDERS',
  'PERMISSION_CHANGE_ORDER_STATUS',
  'PERMISSION_WRITE_CUSTOMERS',
  'PERMISSION_USE_FILES',
];

/** The permissions that each role grants directly. Inherited roles add theirs. */
const GRANTS: Readonly<Record<Role, readonly PermissionName[]>> = {
  SUPER_ADMIN: ['PERMISSION_MANAGE_TENANTS', 'PERMISSION_MANAGE_SIGNING_KEYS', ...TENANT_ADMINISTRATION],
  TENANT_ADMIN: [...TENANT_ADMINISTRATION, ...BUSINESS],
  ADMIN: [...TENANT_ADMINISTRATION, ...BUSINESS],
  OWNER: [...TENANT_ADMINISTRATION, ...BUSINESS],
  MANAGER: BUSINESS,
  SALES: [
    'PERMISSION_READ_PRODUCTS',
    'PERMISSION_READ_ORDERS',
    'PERMISSION_WRITE_ORDERS',
    'PERMISSION_CHANGE_ORDER_STATUS',
    'PERMISSION_READ_CUSTOMERS',
    'PERMISSION_WRITE_CUSTOMERS',
    'PERMISSION_READ_DASHBOARD',
    'PERMISSION_READ_REFERENCE_DATA',
    'PERMISSION_USE_FILES',
  ],
  ACCOUNTANT: READ,
  PURCHASER: [
    'PERMISSION_READ_PRODUCTS',
    'PERMISSION_WRITE_PRODUCTS',
    'PERMISSION_READ_ORDERS',
    'PERMISSION_READ_DASHBOARD',
    'PERMISSION_READ_REFERENCE_DATA',
    'PERMISSION_USE_FILES',
  ],
  FLORIST: [
    'PERMISSION_READ_PRODUCTS',
    'PERMISSION_READ_ORDERS',
    'PERMISSION_CHANGE_ORDER_STATUS',
    'PERMISSION_PRODUCE_ORDERS',
    'PERMISSION_READ_REFERENCE_DATA',
    'PERMISSION_USE_FILES',
  ],
  DELIVERY: [
    'PERMISSION_READ_ORDERS',
    'PERMISSION_CHANGE_ORDER_STATUS',
    'PERMISSION_DELIVER_ORDERS',
    'PERMISSION_READ_CUSTOMERS',
    'PERMISSION_READ_REFERENCE_DATA',
    'PERMISSION_USE_FILES',
  ],
  TENANT_USER: READ,
};

/** Returns the permission with this name, without the PERMISSION_ prefix; undefined if there is none. */
export function permissionNamed(name: string): Permission | undefined {
  const key = `PERMISSION_${name}`;
  return isPermissionName(key) ? Permission[key] : undefined;
}

function isPermissionName(key: string): key is PermissionName {
  return Object.hasOwn(Permission, key) && key !== 'PERMISSION_UNSPECIFIED';
}

// Every bearer check needs this, and there are few distinct lists of roles.
const known = new Map<string, ReadonlySet<Permission>>();

/**
 * Returns the permissions of an account, by its roles and those they inherit. Without a tenant, only SUPER_ADMIN grants
 * any: the other roles grant permissions within a tenant.
 */
export function permissionsOf({ roles, tenantId }: Pick<Account, 'roles' | 'tenantId'>): ReadonlySet<Permission> {
  const granting = tenantId === undefined ? roles.filter((role) => role === 'SUPER_ADMIN') : roles;
  const list = granting.join();
  let permissions = known.get(list);
  if (!permissions) {
    permissions = new Set(flattenRoles(granting).flatMap((role) => GRANTS[role].map((name) => Permission[name])));
    known.set(list, permissions);
  }
  return permissions;
}

/** Returns the names of permissions, without the PERMISSION_ prefix, in the order of their declaration. */
export function permissionNames(permissions: ReadonlySet<Permission>): string[] {
  const names = Object.entries(Permission).filter(([, value]) => permissions.has(value));
  return names.map(([name]) => name.replace('PERMISSION_', ''));
}
