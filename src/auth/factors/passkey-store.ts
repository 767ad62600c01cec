// The passkeys of accounts, and the passkey challenges that were used.
import { hash } from 'node:crypto';
import {
  flag,
  id,
  integer,
  list,
  optional,
  optionalTenant,
  text,
  time,
  type Column,
} from '../../platform/db/columns.ts';
import { DatabaseError } from '../../platform/db/errors.ts';
import { idToBytes } from '../../platform/db/ids.ts';
import { acrossTenants, tenantScope } from '../../platform/db/query/tenant-scope.ts';
import { defineRecord, type ValuesOf } from '../../platform/db/record.ts';
import type { Statements } from '../../platform/db/types.ts';
import type { CleanupTarget } from '../../platform/jobs/cleanup.ts';
import type { Account } from '../access/account.ts';

type AccountKey = Pick<Account, 'tenantId' | 'id'>;

const bytes = (name: string): Column<Buffer> => ({ name, fromSql: (stored: Uint8Array) => Buffer.from(stored) });

const FIELDS = { label: text('label') };
const COLUMNS = {
  tenantId: optionalTenant('tenant_id'),
  accountId: id('account_id'),
  /** UUIDv7. */
  id: id('id'),
  credentialId: bytes('credential_id'),
  /** COSE (RFC 9052). */
  publicKey: bytes('public_key'),
  counter: integer('counter'),
  /** The relying party id that the passkey was created for. */
  rpId: text('rp_id'),
  transports: list('transports'),
  backupEligible: flag('backup_eligible'),
  backedUp: flag('backed_up'),
  /** Unix milliseconds. */
  createdAt: time('created_at'),
  lastUsedAt: optional(time('last_used_at')),
};

const PASSKEY = defineRecord('passkeys', { fixed: COLUMNS, fields: FIELDS });
export type Passkey = ValuesOf<typeof COLUMNS & typeof FIELDS>;

const PASSKEYS = `SELECT ${PASSKEY.select('p')} FROM passkeys p`;
const ONE = 'tenant_id = :tenant AND account_id = ? AND id = ?';
const OF_ALL_TENANTS = acrossTenants('a login begins with a passkey');

/** Inserts a passkey. Rejects with DatabaseError `duplicate` if its credential id is registered. */
export async function insertPasskey(tx: Statements, passkey: Passkey): Promise<void> {
  await tenantScope(tx, passkey.tenantId).execute(
    `INSERT INTO passkeys (${PASSKEY.names}, credential_hash) VALUES (${PASSKEY.placeholders}, ?)`,
    [...PASSKEY.insertValues(passkey), hashOf(passkey.credentialId)],
  );
}

/** Returns the passkeys of an account, the oldest first. */
export async function findPasskeys(db: Statements, { tenantId, id: accountId }: AccountKey): Promise<Passkey[]> {
  const rows = await tenantScope(db, tenantId).query(
    `${PASSKEYS} WHERE p.tenant_id = :tenant AND p.account_id = ? ORDER BY p.id`,
    [idToBytes(accountId)],
  );
  return rows.map((row) => PASSKEY.read(row));
}

/** Finds a passkey by its credential id, which is unique across all tenants. */
export async function findPasskey(db: Statements, credentialId: Uint8Array): Promise<Passkey | undefined> {
  const [row] = await db.query(`${PASSKEYS} WHERE ${OF_ALL_TENANTS} AND p.credential_hash = ?`, [hashOf(credentialId)]);
  return row && PASSKEY.read(row);
}

/**
 * Stores a use of a passkey. Returns false if it does not exist any more, or if its counter has gone back. A passkey without a
 * counter always sends 0.
 */
export async function recordPasskeyUse(
  tx: Statements,
  { tenantId, accountId, id: passkeyId }: Pick<Passkey, 'tenantId' | 'accountId' | 'id'>,
  { counter, now }: { readonly counter: number; readonly now: number },
): Promise<boolean> {
  const isAhead = counter === 0 ? 'counter = 0' : 'counter < ?';
  const changed = await tenantScope(tx, tenantId).execute(
    `UPDATE passkeys SET counter = ?, last_used_at = ? WHERE ${ONE} AND ${isAhead}`,
    [counter, now, idToBytes(accountId), idToBytes(passkeyId), ...(counter === 0 ? [] : [counter])],
  );
  return changed > 0;
}

/** Stores the backup flags of a passkey. Returns false if they have not changed. */
export async function changeBackupFlags(
  tx: Statements,
  passkey: PasskeyKey,
  { backupEligible, backedUp }: Pick<Passkey, 'backupEligible' | 'backedUp'>,
): Promise<boolean> {
  const flags = [backupEligible ? 1 : 0, backedUp ? 1 : 0];
  const changed = await tenantScope(tx, passkey.tenantId).execute(
    `UPDATE passkeys SET backup_eligible = ?, backed_up = ? WHERE ${ONE} AND (backup_eligible <> ? OR backed_up <> ?)`,
    [...flags, ...keyOf(passkey), ...flags],
  );
  return changed > 0;
}

/** Changes the label of a passkey. Returns false if it does not exist. */
export async function renamePasskey(tx: Statements, passkey: PasskeyKey, label: string): Promise<boolean> {
  const changed = await tenantScope(tx, passkey.tenantId).execute(`UPDATE passkeys SET label = ? WHERE ${ONE}`, [
    label,
    ...keyOf(passkey),
  ]);
  return changed > 0;
}

/** Returns false if it does not exist. */
export async function deletePasskey(tx: Statements, passkey: PasskeyKey): Promise<boolean> {
  const changed = await tenantScope(tx, passkey.tenantId).execute(`DELETE FROM passkeys WHERE ${ONE}`, keyOf(passkey));
  return changed > 0;
}

/** Deletes all passkeys of an account. */
export async function deletePasskeysOf(tx: Statements, { tenantId, id }: AccountKey): Promise<void> {
  await tenantScope(tx, tenantId).execute('DELETE FROM passkeys WHERE tenant_id = :tenant AND account_id = ?', [
    idToBytes(id),
  ]);
}

type PasskeyKey = Pick<Passkey, 'tenantId' | 'accountId' | 'id'>;

function keyOf({ accountId, id }: PasskeyKey): Buffer[] {
  return [idToBytes(accountId), idToBytes(id)];
}

export const USED_CHALLENGES_CLEANUP: CleanupTarget = {
  table: 'used_challenges',
  key: ['hash'],
  expiresAt: ['expires_at'],
};

/** Uses a passkey challenge, by its SHA-256. Returns false if it was used before. */
export async function usePasskeyChallenge(tx: Statements, challengeHash: Buffer, expiresAt: number): Promise<boolean> {
  try {
    await tx.execute('INSERT INTO used_challenges (hash, expires_at) VALUES (?, ?)', [challengeHash, expiresAt]);
    return true;
  } catch (error) {
    if (error instanceof DatabaseError && error.kind === 'duplicate') return false;
    throw error;
  }
}

function hashOf(value: Uint8Array): Buffer {
  return hash('sha256', value, 'buffer');
}
