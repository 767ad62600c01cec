// Lists of client secrets. client-secret-store.ts writes their rows.
import { idToBytes } from '../../platform/db/ids.ts';
import { pairsIn } from '../../platform/db/query/hints.ts';
import { tenantBytes, tenantScope } from '../../platform/db/query/tenant-scope.ts';
import type { Database, Statements } from '../../platform/db/types.ts';
import { CLIENT_SECRET, type ClientSecret } from './client-secret-store.ts';

const LIVE = '(s.expires_at IS NULL OR s.expires_at > ?) ORDER BY s.id DESC';
const SELECT = `SELECT ${CLIENT_SECRET.select('s')} FROM client_secrets s`;

type Owner = { readonly tenantId: string | undefined; readonly id: string };

/** The live secrets of an account, newest first. */
export async function selectLiveSecrets(db: Statements, { tenantId, id }: Owner, now: number): Promise<ClientSecret[]> {
  const rows = await tenantScope(db, tenantId).query(
    `${SELECT} WHERE s.tenant_id = :tenant AND s.account_id = ? AND ${LIVE}`,
    [idToBytes(id), now],
  );
  return rows.map((row) => CLIENT_SECRET.read(row));
}

/** The live secrets of several accounts, each one's newest first. */
export async function selectLiveSecretsOfAll(
  database: Database,
  owners: readonly Owner[],
  now: number,
): Promise<ClientSecret[]> {
  if (owners.length === 0) return [];
  const ofOwners = pairsIn(database.engine, 's.tenant_id, s.account_id', owners.length);
  const keys = owners.flatMap(({ tenantId, id }) => [tenantBytes(tenantId), idToBytes(id)]);
  const rows = await database.query(`${SELECT} WHERE ${ofOwners} AND ${LIVE}`, [...keys, now]);
  return rows.map((row) => CLIENT_SECRET.read(row));
}
