// Exports and erases the data of a tenant or a user, for the operator of the machine.
import { isUtf8 } from 'node:buffer';
import type { Logger } from 'pino';
import type { AuditEvent } from '../auth/audit/trail/audit-log.ts';
import { anonymizeRecords } from '../auth/audit/trail/audit-store.ts';
import { forgetAttempts } from '../auth/delivery/outbox.ts';
import { forgetLogouts } from '../auth/oauth/logout/logout-receiver.ts';
import { bytesToId } from '../platform/db/ids.ts';
import type { Database, Row, StoredValue } from '../platform/db/types.ts';
import { deleteSessionsOf } from '../auth/session/session-store.ts';
import { deleteTenant, findTenant, selectTenantIds } from '../auth/tenancy/tenant-store.ts';
import { deleteTenantRows, findTenantTables, selectTenantRows } from '../auth/tenancy/tenant-rows-store.ts';
import { loadModules } from './load-modules.ts';
import type { Module } from './module.ts';
import { MODULES } from './modules.ts';
import { LOCAL_COMMAND, createLocalAuditLog, createLocalContext } from './local-operator.ts';
import { type LocalOptions, useDatabase } from './usable-database.ts';

/** A row of a tenant, with readable values and without secrets. */
export interface ExportedRow {
  readonly table: string;
  readonly row: Readonly<Record<string, string | number | null>>;
}

const BATCH = 500;
/** Objects that wait for their deletion from the store: the cleanup needs their rows. And the seals of the deleted audit records. */
const KEPT = new Set(['file_objects', 'audit_seals']);
const SECRET = /hash|selector|verifier|search_text|text_key|password|secret|seal|^mac$|_mac$|^digest$/;
const NOT_SECRET = new Set(['sha256']);

/** Passes every row of a tenant to `write`, table by table. Throws if the tenant does not exist. */
export function exportTenant(
  tenantId: string,
  options: LocalOptions,
  write: (exported: ExportedRow) => void,
): Promise<number> {
  return useDatabase(options, async (database) => {
    const { name, status, createdAt } = await existingTenant(database, tenantId);
    write({ table: 'tenants', row: { id: tenantId, name, status, created_at: createdAt } });
    let count = 1;
    for (const table of await findTenantTables(database)) {
      let after: Row | undefined;
      do {
        const rows: Row[] = await selectTenantRows(database, tenantId, table, { after, size: BATCH });
        for (const row of rows) write({ table: table.name, row: readableRow(row) });
        count += rows.length;
        after = rows.length < BATCH ? undefined : rows.at(-1);
      } while (after !== undefined);
    }
    return count;
  });
}

/** Deletes a suspended tenant with all its rows and files. Can run again after an interruption. Returns the rows. */
export function eraseTenant(tenantId: string, options: LocalOptions): Promise<number> {
  return useDatabase(options, async (database) => {
    const { status } = await existingTenant(database, tenantId);
    if (status !== 'SUSPENDED') throw new Error(`tenant ${tenantId} is active; suspend it first`);
    let rows = 0;
    const modules = [...MODULES, ...(await loadModules(options.settings))];
    // Calls that began before the suspension can still insert rows.
    for (let deleted = 1; deleted > 0; rows += deleted) deleted = await deleteAllRows(database, tenantId, modules);
    // At applications for all tenants. The suspension has told them.
    await forgetLogouts(database, { tenantId }, { tenants: [], size: BATCH });
    const details = { tenant: tenantId, rows, actor: LOCAL_COMMAND };
    // Together: without its record, the trail would show the removed records as tampering, and without the tenant nothing could repeat it.
    await createLocalAuditLog(database).commit(createLocalContext(options.log), async (tx, record) => {
      await deleteTenant(tx, tenantId);
      record({ event: 'tenant.erased', tenantId: undefined, details });
    });
    return rows;
  });
}

async function deleteAllRows(database: Database, tenantId: string, modules: readonly Module[]): Promise<number> {
  let rows = 0;
  for (const module of modules) rows += (await module.eraseTenant?.(database, tenantId, Date.now())) ?? 0;
  for (const table of (await findTenantTables(database)).filter(({ name }) => !KEPT.has(name))) {
    for (;;) {
      const deleted = await deleteTenantRows(database, tenantId, table, BATCH);
      rows += deleted;
      if (deleted < BATCH) break;
    }
  }
  return rows;
}

/**
 * Deletes the sessions of a deleted account, and removes its username and client address from the audit records. Can run
 * again, also if its tenant is not known any more. Returns the number of audit records.
 */
export function eraseUserTraces(
  { id: accountId, tenantId }: { readonly id: string; readonly tenantId: string | undefined },
  options: LocalOptions,
): Promise<number> {
  return useDatabase(options, async (database) => {
    const tenants = tenantId === undefined ? [undefined, ...(await selectTenantIds(database))] : [tenantId];
    let records = 0;
    for (const tenant of tenants) {
      await deleteSessionsOf(database, { tenantId: tenant, accountId }, BATCH);
      records += (await anonymizeRecords(database, { tenantId: tenant, accountId }, BATCH)).size;
    }
    // Receivers can have repeated what they got.
    for (const tenant of new Set([undefined, ...tenants]))
      while ((await forgetAttempts(database, tenant, { accountId, limit: BATCH })) === BATCH);
    await forgetLogouts(database, { sub: accountId }, { tenants, size: BATCH });
    const details = { records, actor: LOCAL_COMMAND };
    await recordErasure(database, options.log, { event: 'account.erased', tenantId, accountId, details });
    return records;
  });
}

async function existingTenant(database: Database, id: string) {
  const tenant = await findTenant(database, id);
  if (tenant === undefined) throw new Error(`no tenant ${JSON.stringify(id)}`);
  return tenant;
}

function recordErasure(database: Database, log: Logger, event: AuditEvent): Promise<void> {
  return createLocalAuditLog(database).record(createLocalContext(log), event);
}

function readableRow(row: Row): ExportedRow['row'] {
  const shown = Object.entries(row).filter(([column]) => NOT_SECRET.has(column) || !SECRET.test(column));
  return Object.fromEntries(shown.map(([column, value]) => [column, readableValue(column, value)]));
}

/** Ids, texts, hashes and pictures are all stored as bytes. */
function readableValue(column: string, value: StoredValue): string | number | null {
  if (!(value instanceof Uint8Array)) return value;
  if (column === 'sha256') return Buffer.from(value).toString('hex');
  const isId = value.length === 16 && /(?:^|_)id$|_by$|_through$/.test(column) && column !== 'tenant_id';
  return isId ? bytesToId(value) : Buffer.from(value).toString(isUtf8(value) ? 'utf8' : 'base64');
}
