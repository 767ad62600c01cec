// The rules of a role within the roles of a tenant. Pure functions.
import type { Violation } from '../../../platform/errors.ts';
import { BUILT_IN_PERMISSION, NOT_A_PERMISSION } from '../../../platform/formats/names.ts';
import { isBuiltInRole, SERVICE_PERMISSIONS } from './built-in-roles.ts';
import type { Definitions, DefinitionsReader, OwnRole } from './definitions.ts';
import { flattenRoles, type HeldPermissions, type Rights } from './rights.ts';

/** Roles of an account, inherited ones included. */
const MAX_ROLES_OF_ACCOUNT = 100;
/** Characters of their names with commas between them: tokens contain them, and the row of an account those that it holds itself. */
export const MAX_ROLES_LENGTH = 2_000;
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
 * Returns the violations of the roles of an account that are too many, or give too many own permissions.
 *
 * @param before The rights before a change of a role. Default: none.
 */
export function findExcess(rights: Rights, before?: Rights): Violation[] {
  const { roles: rolesBefore = [] } = before ?? {};
  const length = rights.roles.join().length;
  return [
    ...(exceeds(rights.roles.length, rolesBefore.length, MAX_ROLES_OF_ACCOUNT)
      ? [
          fault(
            'roles',
            `must be at most ${MAX_ROLES_OF_ACCOUNT}, inherited ones included`,
            'maxItems',
            MAX_ROLES_OF_ACCOUNT,
          ),
        ]
      : []),
    ...(exceeds(length, rolesBefore.join().length, MAX_ROLES_LENGTH)
      ? [fault('roles', `${TOO_LONG}, inherited ones included`, 'maxLength', MAX_ROLES_LENGTH)]
      : []),
    ...findOwnExcess(rights.permissions, before?.permissions, 'roles'),
  ];
}

/** The message of roles whose names are too long. */
export const TOO_LONG = `must have at most ${MAX_ROLES_LENGTH} characters together, with commas between them`;

function findOwnExcess(held: HeldPermissions, before: HeldPermissions | undefined, field: string): Violation[] {
  if (!exceeds(countOwn(held), before ? countOwn(before) : 0, MAX_OWN_OF_ACCOUNT)) return [];
  return [
    fault(field, `must not give more than ${MAX_OWN_OF_ACCOUNT} own permissions`, 'permissions', MAX_OWN_OF_ACCOUNT),
  ];
}

/** Whether a change makes a number exceed a limit. A number that exceeded it before can stay or decrease. */
function exceeds(after: number, before: number, limit: number): boolean {
  return after > limit && after > before;
}

/** Administrators hold all own permissions of their tenant anyway. */
const countOwn = ({ own, everyOwn }: HeldPermissions): number => (everyOwn === undefined ? own.length : 0);

/** Returns the violations of a role that do not depend on other roles. */
export function findRoleViolations(
  role: { readonly name?: string; readonly permissions?: readonly string[] },
  { permissionNamed }: Pick<DefinitionsReader, 'permissionNamed'>,
): Violation[] {
  const { name = '', permissions = [] } = role;
  return [
    ...(isBuiltInRole(name) ? [{ message: 'must not be a built-in role', format: 'builtIn', props: ['name'] }] : []),
    ...permissions.flatMap((permission, index) => {
      const message = permissionFault(permission, permissionNamed);
      return message === undefined ? [] : [{ message, format: 'permission', props: ['permissions', `${index}`] }];
    }),
  ];
}

function permissionFault(
  permission: string,
  permissionNamed: DefinitionsReader['permissionNamed'],
): string | undefined {
  // Own permissions are declared by being used. A malformed name breaks the rule of its field.
  if (!BUILT_IN_PERMISSION.test(permission)) return undefined;
  if (permissionNamed(permission) === undefined) return NOT_A_PERMISSION;
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
    const [excess] = findOwnExcess(held!, formerly, 'permissions');
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
