// The rules of a role within the roles of a tenant. Pure functions.
import type { Violation } from '../../platform/errors.ts';
import { isOwnPermission } from '../../platform/formats/names.ts';
import { isBuiltInRole, permissionNamed, SERVICE_PERMISSIONS } from './built-in-roles.ts';
import type { Definitions, OwnRole } from './definitions.ts';
import { flattenRoles, type HeldPermissions } from './rights.ts';

/** Own permissions of an account or a role, inherited ones included. */
export const MAX_OWN_OF_ACCOUNT = 200;
/** Own permissions that the roles of a tenant and those for every tenant name. */
export const MAX_OWN_OF_TENANT = 1_000;
/** Roles of a tenant, and roles for every tenant. */
export const MAX_ROLES = 1_000;
/** Roles that a role inherits, directly and indirectly. */
const MAX_INHERITED = 50;
/** Roles in a row that inherit each other, after the first. */
const MAX_DEPTH = 8;

/**
 * Returns the violation of roles that give too many own permissions.
 *
 * @param before The permissions before a change of a role. Default: none.
 */
export function findExcess(held: HeldPermissions, before?: HeldPermissions, field = 'roles'): Violation[] {
  if (!exceeds(countOwn(held), before ? countOwn(before) : 0, MAX_OWN_OF_ACCOUNT)) return [];
  const message = `must not give more than ${MAX_OWN_OF_ACCOUNT} own permissions`;
  return [{ message, format: 'permissions', props: [field], params: { limit: MAX_OWN_OF_ACCOUNT } }];
}

/** Whether a change makes a number exceed a limit. A number that exceeded it before can stay or decrease. */
function exceeds(after: number, before: number, limit: number): boolean {
  return after > limit && after > before;
}

/** Administrators hold all own permissions of their tenant anyway. */
const countOwn = ({ own, everyOwn }: HeldPermissions): number => (everyOwn === undefined ? own.length : 0);

/** Returns the violations of a role that do not depend on other roles. */
export function findRoleViolations(role: {
  readonly name?: string;
  readonly permissions?: readonly string[];
}): Violation[] {
  const { name = '', permissions = [] } = role;
  return [
    ...(isBuiltInRole(name) ? [{ message: 'must not be a built-in role', format: 'builtIn', props: ['name'] }] : []),
    ...permissions.flatMap((permission, index) => {
      const message = permissionFault(permission);
      return message === undefined ? [] : [{ message, format: 'permission', props: ['permissions', `${index}`] }];
    }),
  ];
}

function permissionFault(permission: string): string | undefined {
  // A malformed name breaks the rule of its field.
  if (isOwnPermission(permission) || !/^[A-Z]/.test(permission)) return undefined;
  if (permissionNamed(permission) === undefined) return 'must name a permission';
  return SERVICE_PERMISSIONS.some((name) => name === permission) ? 'must not concern the whole service' : undefined;
}

/** Returns the violations of inherited roles that do not exist. */
export function findUnknownInherited(definitions: Definitions, name: string): Violation[] {
  const role = definitions.ownRoles.get(name)!;
  return role.inherits.flatMap((inherited, index) => unknownIn(definitions, role, inherited, index));
}

/**
 * Returns the violations of a role within the definitions that contain it: unknown roles, cycles, and limits that it or a role that
 * inherits it exceeds.
 *
 * @param before The definitions before the change. Limits that were exceeded then, and not less, are not violations.
 */
export function findGraphViolations(definitions: Definitions, name: string, before: Definitions): Violation[] {
  const { ownRoles } = definitions;
  const role = ownRoles.get(name)!;
  const unknown = findUnknownInherited(definitions, name);
  if (unknown.length > 0) return unknown;
  if (flattenRoles(role.inherits, definitions.roles).includes(name))
    return [fault('inherits', 'must not lead back to the role itself', 'cycle')];
  const depths = new Map<string, number>();
  const depthsBefore = new Map<string, number>();
  for (const heir of heirsOf(ownRoles, [name])) {
    const of = heir === name ? '' : ` of ${heir}, which inherits it`;
    if (exceeds(countInherited(heir, definitions), countInherited(heir, before), MAX_INHERITED))
      return [
        fault('inherits', `must not make more than ${MAX_INHERITED} inherited roles${of}`, 'maxItems', MAX_INHERITED),
      ];
    if (exceeds(depthOf(heir, definitions, depths), depthOf(heir, before, depthsBefore), MAX_DEPTH))
      return [fault('inherits', `must not be deeper than ${MAX_DEPTH} roles${of}`, 'depth', MAX_DEPTH)];
    const [held, formerly] = [definitions, before].map((one) => one.rightsOf([heir]).permissions);
    const [excess] = findExcess(held!, formerly, 'permissions');
    if (excess) return [{ ...excess, message: `${excess.message}${of}` }];
  }
  if (!exceeds(definitions.declared.length, before.declared.length, MAX_OWN_OF_TENANT)) return [];
  return [
    fault(
      'permissions',
      `must not make more than ${MAX_OWN_OF_TENANT} own permissions in the tenant`,
      'permissions',
      MAX_OWN_OF_TENANT,
    ),
  ];
}

function fault(field: string, message: string, format: string, limit?: number): Violation {
  return { message, format, props: [field], ...(limit !== undefined && { params: { limit } }) };
}

function unknownIn(
  { roles, ownRoles }: Definitions,
  { isShared }: OwnRole,
  inherited: string,
  index: number,
): Violation[] {
  const isKnown = roles.has(inherited) && (!isShared || ownRoles.get(inherited)?.isShared !== false);
  if (isKnown && inherited !== 'SUPER_ADMIN') return [];
  const message =
    inherited === 'SUPER_ADMIN' ? 'must not be SUPER_ADMIN' : 'must be a built-in role, or a role of the tenant';
  return [{ message, format: 'role', props: ['inherits', `${index}`] }];
}

function countInherited(name: string, { roles }: Definitions): number {
  return flattenRoles([name], roles).length - 1;
}

/** Returns roles and all roles that inherit them, directly and indirectly. */
export function heirsOf(roles: ReadonlyMap<string, OwnRole>, names: readonly string[]): ReadonlySet<string> {
  const heirs = new Map<string, string[]>();
  for (const [heir, { inherits }] of roles)
    for (const inherited of inherits) (heirs.get(inherited) ?? heirs.set(inherited, []).get(inherited)!).push(heir);
  const found = new Set(names);
  for (const one of found) for (const heir of heirs.get(one) ?? []) found.add(heir);
  return found;
}

/** The roles must have no cycle. */
function depthOf(name: string, definitions: Definitions, known: Map<string, number>): number {
  const found = known.get(name);
  if (found !== undefined) return found;
  const inherits = definitions.roles.get(name)?.inherits ?? [];
  const depth = Math.max(0, ...inherits.map((inherited) => 1 + depthOf(inherited, definitions, known)));
  known.set(name, depth);
  return depth;
}
