// The order_idempotency_keys table: the first responses to requests with a key. A row without a response is only a lock
// for duplicates and counts as missing.
import { byPrimaryKey } from '../../platform/db/query/hints.ts';
import { DatabaseError } from '../../platform/db/errors.ts';
import { idToBytes } from '../../platform/db/ids.ts';
import { tenantScope } from '../../platform/db/query/tenant-scope.ts';
import type { Statements } from '../../platform/db/types.ts';
import { DependencyUnavailableError } from '../../platform/errors.ts';
import type { CleanupTarget } from '../../platform/jobs/cleanup.ts';

export interface IdempotencyKey {
  readonly tenantId: string;
  readonly accountId: string;
  /** SHA-256 of the key's text. */
  readonly hash: Buffer;
}

export interface FirstAnswer {
  /** SHA-256 of the request of this response. */
  readonly requestHash: Uint8Array;
  /** Not empty. */
  readonly answer: Uint8Array;
}

export const ORDER_IDEMPOTENCY_KEYS_CLEANUP: CleanupTarget = {
  table: 'order_idempotency_keys',
  key: ['tenant_id', 'account_id', 'key_hash'],
  expiresAt: ['expires_at'],
};

const NOTHING = Buffer.alloc(0);
const NO_HASH = Buffer.alloc(32);
const OF_KEY = 'WHERE tenant_id = :tenant AND account_id = ? AND key_hash = ?';

/** Returns the response stored under a key; undefined if there is none or it has expired. */
export async function findAnswer(
  db: Statements,
  { tenantId, accountId, hash }: IdempotencyKey,
  now: number,
): Promise<FirstAnswer | undefined> {
  const [row] = await tenantScope(db, tenantId).query<{ request_hash: Uint8Array; answer: Uint8Array }>(
    `SELECT request_hash, answer FROM order_idempotency_keys ${OF_KEY} AND expires_at > ?`,
    [idToBytes(accountId), hash, now],
  );
  return row && row.answer.length > 0 ? { requestHash: row.request_hash, answer: row.answer } : undefined;
}

/**
 * Inserts an empty row for a key without a row, or empties an expired one. Do not call it in a transaction. If
 * the insertion of a row is rolled back, all transactions that wait for it get a shared lock and deadlock (MySQL manual,
 * "Locks Set by Different SQL Statements in InnoDB"). At an existing row they wait one after the other.
 */
export async function prepareKey(
  db: Statements,
  { tenantId, accountId, hash }: IdempotencyKey,
  now: number,
  expiresAt: number,
): Promise<void> {
  const scope = tenantScope(db, tenantId);
  const key = [idToBytes(accountId), hash];
  try {
    await scope.execute(
      `INSERT INTO order_idempotency_keys (tenant_id, account_id, key_hash, request_hash, answer, expires_at)
       VALUES (:tenant, ?, ?, ?, ?, ?)`,
      [...key, NO_HASH, NOTHING, expiresAt],
    );
  } catch (error) {
    if (!(error instanceof DatabaseError && error.kind === 'duplicate')) throw error;
    await scope.execute(
      `UPDATE ${byPrimaryKey('order_idempotency_keys')} SET answer = ?, expires_at = ? ${OF_KEY} AND expires_at <= ?`,
      [NOTHING, expiresAt, ...key, now],
    );
  }
}

/**
 * Locks the row of a key until the transaction ends, waiting for its current holder. Rejects with
 * DependencyUnavailableError if the key has expired meanwhile.
 */
export async function lockKey(tx: Statements, { tenantId, accountId, hash }: IdempotencyKey): Promise<void> {
  const locked = await tenantScope(tx, tenantId).execute(
    `UPDATE ${byPrimaryKey('order_idempotency_keys')} SET expires_at = expires_at ${OF_KEY}`,
    [idToBytes(accountId), hash],
  );
  if (locked === 0) throw new DependencyUnavailableError('the idempotency key expired at this moment');
}

/** Stores the response under a key whose row this transaction has locked. */
export async function storeAnswer(
  tx: Statements,
  { tenantId, accountId, hash }: IdempotencyKey,
  { requestHash, answer }: FirstAnswer,
  expiresAt: number,
): Promise<void> {
  await tenantScope(tx, tenantId).execute(
    `UPDATE ${byPrimaryKey('order_idempotency_keys')} SET request_hash = ?, answer = ?, expires_at = ? ${OF_KEY}`,
    [requestHash, answer, expiresAt, idToBytes(accountId), hash],
  );
}
