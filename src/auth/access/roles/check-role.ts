// Whether changed roles fit to the other roles and to the accounts that hold them, in all tenants that have them.
import { isOver, type Deadline } from '../../../platform/clock.ts';
import type { Statements } from '../../../platform/db/types.ts';
import { DependencyUnavailableError } from '../../../platform/errors.ts';
import type { Definitions, OwnRole } from './definitions.ts';
import { findExcess, findGraphViolations, heirsOf, MAX_OWN_OF_TENANT } from './role-limits.ts';
import { isRoleInherited, selectTenantRoles, type StoredRole, type TenantRole } from './role-store.ts';
import { refusal } from '../refusals.ts';

/** Lists of roles that accounts of each tenant hold. */
type RoleLists = readonly { readonly tenantId: string; readonly roles: readonly string[] }[];

/** A change of roles of one tenant, or of roles for every tenant. */
export interface RoleChange {
  /** Undefined for roles for every tenant. */
  readonly tenantId: string | undefined;
  /** The changed roles. */
  readonly names: readonly string[];
  readonly before: Definitions;
  readonly after: Definitions;
  readonly deadline: Deadline;
}

/** @param options.selectRoleLists Without a tenant, returns those of every tenant. */
export function createRoleChecks({
  selectRoleLists,
}: {
  readonly selectRoleLists: (tx: Statements, tenantId: string | undefined) => Promise<RoleLists>;
}) {
  /**
   * Throws CONFLICT if an account or, by roles for every tenant, a tenant would exceed a limit that it does not exceed as far already.
   * Throws DependencyUnavailableError if the deadline passes.
   */
  async function assertFits(tx: Statements, change: RoleChange): Promise<void> {
    const lists = await selectRoleLists(tx, change.tenantId);
    assertAccountsFit(change, lists);
    if (change.tenantId !== undefined) return;
    const changed = heirsOf(change.after.ownRoles, change.names);
    const listsByTenant = Map.groupBy(lists, ({ tenantId }) => tenantId);
    for await (const ofTenant of tenantsWithRoles(tx)) {
      if (isOver(change.deadline)) throw new DependencyUnavailableError('the deadline passed before the change');
      const ofAccounts = listsByTenant.get(ofTenant[0]!.tenantId) ?? [];
      if (canMatter(change.after, changed, ofTenant, ofAccounts)) assertTenantFits(change, ofTenant, ofAccounts);
    }
  }

  async function assertUnused(tx: Statements, { tenantId, name }: StoredRole): Promise<void> {
    if (await isRoleInherited(tx, tenantId, name)) throw refusal('roleInherited', { role: name });
    const lists = await selectRoleLists(tx, tenantId);
    if (lists.some(({ roles }) => roles.includes(name))) throw refusal('roleHeld', { role: name });
  }

  return { assertFits, assertUnused };
}

/** Roles that are read at once. */
const BATCH = 2_000;

/** Yields the roles of each tenant that has own roles. Reads them in few statements, because the rows of all tenants are locked. */
async function* tenantsWithRoles(tx: Statements): AsyncGenerator<readonly TenantRole[]> {
  let ofTenant: TenantRole[] = [];
  let last: TenantRole | undefined;
  do {
    const batch = await selectTenantRoles(tx, BATCH, last);
    last = batch.length < BATCH ? undefined : batch.at(-1);
    for (const role of batch) {
      if (ofTenant.length > 0 && ofTenant[0]!.tenantId !== role.tenantId) {
        yield ofTenant;
        ofTenant = [];
      }
      ofTenant.push(role);
    }
  } while (last);
  if (ofTenant.length > 0) yield ofTenant;
}

/** Checks the lists whose roles all are defined. Those with roles of a tenant are checked with the definitions of the tenant. */
function assertAccountsFit({ names, before, after }: RoleChange, lists: RoleLists): void {
  const changed = heirsOf(after.ownRoles, names);
  for (const { roles } of lists) {
    if (!roles.some((role) => changed.has(role)) || !roles.every((role) => after.roles.has(role))) continue;
    if (findExcess(after.rightsOf(roles), before.rightsOf(roles)).length > 0)
      throw refusal('roleExceedsAccount', { roles });
  }
}

/** Checks roles for every tenant together with those of one tenant. */
function assertTenantFits(change: RoleChange, ofTenant: readonly TenantRole[], lists: RoleLists): void {
  const own = ofTenant.map(({ name, permissions, inherits }): [string, OwnRole] => [
    name,
    { permissions, inherits, isShared: false },
  ]);
  const [before, after] = [change.before.withRoles(own), change.after.withRoles(own)];
  if (change.names.some((name) => findGraphViolations(after, name, before).length > 0))
    throw refusal('roleExceedsTenant', { tenant: ofTenant[0]!.tenantId });
  assertAccountsFit({ ...change, before, after }, lists);
}

/** Whether changed roles can matter to a tenant. Most have few permissions, and roles that do not depend on the changed ones. */
function canMatter(
  after: Definitions,
  changed: ReadonlySet<string>,
  ofTenant: readonly TenantRole[],
  lists: RoleLists,
): boolean {
  const named = ofTenant.reduce((sum, { permissions }) => sum + permissions.length, after.declared.length);
  return (
    named > MAX_OWN_OF_TENANT ||
    ofTenant.some(({ inherits }) => inherits.some((name) => changed.has(name))) ||
    lists.some(({ roles }) => roles.some((name) => changed.has(name)) && !roles.every((name) => after.roles.has(name)))
  );
}
