import { Permission } from '../../../../proto/gen/authservice/access/v1/access.ts';
import { ServiceError } from '../../../platform/errors.ts';
import type { Principal } from '../../principal/principal.ts';
import { permissionNamed } from './permissions.ts';
import { enumName } from '../../../platform/rpc/message.ts';

/**
 * Throws PERMISSION_DENIED if the principal lacks one of the permissions. Otherwise throws VALIDATION_ERROR if a
 * permission does not exist.
 */
export function assertPermissions(principal: Pick<Principal, 'permissions'>, names: readonly string[]): void {
  const permissions = names.map(permissionNamed);
  const missing = permissions.find((permission): permission is Permission => lacks(principal, permission));
  if (missing !== undefined) {
    throw new ServiceError('PERMISSION_DENIED', { detail: `The account lacks ${enumName(Permission, missing)}` });
  }
  const violations = permissions.flatMap((permission, index) => (permission === undefined ? [unknown(index)] : []));
  if (violations.length === 0) return;
  throw new ServiceError('VALIDATION_ERROR', { violations });
}

function lacks({ permissions }: Pick<Principal, 'permissions'>, permission: Permission | undefined): boolean {
  return permission !== undefined && !permissions.has(permission);
}

function unknown(index: number) {
  return { message: 'must name a permission', format: 'enum', props: ['permission', String(index)] };
}
