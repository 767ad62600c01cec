import { ServiceError } from '../../platform/errors.ts';
import type { Call } from '../../platform/rpc/types.ts';
import { tenantOf } from '../../platform/rpc/tenant.ts';

/** The maximum number of open uploads or downloads. */
export interface OpenTransferLimits {
  readonly perAccount: number;
  readonly perTenant: number;
}

/**
 * Counts an upload or download of a call as open. Returns a function that ends it. Throws TOO_MANY_REQUESTS if the account or the
 * tenant has too many.
 */
export type BeginTransfer = (call: Call) => () => void;

const RETRY_AFTER_MS = 1_000;

/**
 * Limits the open uploads, or downloads, in this process. Each uses a connection and a descriptor.
 *
 * @param kind In error messages: `uploads`.
 */
export function limitTransfers(kind: 'uploads' | 'downloads', limits: OpenTransferLimits): BeginTransfer {
  const openByKey = new Map<string, number>();
  const openOf = (key: string) => openByKey.get(key) ?? 0;
  const add = (key: string, by: number) => {
    const open = openOf(key) + by;
    if (open === 0) openByKey.delete(key);
    else openByKey.set(key, open);
  };

  return (call) => {
    const account = `account ${call.principal!.account.id}`;
    const tenant = `tenant ${tenantOf(call)}`;
    const { perAccount, perTenant } = limits;
    if (openOf(account) >= perAccount) throw tooMany(`The account has ${perAccount} open ${kind}`);
    if (openOf(tenant) >= perTenant) throw tooMany(`The tenant has ${perTenant} open ${kind}`);
    add(account, 1);
    add(tenant, 1);
    return () => {
      add(account, -1);
      add(tenant, -1);
    };
  };
}

function tooMany(publicMessage: string): ServiceError {
  return new ServiceError('TOO_MANY_REQUESTS', { publicMessage, retryAfterMs: RETRY_AFTER_MS });
}
