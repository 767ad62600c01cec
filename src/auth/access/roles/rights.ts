// The rights of an account: its roles with all that they inherit, and the permissions that it holds. Pure functions.
import { Permission } from '../../../../proto/gen/authservice/access/v1/access.ts';
import { isOwnPermission } from '../../../platform/formats/names.ts';
import {
  BUILT_IN_ROLES,
  INCLUDED,
  permissionName,
  permissionNamed,
  type RoleDefinition,
  type RoleTable,
} from './built-in-roles.ts';

/** The permissions that an account or a role holds. */
export interface HeldPermissions {
  /** Whether a built-in permission is held, or one of one's own, by its name. */
  has(permission: Permission | string): boolean;
  /** The built-in ones, in the order of their declaration. */
  readonly builtIn: readonly Permission[];
  /** The own ones that some role of the tenant names, sorted. Administrators hold further ones, which no role names yet. */
  readonly own: readonly string[];
  /** Which own permissions are held without being named. */
  readonly everyOwn: RoleDefinition['everyOwn'];
}

/** The rights of an account by its roles. */
export interface Rights {
  /** Held and inherited roles, each once, without the ROLE_ prefix. Each role is followed by those that it inherits. */
  readonly roles: readonly string[];
  /** The same roles as tokens and bodies show them: `ROLE_<NAME>`. */
  readonly prefixedRoles: readonly string[];
  readonly permissions: HeldPermissions;
}

/** Own permissions that begin like this belong to SUPER_ADMIN. */
const OF_PLATFORM = 'platform:';

/**
 * Returns the roles and all inherited roles, each once, in the order of a depth-first search. A role that the table does not
 * have is in the list and inherits nothing.
 */
export function flattenRoles(roles: readonly string[], table: RoleTable = BUILT_IN_ROLES): readonly string[] {
  const flattened = new Set<string>();
  const visit = (name: string): void => {
    if (flattened.has(name)) return;
    flattened.add(name);
    for (const inherited of table.get(name)?.inherits ?? []) visit(inherited);
  };
  for (const role of roles) visit(role);
  return [...flattened];
}

/**
 * Returns the rights that roles give.
 *
 * @param tenantId Without a tenant, only SUPER_ADMIN grants permissions: the other roles grant permissions within a tenant.
 * @param declared The own permissions that roles of the tenant name, sorted. Administrators hold all of them.
 */
export function resolveRights(
  { roles, tenantId }: { readonly roles: readonly string[]; readonly tenantId: string | undefined },
  table: RoleTable,
  declared: readonly string[],
): Rights {
  const flattened = flattenRoles(roles, table);
  const granting = tenantId === undefined ? flattened.filter((role) => role === 'SUPER_ADMIN') : flattened;
  return {
    roles: flattened,
    prefixedRoles: flattened.map(prefix),
    permissions: holdPermissions(
      granting.map((name) => table.get(name)).filter((role) => role !== undefined),
      declared,
    ),
  };
}

/** Built-in roles occur in the rights of every tenant. */
const PREFIXED = new Map([...BUILT_IN_ROLES.keys()].map((role) => [role, `ROLE_${role}`]));

function prefix(role: string): string {
  return PREFIXED.get(role) ?? `ROLE_${role}`;
}

/**
 * Returns the permissions of an account without a tenant, or of a tenant without roles of its own.
 *
 * @param table Default: without the grants of modules.
 */
export function builtInRights(
  account: { readonly roles: readonly string[]; readonly tenantId: string | undefined },
  table: RoleTable = BUILT_IN_ROLES,
): Rights {
  return resolveRights(account, table, []);
}

function holdPermissions(roles: readonly RoleDefinition[], declared: readonly string[]): HeldPermissions {
  const builtIn = new Set<Permission>();
  const own = new Set<string>();
  const named = roles.flatMap(({ permissions }) => permissions);
  for (const name of named.flatMap((one) => [one, ...(INCLUDED[one as keyof typeof INCLUDED] ?? [])])) {
    const permission = permissionNamed(name);
    if (permission === undefined) own.add(name);
    else builtIn.add(permission);
  }
  const everyOwn = roles.find((role) => role.everyOwn !== undefined)?.everyOwn;
  for (const name of declared) if (isCovered(everyOwn, name)) own.add(name);
  const [permissions, names] = [[...builtIn].toSorted((a, b) => a - b), own.size === 0 ? NONE : [...own].toSorted()];
  return {
    // Searching short lists takes less time than a set takes memory.
    has: (permission) =>
      typeof permission === 'number'
        ? permissions.includes(permission)
        : isCovered(everyOwn, permission) || names.includes(permission),
    builtIn: permissions,
    own: names,
    everyOwn,
  };
}

const NONE: readonly string[] = [];

/** Whether an own permission is held without being named. */
function isCovered(everyOwn: RoleDefinition['everyOwn'], name: string): boolean {
  if (everyOwn === undefined) return false;
  return name.startsWith(OF_PLATFORM) === (everyOwn === 'of-platform') && isOwnPermission(name);
}

/** The permissions of an account that must not be recovered by those who lack them. */
const ADMINISTRATIVE = /^(?:MANAGE_|platform:)/;

/**
 * Whether an account may unlock another one, mail it a recovery, reset its factors, or end its sessions: it may take control of it,
 * or has RECOVER_USERS and each administrative permission that the other one holds.
 */
export function canRecover(actor: HeldPermissions, target: HeldPermissions): boolean {
  if (canTakeOver(actor, target)) return true;
  if (!actor.has(Permission.PERMISSION_RECOVER_USERS) || isSuperAdmin(target)) return false;
  return (
    target.builtIn.every((one) => actor.has(one) || !ADMINISTRATIVE.test(permissionName(one))) &&
    target.own.every((one) => actor.has(one) || !ADMINISTRATIVE.test(one))
  );
}

/** Returns the names of the built-in and own permissions that are held: the built-in ones first. */
export function permissionNames({ builtIn, own }: HeldPermissions): string[] {
  return [...builtIn.map(permissionName), ...own];
}

/**
 * Whether an account may create, change, delete, give or take a role with these permissions: it holds all of them, or it is a
 * SUPER_ADMIN.
 */
export function canGive(actor: HeldPermissions, given: HeldPermissions): boolean {
  return isSuperAdmin(actor) || holdsAll(actor, given);
}

/**
 * Whether an account may take control of another one: change its password, e-mail address, roles or state, end its sessions, or
 * issue its secrets and keys. It holds every permission that the other one holds, or it is a SUPER_ADMIN.
 */
export function canTakeOver(actor: HeldPermissions, target: HeldPermissions): boolean {
  return isSuperAdmin(actor) || holdsAll(actor, target);
}

function isSuperAdmin({ everyOwn }: HeldPermissions): boolean {
  return everyOwn === 'of-platform';
}

function holdsAll(actor: HeldPermissions, { builtIn, own, everyOwn }: HeldPermissions): boolean {
  return (
    (everyOwn === undefined || everyOwn === actor.everyOwn) &&
    builtIn.every((permission) => actor.has(permission)) &&
    own.every((permission) => actor.has(permission))
  );
}
