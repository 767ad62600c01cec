import type { Statements } from '../../platform/db/types.ts';
import { ServiceError } from '../../platform/errors.ts';
import { lockTenant } from '../../auth/tenancy/lock-tenant.ts';
import { sumStagedFiles } from './file-store.ts';

/** Limits of a tenant's unexpired staged files. */
export interface StagedQuota {
  readonly maxBytes: number;
  readonly maxCount: number;
}

/**
 * Writes staged files. Throws QUOTA_EXCEEDED if the tenant would exceed its limits. Concurrent transactions wait for
 * each other, so that each counts the files of the others. Call it first in a transaction, because other code locks the
 * tenant too.
 */
export async function writeWithinQuota<T>(
  tx: Statements,
  { tenantId, quota, now }: { readonly tenantId: string; readonly quota: StagedQuota; readonly now: number },
  write: () => Promise<T>,
): Promise<T> {
  await lockTenant(tx, tenantId);
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
