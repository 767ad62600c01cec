// Applies an erasure to records that were made before it and are stored after it.
import { idToBytes } from '../../../platform/db/ids.ts';
import { tenantBytes } from '../../../platform/db/query/tenant-scope.ts';
import type { Statements } from '../../../platform/db/types.ts';
import { ERASED, type NewAuditRecord } from './audit-store.ts';

/** Longer than a minute of counts and the difference between the clocks of two machines. */
const LONGEST_WAIT_MS = 5 * 60_000;

/**
 * Returns the records without those of erased tenants, and without the usernames and client addresses of erased accounts.
 * Reads in the transaction that stores them.
 */
export async function withoutErased(tx: Statements, records: readonly NewAuditRecord[]): Promise<NewAuditRecord[]> {
  const tenants = new Map<string, boolean>();
  const accounts = new Map<string, boolean>();
  const kept: NewAuditRecord[] = [];
  for (const record of records) {
    const { tenantId, accountId } = record;
    if (tenantId !== undefined) {
      if (!tenants.has(tenantId)) tenants.set(tenantId, await isStoredTenant(tx, tenantId));
      if (!tenants.get(tenantId)) continue;
    }
    if (accountId !== undefined && !accounts.has(accountId)) accounts.set(accountId, await isErased(tx, record));
    const isAnonymous = accountId !== undefined && accounts.get(accountId);
    kept.push(isAnonymous ? { ...record, username: undefined, clientAddress: ERASED } : record);
  }
  return kept;
}

async function isStoredTenant(tx: Statements, tenantId: string): Promise<boolean> {
  const sql = 'SELECT 1 AS one FROM tenants WHERE id = ?';
  return (await tx.query(sql, [tenantBytes(tenantId)])).length > 0;
}

/** An account that was erased earlier has no sessions and no credentials, so nothing of it can be refused. */
async function isErased(tx: Statements, { tenantId, accountId, at }: NewAuditRecord): Promise<boolean> {
  // The record of an erasure has no tenant if the account was deleted before it.
  const sql = `SELECT 1 AS one FROM audit_records
    WHERE tenant_id IN (?, ?) AND account_id = ? AND at >= ? AND event = 'account.erased' LIMIT 1`;
  const values = [tenantBytes(tenantId), tenantBytes(undefined), idToBytes(accountId!), at - LONGEST_WAIT_MS];
  return (await tx.query(sql, values)).length > 0;
}
