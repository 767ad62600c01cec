import {
  id,
  optional,
  optionalId,
  optionalTenant,
  selected,
  text,
  time,
  type Column,
} from '../../../platform/db/columns.ts';
import { bytesToId, idToBytes, newId } from '../../../platform/db/ids.ts';
import { addressBytes } from '../../../platform/formats/address-range.ts';
import { acrossTenants, tenantBytes, tenantScope } from '../../../platform/db/query/tenant-scope.ts';
import { defineRecord, type Insertable, type ValuesOf } from '../../../platform/db/record.ts';
import type { Database, Insertion, SqlValue, Statements } from '../../../platform/db/types.ts';
import { eraseFromSeal, type Traces } from '../seals/record-seal.ts';

const COLUMNS = {
  // One statement inserts records of several tenants.
  tenantId: {
    ...optionalTenant('tenant_id'),
    toSql: tenantBytes,
    isWrittenFromScope: false,
  } satisfies Column<string | undefined>,
  id: id('id'),
  /** Unix milliseconds. */
  at: time('at'),
  event: text('event'),
  accountId: optionalId('account_id'),
  username: optional(text('username')),
  actorId: optionalId('actor_id'),
  clientAddress: text('client_address'),
  requestId: text('request_id'),
  /** JSON text of an object. */
  details: text('details'),
  /** The session that caused the event. */
  sessionId: optionalId('session_id'),
};

const OF_ANY_TENANT = acrossTenants('an actor can be an account of the service');
const DELETED = 'account.deleted';

export const AUDIT_RECORD = defineRecord('audit_records', {
  fixed: COLUMNS,
  fields: {},
  // A new record waits for its seal. On SQLite, the default is that of the records from before there were seals.
  computed: { sequence: () => null, address: ({ clientAddress }) => addressKey(clientAddress) },
});
/** A stored audit event. */
export type AuditRecord = ValuesOf<typeof COLUMNS>;

const SHOWN = {
  /** The username of the actor; of a deleted one, as the record of its deletion has it. */
  actorUsername: selected(
    (r) => `COALESCE(
      (SELECT CAST(u.username AS CHAR) FROM accounts u WHERE ${OF_ANY_TENANT} AND u.id = ${r}.actor_id),
      (SELECT CAST(d.username AS CHAR) FROM audit_records d WHERE d.tenant_id IN (${r}.tenant_id, X'') AND d.account_id = ${r}.actor_id
         AND d.event = '${DELETED}' LIMIT 1))`,
    (stored: string | null) => stored ?? undefined,
  ),
};

/** A record as callers see it, with the name of its actor. */
export const SHOWN_AUDIT_RECORD = defineRecord('audit_records', { fixed: COLUMNS, fields: {}, selected: SHOWN });
export type ShownAuditRecord = ValuesOf<typeof COLUMNS & typeof SHOWN>;

/** Facts of an event: numbers, booleans, and short texts or lists of them. */
export type AuditDetails = Readonly<Record<string, string | number | boolean | readonly string[]>>;

/** A record to insert. */
export interface NewAuditRecord extends Omit<Insertable<AuditRecord>, 'tenantId' | 'details'> {
  readonly tenantId: string | undefined;
  readonly details?: AuditDetails | undefined;
}

const INTO = `audit_records (${AUDIT_RECORD.names})`;
const ROW = `(${AUDIT_RECORD.placeholders})`;

/** Returns the insertion of one record. */
export function auditInsertion(record: NewAuditRecord): Insertion {
  return { into: INTO, row: `VALUES ${ROW}`, values: valuesOf(record) };
}

/** Inserts records in one statement. */
export async function insertAuditRecords(tx: Statements, records: readonly NewAuditRecord[]): Promise<void> {
  await tx.execute(`INSERT INTO ${INTO} VALUES ${records.map(() => ROW).join(', ')}`, records.flatMap(valuesOf));
}

/** Deletes a record of the same transaction, if it exists. */
export async function deleteAuditRecord(
  tx: Statements,
  { tenantId, id }: Pick<NewAuditRecord, 'tenantId' | 'id'>,
): Promise<void> {
  const sql = 'DELETE FROM audit_records WHERE tenant_id = :tenant AND id = ?';
  await tenantScope(tx, tenantId).execute(sql, [idToBytes(id)]);
}

/** Writes as many pages as for a record, and stores none. */
export async function insertNoRecord(tx: Statements): Promise<void> {
  const record = { id: newId(), tenantId: undefined, at: 0, event: '', clientAddress: '', requestId: '' };
  await insertAuditRecords(tx, [record]);
  await deleteAuditRecord(tx, record);
}

/** Whether a record with this id is stored. */
export async function auditRecordExists(
  statements: Statements,
  { tenantId, id }: Pick<NewAuditRecord, 'tenantId' | 'id'>,
): Promise<boolean> {
  const sql = 'SELECT 1 AS one FROM audit_records WHERE tenant_id = :tenant AND id = ?';
  return (await tenantScope(statements, tenantId).query(sql, [idToBytes(id)])).length > 0;
}

function valuesOf(record: NewAuditRecord): readonly SqlValue[] {
  return AUDIT_RECORD.insertValues({ ...record, details: JSON.stringify(record.details ?? {}) });
}

/** Returns the value by which a client address is found; null for texts that are neither an address nor a network. */
function addressKey(clientAddress: string): Uint8Array | null {
  return addressBytes(clientAddress.split('/')[0]!) ?? null;
}

/** Recorded instead of a client address that was erased. */
export const ERASED = 'erased';

/** Which values of which records identify an erased account: the condition has its id once. */
const TRACES: readonly { readonly condition: string; readonly change: Partial<Traces> }[] = [
  { condition: 'account_id = ? AND username IS NOT NULL', change: { username: undefined } },
  // An action of an administrator has the address of the administrator.
  {
    condition: `account_id = ? AND actor_id IS NULL AND client_address <> '${ERASED}'`,
    change: { clientAddress: ERASED },
  },
  { condition: `actor_id = ? AND client_address <> '${ERASED}'`, change: { clientAddress: ERASED } },
];

/**
 * Removes the username of an account from the records about it, and its client address from the records of its own
 * actions. Other columns stay, and the seals of the records fit. Reads at most `size` records at a time. Returns the ids of the
 * changed records.
 */
export async function anonymizeRecords(
  db: Statements,
  { tenantId, accountId }: { readonly tenantId: string | undefined; readonly accountId: string },
  size: number,
): Promise<ReadonlySet<string>> {
  const scope = tenantScope(db, tenantId);
  const changed = new Set<string>();
  for (const { condition, change } of TRACES) {
    const select = `SELECT id, username, client_address, seal FROM audit_records
      WHERE tenant_id = :tenant AND ${condition} LIMIT ${size}`;
    // If the record was sealed meanwhile, it is read again.
    const update = `UPDATE audit_records SET username = ?, client_address = ?, address = ?, seal = ?
      WHERE tenant_id = :tenant AND id = ? AND COALESCE(seal, ?) = ?`;
    for (let rows = await scope.query<TracesRow>(select, [idToBytes(accountId)]); rows.length > 0;) {
      for (const row of rows) {
        const { username, clientAddress, seal } = withoutTraces(row, change);
        const values = [
          username ?? null,
          clientAddress,
          addressKey(clientAddress),
          seal,
          row.id,
          NO_SEAL,
          row.seal ?? NO_SEAL,
        ];
        if ((await scope.execute(update, values)) > 0) changed.add(bytesToId(row.id));
      }
      rows = await scope.query<TracesRow>(select, [idToBytes(accountId)]);
    }
  }
  return changed;
}

interface TracesRow {
  readonly id: Uint8Array;
  readonly username: string | null;
  readonly client_address: string;
  readonly seal: Uint8Array | null;
}

/** Compared instead of a missing seal. No seal is so short. */
const NO_SEAL = Buffer.from('-');
/** Stored with a record that is changed before it is sealed, so that the job that seals it reads it again. */
const CHANGED_UNSEALED = Buffer.alloc(0);

function withoutTraces({ username, client_address: clientAddress, seal }: TracesRow, change: Partial<Traces>) {
  const before = { username: username ?? undefined, clientAddress };
  const after = { ...before, ...change };
  const isSealed = seal !== null && seal.length > 0;
  return { ...after, seal: isSealed ? eraseFromSeal(seal, before, after) : CHANGED_UNSEALED };
}

/** A record that waits for its seal. */
export interface UnsealedRecord extends AuditRecord {
  /** Whether it is as it was inserted: no erasure has changed it. */
  readonly isAsInserted: boolean;
}

/** The seal of a record, to store. */
export interface RecordSeal {
  readonly record: UnsealedRecord;
  readonly sequence: number;
  readonly seal: Uint8Array;
}

const OF_ALL_TENANTS = acrossTenants('the records of all tenants are sealed');

/** Stores the seals of records. Returns how many records were still as they were read. */
export async function storeRecordSeals(
  tx: Statements,
  { engine }: Pick<Database, 'engine'>,
  seals: readonly RecordSeal[],
): Promise<number> {
  const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex');
  const rows = seals.map(({ record, sequence, seal }) => [
    hex(Buffer.from(record.tenantId ?? '')),
    hex(idToBytes(record.id)),
    sequence,
    hex(seal),
    record.isAsInserted ? 1 : 0,
  ]);
  return tx.execute(STORE_SEALS[engine], [JSON.stringify(rows)]);
}

/** The rows are one value, so that the statement has the same text for each number of them. */
const STORE_SEALS: Readonly<Record<Database['engine'], string>> = {
  mysql: `UPDATE JSON_TABLE(?, '$[*]' COLUMNS (tenant VARCHAR(126) PATH '$[0]', id CHAR(32) PATH '$[1]',
             sequence BIGINT PATH '$[2]', seal VARCHAR(98) PATH '$[3]', as_inserted INT PATH '$[4]')) s
      STRAIGHT_JOIN audit_records r FORCE INDEX (PRIMARY) ON r.tenant_id = UNHEX(s.tenant) AND r.id = UNHEX(s.id)
        SET r.sequence = s.sequence, r.seal = UNHEX(s.seal)
      WHERE ${OF_ALL_TENANTS} AND (r.sequence IS NULL OR r.sequence = 0) AND (r.seal IS NULL) = s.as_inserted`,
  sqlite: `UPDATE audit_records AS r SET sequence = s.value ->> 2, seal = unhex(s.value ->> 3) FROM json_each(?) AS s
      WHERE ${OF_ALL_TENANTS} AND r.tenant_id = unhex(s.value ->> 0) AND r.id = unhex(s.value ->> 1)
        AND COALESCE(r.sequence, 0) = 0 AND (r.seal IS NULL) = s.value ->> 4`,
};

/** Deletes sealed records of a tenant, '' for none. The range is inclusive. Returns their number. */
export async function deleteSealedRecords(
  tx: Statements,
  tenant: string,
  first: number,
  last: number,
): Promise<number> {
  // The plus keeps SQLite from reading all records of the tenant by an index that begins with it.
  const sql = 'DELETE FROM audit_records WHERE +tenant_id = :tenant AND sequence >= ? AND sequence <= ?';
  return tenantScope(tx, tenant || undefined).execute(sql, [first, last]);
}
