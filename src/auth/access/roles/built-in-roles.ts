// The built-in roles: rows of the same table as a tenant's own roles, in code. A module that brings permissions brings
// its grants, too.
import { Permission } from '../../../../proto/gen/authservice/access/v1/access.ts';
import { Role as RoleMessage } from '../../../../proto/gen/authservice/identity/v1/identity_service.ts';
import { enumNames } from '../../../platform/formats/enum-names.ts';

const ROLE_NAMES = enumNames(RoleMessage, 'ROLE_');
const PERMISSION_NAMES = enumNames(Permission, 'PERMISSION_');

/** The names of the built-in roles, without the ROLE_ prefix, in the interface's order. */
export const ROLES = ROLE_NAMES.names;
export type Role = (typeof ROLES)[number];
/** The name of a built-in permission, without the PERMISSION_ prefix. */
export type BuiltInPermission = (typeof PERMISSION_NAMES.names)[number];

/** A role: what it grants itself, and the roles whose permissions it has as well. */
export interface RoleDefinition {
  /** Names of permissions: built-in ones without prefix, and own ones. */
  readonly permissions: readonly string[];
  readonly inherits: readonly string[];
  /** Which own permissions it holds without naming them. */
  readonly everyOwn?: 'of-tenant' | 'of-platform';
}

/** Permissions that roles get. */
export type Grants = Readonly<Partial<Record<Role, readonly BuiltInPermission[]>>>;

const TENANT_ADMINISTRATION: readonly BuiltInPermission[] = [
  'MANAGE_USERS',
  'MANAGE_CLIENTS',
  'MANAGE_API_KEYS',
  'MANAGE_SESSIONS',
  'READ_AUDIT',
  'EXPLAIN_CREDENTIALS',
  'MANAGE_ROLES',
  'MANAGE_POLICY',
  'MANAGE_WEBHOOKS',
  'MANAGE_APPLICATIONS',
  'READ_USERS',
  'RECOVER_USERS',
];

/** Permissions that concern the whole service. Own roles cannot have them. */
export const SERVICE_PERMISSIONS: readonly BuiltInPermission[] = ['MANAGE_TENANTS', 'MANAGE_SIGNING_KEYS'];

const AUTH_GRANTS: Grants = {
  SUPER_ADMIN: [...SERVICE_PERMISSIONS, ...TENANT_ADMINISTRATION],
  TENANT_ADMIN: TENANT_ADMINISTRATION,
  ADMIN: TENANT_ADMINISTRATION,
  OWNER: TENANT_ADMINISTRATION,
  AUDITOR: ['READ_USERS', 'READ_AUDIT'],
  HELP_DESK: ['READ_USERS', 'READ_AUDIT', 'MANAGE_SESSIONS', 'RECOVER_USERS'],
};

/** Permissions that others include. */
export const INCLUDED: Readonly<Partial<Record<BuiltInPermission, readonly BuiltInPermission[]>>> = {
  MANAGE_USERS: ['READ_USERS'],
};

/** A built-in role without its permissions. */
const KINDS: Readonly<Record<Role, Omit<RoleDefinition, 'permissions'>>> = {
  SUPER_ADMIN: { inherits: [], everyOwn: 'of-platform' },
  TENANT_ADMIN: { inherits: [], everyOwn: 'of-tenant' },
  ADMIN: { inherits: ['OWNER'], everyOwn: 'of-tenant' },
  OWNER: { inherits: ['MANAGER', 'PURCHASER', 'FLORIST', 'DELIVERY'], everyOwn: 'of-tenant' },
  MANAGER: { inherits: ['SALES', 'ACCOUNTANT'] },
  SALES: { inherits: [] },
  ACCOUNTANT: { inherits: [] },
  PURCHASER: { inherits: [] },
  FLORIST: { inherits: [] },
  DELIVERY: { inherits: [] },
  TENANT_USER: { inherits: [] },
  AUDITOR: { inherits: [] },
  HELP_DESK: { inherits: [] },
};

/** Roles by name. */
export type RoleTable = Pick<ReadonlyMap<string, RoleDefinition>, 'get' | 'has'>;

/** Returns the built-in roles with the grants of the service and of its modules. */
export function createBuiltInRoles(modules: readonly Grants[]): ReadonlyMap<string, RoleDefinition> {
  return new Map(
    ROLES.map((name) => [
      name,
      { ...KINDS[name], permissions: [AUTH_GRANTS, ...modules].flatMap((grants) => grants[name] ?? []) },
    ]),
  );
}

/** The built-in roles without the grants of modules. */
export const BUILT_IN_ROLES = createBuiltInRoles([]);

export function isBuiltInRole(name: string): name is Role {
  return BUILT_IN_ROLES.has(name);
}

/**
 * Returns the names of the built-in permissions that none of these built-in roles has: those of modules that are left out. They do not
 * exist in this service.
 */
export function missingPermissions(roles: ReadonlyMap<string, RoleDefinition>): ReadonlySet<string> {
  const granted = new Set([...roles.values()].flatMap(({ permissions }) => permissions));
  return new Set(PERMISSION_NAMES.names.filter((name) => permissionNamed(name) !== undefined && !granted.has(name)));
}

/** Returns the built-in permission with this name, without the prefix, of any module; undefined if there is none. */
export function permissionNamed(name: string): Permission | undefined {
  const permission = PERMISSION_NAMES.valueOf(name as BuiltInPermission) as Permission | undefined;
  return permission === Permission.PERMISSION_UNSPECIFIED ? undefined : permission;
}

/** Returns the name of a built-in permission, without the prefix. */
export function permissionName(permission: Permission): string {
  return PERMISSION_NAMES.nameOf(permission) ?? '';
}
