// Records of modules belong to a tenant. The tenant always comes from the caller's account.
import { ServiceError, type Violation } from '../errors.ts';
import type { Call } from './types.ts';

/** Returns the caller's tenant. Throws PERMISSION_DENIED for an account without one. */
export function tenantOf(call: Call): string {
  const { tenantId } = call.principal!.account;
  if (tenantId === undefined) {
    throw new ServiceError('PERMISSION_DENIED', {
      detail: 'business records belong to a tenant; the account has none',
    });
  }
  return tenantId;
}

/** Throws TENANT_MISMATCH if a request names another tenant than the caller's. */
export function assertOwnTenant(call: Call, named: string | undefined): void {
  if (named !== undefined && named !== tenantOf(call)) throw new ServiceError('TENANT_MISMATCH');
}

/**
 * The violation of an id in a request that names no record of the tenant. The text is the same if the record belongs to
 * another tenant.
 */
export function unknownReference(...props: readonly string[]): Violation {
  return { message: 'names no record', format: 'reference', props };
}
