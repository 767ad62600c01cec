import { ServiceError } from '../../errors.ts';
import type { Call } from '../../rpc/types.ts';
import { tenantOf } from '../tenant.ts';

export interface OpenUploadLimits {
  readonly perAccount: number;
  readonly perTenant: number;
}

/** Runs a complete upload. Rejects with TOO_MANY_REQUESTS if its account or tenant has too many open uploads. */
export type RunUpload = <T>(call: Call, upload: () => Promise<T>) => Promise<T>;

const RETRY_AFTER_MS = 1_000;

/** Limits the open uploads in this process. Each uses a connection, a descriptor and a file on the disk. */
export function createRunUpload({ perAccount, perTenant }: OpenUploadLimits): RunUpload {
  const openByKey = new Map<string, number>();
  const openOf = (key: string) => openByKey.get(key) ?? 0;
  const add = (key: string, by: number) => {
    const open = openOf(key) + by;
    if (open === 0) openByKey.delete(key);
    else openByKey.set(key, open);
  };

  return async (call, upload) => {
    const account = `account ${call.principal!.account.id}`;
    const tenant = `tenant ${tenantOf(call)}`;
    if (openOf(account) >= perAccount) throw tooMany(`The account has ${perAccount} open uploads`);
    if (openOf(tenant) >= perTenant) throw tooMany(`The tenant has ${perTenant} open uploads`);
    add(account, 1);
    add(tenant, 1);
    try {
      return await upload();
    } finally {
      add(account, -1);
      add(tenant, -1);
    }
  };
}

function tooMany(publicMessage: string): ServiceError {
  return new ServiceError('TOO_MANY_REQUESTS', { publicMessage, retryAfterMs: RETRY_AFTER_MS });
}
