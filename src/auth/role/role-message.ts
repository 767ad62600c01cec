import type { Role } from '../../../proto/gen/authservice/tenancy/v1/role_service.ts';
import { splitList } from '../../platform/db/columns.ts';
import type { Definitions } from '../access/roles/definitions.ts';
import { permissionNames, resolveRights } from '../access/roles/rights.ts';
import type { StoredRole } from '../access/roles/role-store.ts';

/** Accounts that hold each role themselves. */
export type RoleCounts = ReadonlyMap<string, number>;

/** Counts the holders of each role, from the numbers of accounts with the same list of roles. */
export function countHolders(lists: ReadonlyMap<string, number>): RoleCounts {
  const counts = new Map<string, number>();
  for (const [list, accounts] of lists) {
    for (const role of splitList(list)) counts.set(role, (counts.get(role) ?? 0) + accounts);
  }
  return counts;
}

/** Converts a role to its proto message. */
export function roleMessage(role: StoredRole, definitions: Definitions, counts: RoleCounts): Role {
  const { name, description, tenantId, permissions, inherits, createdAt, updatedAt, version } = role;
  return {
    name,
    ...(description !== undefined && { description }),
    ...(tenantId !== undefined && { tenantId }),
    builtIn: false,
    permissions: [...permissions],
    inherits: [...inherits],
    effectivePermissions: effectivePermissions(name, definitions),
    accountCount: counts.get(name) ?? 0,
    createdAt: new Date(createdAt),
    updatedAt: new Date(updatedAt),
    version,
  };
}

/** Converts a built-in role to its proto message. */
export function builtInMessage(name: string, definitions: Definitions, counts: RoleCounts): Role {
  const { permissions, inherits } = definitions.roles.get(name)!;
  return {
    name,
    builtIn: true,
    permissions: [...permissions],
    inherits: [...inherits],
    effectivePermissions: effectivePermissions(name, definitions),
    accountCount: counts.get(name) ?? 0,
    version: 0,
  };
}

function effectivePermissions(name: string, { roles, declared }: Definitions): string[] {
  return permissionNames(resolveRights({ roles: [name], tenantId: 'any' }, roles, declared).permissions);
}
