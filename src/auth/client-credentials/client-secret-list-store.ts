// Lists of client secrets. client-secret-store.ts writes their rows.
import { bytesToId, idToBytes } from '../../platform/db/ids.ts';
import { builderOf, runQuery } from '../../platform/db/query/builder.ts';
import { tenantBytes, tenantScope } from '../../platform/db/query/tenant-scope.ts';
import type { Database, Statements } from '../../platform/db/types.ts';

/** The stored data of a live secret. */
export interface LiveSecret {
  readonly id: string;
  readonly accountId: string;
  /** Unix milliseconds, like all times in this interface. */
  readonly createdAt: number;
  readonly expiresAt: number | undefined;
  readonly lastUsedAt: number | undefined;
}

interface SecretRow {
  id: Uint8Array;
  account_id: Uint8Array;
  created_at: number;
  expires_at: number | null;
  last_used_at: number | null;
}

type Owner = { readonly tenantId: string | undefined; readonly id: string };

/** The live secrets of an account, newest first. */
export async function selectLiveSecrets(db: Statements, { tenantId, id }: Owner, now: number): Promise<LiveSecret[]> {
  const rows = await tenantScope(db, tenantId).query<SecretRow>(
    `SELECT id, account_id, created_at, expires_at, last_used_at FROM client_secrets
      WHERE tenant_id = :tenant AND account_id = ? AND (expires_at IS NULL OR expires_at > ?) ORDER BY id DESC`,
    [idToBytes(id), now],
  );
  return rows.map(secretOf);
}

/** The live secrets of several accounts, each one's newest first. */
export async function selectLiveSecretsOfAll(
  database: Database,
  owners: readonly Owner[],
  now: number,
): Promise<LiveSecret[]> {
  if (owners.length === 0) return [];
  const query = builderOf(database)('client_secrets')
    .where((any) => {
      for (const { tenantId, id } of owners) {
        void any.orWhere({ tenant_id: tenantBytes(tenantId), account_id: idToBytes(id) });
      }
    })
    .where((live) => void live.whereNull('expires_at').orWhere('expires_at', '>', now))
    .orderBy('id', 'desc')
    .select('id', 'account_id', 'created_at', 'expires_at', 'last_used_at');
  const rows = await runQuery<SecretRow>(database, query);
  return rows.map(secretOf);
}

function secretOf(row: SecretRow): LiveSecret {
  return {
    id: bytesToId(row.id),
    accountId: bytesToId(row.account_id),
    createdAt: row.created_at,
    expiresAt: row.expires_at ?? undefined,
    lastUsedAt: row.last_used_at ?? undefined,
  };
}
