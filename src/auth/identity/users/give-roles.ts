// Checks whether an account may give roles, or change accounts that hold them. Called in the transaction of the change, after it has locked what
// the decision depends on.
import type { Statements } from '../../../platform/db/types.ts';
import { ServiceError } from '../../../platform/errors.ts';
import type { StoredAccount } from '../../access/account.ts';
import type { Definitions, DefinitionsReader } from '../../access/roles/definitions.ts';
import {
  canGive,
  canRecover,
  canTakeOver,
  permissionNames,
  type HeldPermissions,
  type Rights,
} from '../../access/roles/rights.ts';
import { findExcess } from '../../access/roles/role-limits.ts';
import { unknownRole } from './account-input.ts';
import { refusal } from '../../access/refusals.ts';

/** Throws PERMISSION_DENIED if the caller lacks a permission of the account that it wants to change. */
export function assertCanTakeOver(actor: HeldPermissions, target: HeldPermissions): void {
  if (canTakeOver(actor, target)) return;
  throw refusal('accountHoldsMore', lacking(actor, target));
}

/** Throws PERMISSION_DENIED if the caller may not unlock the account, mail it a recovery, reset its factors, or end its sessions. */
export function assertCanRecover(actor: HeldPermissions, target: HeldPermissions): void {
  if (canRecover(actor, target)) return;
  throw refusal('accountHoldsMore', lacking(actor, target));
}

/** Throws PERMISSION_DENIED if the caller lacks a permission that it wants to give or take. */
export function assertCanGive(actor: HeldPermissions, given: HeldPermissions): void {
  if (canGive(actor, given)) return;
  throw refusal('roleHoldsMore', lacking(actor, given));
}

/** Names the permissions, unless only the right to all of a kind is missing. */
function lacking(actor: HeldPermissions, target: HeldPermissions): { readonly permissions: readonly string[] } {
  const held = new Set(permissionNames(actor));
  const names = permissionNames(target).filter((name) => !held.has(name));
  return { permissions: names.length > MAX_NAMED ? [...names.slice(0, MAX_NAMED), '…'] : names };
}

const MAX_NAMED = 5;

/**
 * Checks the roles that an account is to hold. Throws VALIDATION_ERROR if one of them does not exist any more, or they are too many or
 * give too many permissions, and PERMISSION_DENIED if the caller lacks a permission of them. Returns the rights that they give.
 */
export async function assertHoldable(
  tx: Statements,
  definitions: DefinitionsReader,
  { tenantId, roles }: Pick<StoredAccount, 'tenantId' | 'roles'>,
  actor: HeldPermissions,
): Promise<Rights> {
  const defined = await definitions.load({ tenantId, version: null }, tx);
  const rights = defined.rightsOf(roles);
  const violations = [...unknownRoles(defined, roles), ...findExcess(rights)];
  if (violations.length > 0) throw new ServiceError('VALIDATION_ERROR', { violations });
  assertCanGive(actor, rights.permissions);
  return rights;
}

function unknownRoles({ roles: table }: Definitions, names: readonly string[]) {
  return names.flatMap((name, index) => (table.has(name) ? [] : [unknownRole(index)]));
}
