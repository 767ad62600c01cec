// Lists of client secrets. client-secret-store.ts writes their rows.
import { idToBytes } from '../../platform/db/ids.ts';
import { pairsIn } from '../../platform/db/query/hints.ts';
import { tenantBytes, tenantScope } from '../../platform/db/query/tenant-scope.ts';
import type { Database, Statements } from '../../platform/db/types.ts';
import type { ClientSecret, SecretTable } from './client-secret-store.ts';

const LIVE = '(s.expires_at IS NULL OR s.expires_at > ?) ORDER BY s.id DESC';
const select = ({ record }: SecretTable): string => `SELECT ${record.select('s')} FROM ${record.table} s`;

type Owner = { readonly tenantId: string | undefined; readonly id: string };

/** The live secrets of an owner, newest first. */
export async function selectLiveSecrets(
  db: Statements,
  table: SecretTable,
  { tenantId, id }: Owner,
  now: number,
): Promise<ClientSecret[]> {
  const rows = await tenantScope(db, tenantId).query(
    `${select(table)} WHERE s.tenant_id = :tenant AND s.${table.owner} = ? AND ${LIVE}`,
    [idToBytes(id), now],
  );
  return rows.map((row) => table.record.read(row));
}

/** The live secrets of several owners, each one's newest first. */
export async function selectLiveSecretsOfAll(
  database: Database,
  table: SecretTable,
  owners: readonly Owner[],
  now: number,
): Promise<ClientSecret[]> {
  if (owners.length === 0) return [];
  const ofOwners = pairsIn(database.engine, `s.tenant_id, s.${table.owner}`, owners.length);
  const keys = owners.flatMap(({ tenantId, id }) => [tenantBytes(tenantId), idToBytes(id)]);
  const rows = await database.query(`${select(table)} WHERE ${ofOwners} AND ${LIVE}`, [...keys, now]);
  return rows.map((row) => table.record.read(row));
}
