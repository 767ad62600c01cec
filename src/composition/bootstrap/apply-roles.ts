// Creates the roles of a bootstrap plan that are missing. Existing ones are not changed.
import { UNLIMITED, type Clock } from '../../platform/clock.ts';
import { repeatRolledBack } from '../../platform/db/repeat-rolled-back.ts';
import type { Database, Statements } from '../../platform/db/types.ts';
import { createDefinitions, type DefinitionsReader, type Definitions } from '../../auth/access/roles/definitions.ts';
import { findGraphViolations, findRoleViolations } from '../../auth/access/roles/role-limits.ts';
import { insertRole, isRoleUsed } from '../../auth/access/roles/role-store.ts';
import { beginChangeForAll, beginDefinitionsChange } from '../../auth/tenancy/lock-tenant.ts';
import { createRoleChecks } from '../../auth/access/roles/check-role.ts';
import { selectRoleLists } from '../../auth/identity/users/account-list-store.ts';
import { ServiceError } from '../../platform/errors.ts';
import { SettingError } from '../../platform/setting-error.ts';
import type { BootstrapPlan, PlannedRole } from './plan.ts';

interface RoleDependencies {
  readonly database: Database;
  readonly definitions: DefinitionsReader;
  readonly clock: Clock;
}

/** Creates the roles of a plan, those for every tenant first. Returns their number. Throws if one of them breaks a rule. */
export async function applyRoles(
  { roles = [], tenants = [] }: BootstrapPlan,
  dependencies: RoleDependencies,
): Promise<number> {
  let created = await createRoles(undefined, '/roles', roles, dependencies);
  for (const [index, { id, roles: own = [] }] of tenants.entries())
    created += await createRoles(id, `/tenants/${index}/roles`, own, dependencies);
  return created;
}

async function createRoles(
  tenantId: string | undefined,
  place: string,
  planned: readonly PlannedRole[],
  { database, definitions, clock }: RoleDependencies,
): Promise<number> {
  const defined = (tx?: Statements) =>
    tenantId === undefined ? definitions.loadShared(tx) : definitions.load({ tenantId, version: null }, tx);
  if (missingIn(await defined(), planned).length === 0) return 0;
  const create = async (tx: Statements): Promise<number> => {
    const begun = { now: clock(), deadline: UNLIMITED };
    if (tenantId === undefined) await beginChangeForAll(database, tx, begun);
    else await beginDefinitionsChange(database, tx, { tenantId, ...begun });
    const before = await defined(tx);
    const missing = missingIn(before, planned);
    const isShared = tenantId === undefined;
    const after = definedAlso(before, missing, { place, isShared, definitions });
    const names = missing.map(({ name }) => name);
    for (const { name, description, permissions = [], inherits = [] } of missing) {
      if (isShared && (await isRoleUsed(tx, name)))
        throw unusable(`${place}/${name}: a tenant has a role of this name`);
      await insertRole(tx, {
        tenantId,
        name,
        description,
        permissions,
        inherits,
        createdAt: begun.now,
        updatedAt: begun.now,
        version: 1,
      });
    }
    try {
      await assertFits(tx, { tenantId, names, before, after, deadline: UNLIMITED });
    } catch (error) {
      if (!(error instanceof ServiceError) || error.reason !== 'CONFLICT') throw error;
      throw unusable(`${place}: ${error.publicMessage}`);
    }
    return missing.length;
  };
  return repeatRolledBack(() => database.transaction(UNLIMITED, create));
}

const { assertFits } = createRoleChecks({ selectRoleLists });

/** Rejects with SettingError if a database without roles could not get those of a plan. */
export async function assertRoles(
  { roles = [], tenants = [] }: BootstrapPlan,
  builtInRoles: Parameters<typeof createDefinitions>[1],
): Promise<void> {
  const definitions = createDefinitions({ query: async () => [], execute: async () => 0 }, builtInRoles);
  const shared = definedAlso(await definitions.loadShared(), roles, { place: '/roles', isShared: true, definitions });
  for (const [index, { roles: own = [] }] of tenants.entries())
    definedAlso(shared, own, { place: `/tenants/${index}/roles`, isShared: false, definitions });
}

interface PlaceOfRoles {
  readonly place: string;
  readonly isShared: boolean;
  readonly definitions: Pick<DefinitionsReader, 'permissionNamed'>;
}

/** Returns definitions with further roles. Throws SettingError if one of them breaks a rule. */
function definedAlso(
  before: Definitions,
  added: readonly PlannedRole[],
  { place, isShared, definitions }: PlaceOfRoles,
) {
  const after = before.withRoles(
    added.map(({ name, permissions = [], inherits = [] }) => [name, { permissions, inherits, isShared }]),
  );
  for (const { name, permissions = [] } of added) {
    const [violation] = [
      ...findRoleViolations({ name, permissions }, definitions),
      ...findGraphViolations(after, name, before),
    ];
    if (violation) throw unusable(`${place}/${name}/${violation.props!.join('/')}: ${violation.message}`);
  }
  return after;
}

function unusable(problem: string): SettingError {
  return new SettingError(`The bootstrap file has a role that cannot be used:\n  - ${problem}`);
}

function missingIn({ ownRoles }: Definitions, planned: readonly PlannedRole[]): PlannedRole[] {
  return planned.filter(({ name }) => !ownRoles.has(name));
}
