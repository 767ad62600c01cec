// The usernames of records that concern a known account, where the event does not name it.
import { idToBytes } from '../../../platform/db/ids.ts';
import { tenantScope } from '../../../platform/db/query/tenant-scope.ts';
import type { Statements } from '../../../platform/db/types.ts';
import type { NewAuditRecord } from './audit-store.ts';

/** Returns the records with the usernames of their accounts. An account that was deleted has none. */
export async function withUsernames(
  tx: Statements,
  records: readonly NewAuditRecord[],
): Promise<readonly NewAuditRecord[]> {
  const names = new Map<string, string | undefined>();
  for (const { tenantId, accountId, username } of records) {
    if (accountId === undefined || username !== undefined || names.has(accountId)) continue;
    const [row] = await tenantScope(tx, tenantId).query<{ username: string }>(
      'SELECT CAST(username AS CHAR) AS username FROM accounts WHERE tenant_id = :tenant AND id = ?',
      [idToBytes(accountId)],
    );
    names.set(accountId, row?.username);
  }
  if (names.size === 0) return records;
  return records.map((record) => ({
    ...record,
    username: record.username ?? (record.accountId === undefined ? undefined : names.get(record.accountId)),
  }));
}
