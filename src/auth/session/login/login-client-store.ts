// The login_clients table: from where each account has logged in.
import { hash } from 'node:crypto';
import { idToBytes } from '../../../platform/db/ids.ts';
import { tenantScope } from '../../../platform/db/query/tenant-scope.ts';
import type { Statements } from '../../../platform/db/types.ts';
import { networkOf } from '../../../platform/formats/network.ts';
import type { CleanupTarget } from '../../../platform/jobs/cleanup.ts';
import type { Account } from '../../access/account.ts';
import { browserFamily } from './browser-family.ts';

const DAY_MS = 86_400_000;
/** A client is known for so long after its last login. */
const KNOWN_MS = 90 * DAY_MS;
/** The time of the last login is this exact: a login that needs no write costs less. */
const EXACT_MS = DAY_MS;
const CLIENT_BYTES = 16;

export const LOGIN_CLIENTS_CLEANUP: CleanupTarget = {
  table: 'login_clients',
  key: ['tenant_id', 'account_id', 'client'],
  expiresAt: ['last_at'],
  keepMs: KNOWN_MS + EXACT_MS,
};

/** The client of a login. */
export interface LoginClient {
  readonly address: string;
  readonly userAgent?: string | undefined;
}

/**
 * Notes from where an account logs in. Returns whether it has logged in with this browser family from this network in the last 90 days.
 * The caller has locked the account's row.
 */
export async function noteLoginClient(
  tx: Statements,
  { tenantId, id }: Pick<Account, 'tenantId' | 'id'>,
  client: LoginClient,
  now: number,
): Promise<boolean> {
  const scope = tenantScope(tx, tenantId);
  const key = [idToBytes(id), clientKey(id, client)];
  const [known] = await scope.query<{ last_at: number }>(
    'SELECT last_at FROM login_clients WHERE tenant_id = :tenant AND account_id = ? AND client = ?',
    key,
  );
  if (!known) {
    await scope.execute(
      'INSERT INTO login_clients (tenant_id, account_id, client, first_at, last_at) VALUES (:tenant, ?, ?, ?, ?)',
      [...key, now, now],
    );
    return false;
  }
  const isKnown = known.last_at >= now - KNOWN_MS;
  if (known.last_at < now - EXACT_MS) {
    const first = isKnown ? '' : ', first_at = ?';
    await scope.execute(
      `UPDATE login_clients SET last_at = ?${first} WHERE tenant_id = :tenant AND account_id = ? AND client = ?`,
      [now, ...(isKnown ? [] : [now]), ...key],
    );
  }
  return isKnown;
}

/** A hash, so that the table does not list the networks of a person. */
function clientKey(accountId: string, { address, userAgent }: LoginClient): Buffer {
  const text = JSON.stringify([accountId, networkOf(address), browserFamily(userAgent)]);
  return hash('sha256', text, 'buffer').subarray(0, CLIENT_BYTES);
}
