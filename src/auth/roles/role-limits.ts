// The limits of roles and of the accounts that hold them.
import type { Violation } from '../../platform/errors.ts';
import type { HeldPermissions } from './rights.ts';

/** Own permissions of an account or a role, inherited ones included. */
export const MAX_OWN_OF_ACCOUNT = 200;

/** Returns the violation of roles that give too many own permissions. Administrators hold all of their tenant anyway. */
export function findExcess({ own, everyOwn }: HeldPermissions): Violation[] {
  if (everyOwn !== undefined || own.length <= MAX_OWN_OF_ACCOUNT) return [];
  const message = `must not give more than ${MAX_OWN_OF_ACCOUNT} own permissions`;
  return [{ message, format: 'permissions', props: ['roles'], params: { limit: MAX_OWN_OF_ACCOUNT } }];
}
