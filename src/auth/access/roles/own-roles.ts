// Roles that are not built in, as a process keeps them: those of a tenant, and those for every tenant, of which all tenants share one copy.
import { isOwnPermission } from '../../../platform/formats/names.ts';
import type { RoleDefinition } from './built-in-roles.ts';
import { NO_VERSION, type DefinitionRow } from './definition-store.ts';

export interface OwnRole extends RoleDefinition {
  /** Whether it is for every tenant. */
  readonly isShared: boolean;
}

/** The roles for every tenant at one version. */
export interface SharedRoles {
  readonly version: number;
  readonly roles: ReadonlyMap<string, OwnRole>;
  /** The own permissions that these roles name, sorted. */
  readonly declared: readonly string[];
}

export const NO_SHARED: SharedRoles = { version: NO_VERSION, roles: new Map(), declared: [] };

/** @param missing Permissions that do not exist in this service. */
export function toSharedRoles(rows: readonly DefinitionRow[], missing: ReadonlySet<string>): SharedRoles {
  const stored = new Map(rows.filter(({ name }) => name !== '').map(toOwnRole));
  const roles = withoutPermissions(stored, missing);
  return { version: rows[0]!.version, roles, declared: declaredIn(roles) };
}

/** Returns the own permissions that roles name, sorted. */
export function declaredIn(roles: ReadonlyMap<string, OwnRole>): readonly string[] {
  const named = [...roles.values()].flatMap(({ permissions }) => permissions);
  return [...new Set(named.filter(isOwnPermission))].toSorted();
}

export function toOwnRole({ name, permissions, inherits, is_shared }: DefinitionRow): [string, OwnRole] {
  const isShared = is_shared === 1;
  return [intern(name!), { permissions: parseNames(permissions), inherits: parseNames(inherits), isShared }];
}

/** Returns roles without permissions that do not exist in this service. */
export function withoutPermissions(
  roles: ReadonlyMap<string, OwnRole>,
  missing: ReadonlySet<string>,
): ReadonlyMap<string, OwnRole> {
  if (missing.size === 0) return roles;
  return new Map(
    [...roles].map(([name, role]) => [
      name,
      { ...role, permissions: role.permissions.filter((permission) => !missing.has(permission)) },
    ]),
  );
}

/** Names that occur again and again, also in other tenants. */
const interned = new Map<string, string>();
const MAX_INTERNED = 100_000;

function intern(name: string): string {
  const known = interned.get(name);
  if (known !== undefined) return known;
  if (interned.size === MAX_INTERNED) interned.clear();
  interned.set(name, name);
  return name;
}

function parseNames(json: string): readonly string[] {
  return (JSON.parse(json) as string[]).map(intern);
}
