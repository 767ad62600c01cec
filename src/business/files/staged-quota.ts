import type { Statements } from '../../db/types.ts';
import { ServiceError } from '../../errors.ts';
import { holdTenantLock } from '../../tenancy/hold-tenant-lock.ts';
import { sumStagedFiles } from './file-store.ts';

/** Bounds of a tenant's staged files that have not expired. */
export interface StagedQuota {
  readonly maxBytes: number;
  readonly maxCount: number;
}

/**
 * Writes staged files. Throws QUOTA_EXCEEDED if the tenant then has more of them than allowed. Transactions that write at the same
 * time take turns, so that each counts what the others have written. Call it first in a transaction: others lock the tenant too.
 */
export async function writeWithinQuota<T>(
  tx: Statements,
  { tenantId, quota, now }: { readonly tenantId: string; readonly quota: StagedQuota; readonly now: number },
  write: () => Promise<T>,
): Promise<T> {
  await holdTenantLock(tx, tenantId);
  const written = await write();
  const staged = await sumStagedFiles(tx, tenantId, now);
  if (staged.count > quota.maxCount) throw exceeded(`${quota.maxCount} files`);
  if (staged.bytes > quota.maxBytes) throw exceeded(`${quota.maxBytes} bytes`);
  return written;
}

function exceeded(limit: string): ServiceError {
  const publicMessage = `The tenant's files that are not attached may have ${limit} at most; attach or delete some`;
  return new ServiceError('QUOTA_EXCEEDED', { publicMessage });
}
