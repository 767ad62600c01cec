// Whether a changed role fits to the other roles and to the accounts that hold it, in all tenants that have it.
import type { Statements } from '../../../platform/db/types.ts';
import { ServiceError } from '../../../platform/errors.ts';
import type { AccountAdministration } from '../../identity/users/account-administration.ts';
import type { Definitions } from '../definitions.ts';
import { findExcess, findGraphViolations, heirsOf } from '../role-limits.ts';
import { isRoleInherited, selectTenantsWithRoles, type StoredRole } from '../role-store.ts';

export function createRoleChecks(options: {
  readonly definitionsOf: (tenantId: string | undefined, tx: Statements) => Promise<Definitions>;
  readonly administration: Pick<AccountAdministration, 'selectRoleLists'>;
}) {
  const { definitionsOf, administration } = options;

  /** Throws VALIDATION_ERROR if the role breaks a rule, and CONFLICT if a tenant or an account would exceed a limit. */
  async function assertFits(tx: Statements, after: Definitions, role: StoredRole): Promise<void> {
    const violations = findGraphViolations(after, role.name);
    if (violations.length > 0) throw new ServiceError('VALIDATION_ERROR', { violations });
    if (role.tenantId !== undefined) return assertAccountsFit(tx, role.tenantId, after, role.name);
    // Accounts of tenants without own roles. What tenants add to the roles of the others is judged below.
    await assertAccountsFit(tx, undefined, after, role.name);
    for (const tenantId of await selectTenantsWithRoles(tx)) {
      const ofTenant = (await definitionsOf(tenantId, tx)).withRole(role.name, { ...role, isShared: true });
      const [violation] = findGraphViolations(ofTenant, role.name);
      if (violation) throw conflict('A tenant has roles with which this role would exceed a limit');
      await assertAccountsFit(tx, tenantId, ofTenant, role.name);
    }
  }

  /** @param tenantId Without one, the accounts of all tenants. */
  async function assertAccountsFit(
    tx: Statements,
    tenantId: string | undefined,
    after: Definitions,
    name: string,
  ): Promise<void> {
    const changed = heirsOf(after.ownRoles, name);
    for (const held of await administration.selectRoleLists(tx, tenantId)) {
      if (!held.some((role) => changed.has(role))) continue;
      if (findExcess(after.rightsOf(held).permissions).length > 0)
        throw conflict('An account would hold too many own permissions');
    }
  }

  async function assertUnused(tx: Statements, { tenantId, name }: StoredRole): Promise<void> {
    if (await isRoleInherited(tx, tenantId, name)) throw conflict('Another role inherits the role');
    const lists = await administration.selectRoleLists(tx, tenantId);
    if (lists.some((held) => held.includes(name))) throw conflict('An account holds the role');
  }

  return { assertFits, assertUnused };
}

export function conflict(publicMessage: string): ServiceError {
  return new ServiceError('CONFLICT', { publicMessage });
}
