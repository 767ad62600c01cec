import { DatabaseError } from '../../platform/db/errors.ts';
import type { Statements } from '../../platform/db/types.ts';
import type { CleanupTarget } from '../../platform/jobs/cleanup.ts';
import type { ScheduledKey } from './rotation-schedule.ts';

/** A stored signing key. The private part is encrypted with the key-encryption key. */
export interface StoredSigningKey extends ScheduledKey {
  readonly kid: string;
  readonly algorithm: string;
  /** JSON text of the public JWK. */
  readonly publicJwk: string;
  readonly encryptedPrivateKey: Uint8Array;
  /** Unix milliseconds. */
  readonly createdAt: number;
}

interface StoredSecretKey {
  readonly name: string;
  readonly encrypted: Uint8Array;
}

/** The chains, with what they sign: access tokens, and ID tokens with logout tokens. */
export const KEY_CHAINS = ['ACCESS', 'ID'] as const;
/** Keys with one rotation schedule. */
export type KeyChain = (typeof KEY_CHAINS)[number];

const TABLES = { ACCESS: 'signing_keys', ID: 'id_signing_keys' } as const satisfies Record<KeyChain, string>;

/**
 * An application can send an ID token back as a hint at the end of its longest grant, so the public key is kept for that time after it
 * has left the key set.
 */
const KEPT_FOR_HINTS_MS = 400 * 24 * 3600_000;

export const SIGNING_KEYS_CLEANUPS: readonly CleanupTarget[] = Object.values(TABLES).map((table) => ({
  table,
  key: ['kid'],
  expiresAt: ['verifies_until'],
  keepMs: KEPT_FOR_HINTS_MS,
}));

/** All keys of a chain in the order of the rotation schedule, also those that no longer verify. */
export async function findSigningKeys(db: Statements, chain: KeyChain): Promise<StoredSigningKey[]> {
  const rows = await db.query<Omit<StoredSigningKey, 'verifiesUntil'> & { readonly verifiesUntil: number | null }>(
    // Rows of earlier releases have no sequence number and come first.
    `SELECT kid AS kid, algorithm AS algorithm, public_jwk AS publicJwk, private_key AS encryptedPrivateKey,
            COALESCE(sequence, 0) AS sequence, COALESCE(signs_from, created_at) AS signsFrom,
            verifies_until AS verifiesUntil, created_at AS createdAt
       FROM ${TABLES[chain]} ORDER BY COALESCE(sequence, 0), created_at, kid`,
  );
  return rows.map((row) => ({ ...row, kid: asText(row.kid), verifiesUntil: row.verifiesUntil ?? undefined }));
}

/** Returns false if another process has inserted a key with this sequence number. */
export async function insertSigningKey(db: Statements, chain: KeyChain, key: StoredSigningKey): Promise<boolean> {
  // An earlier release treats this key as one that only verifies.
  const [state, retired] = chain === 'ACCESS' ? [', state', ", 'RETIRED'"] : ['', ''];
  return inserted(
    db.execute(
      `INSERT INTO ${TABLES[chain]} (kid, algorithm, public_jwk, private_key, sequence, signs_from, verifies_until,
         created_at, updated_at${state})
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?${retired})`,
      [
        Buffer.from(key.kid),
        key.algorithm,
        key.publicJwk,
        key.encryptedPrivateKey,
        key.sequence,
        key.signsFrom,
        key.verifiesUntil ?? null,
        key.createdAt,
        key.createdAt,
      ],
    ),
  );
}

export async function updateVerifiesUntil(
  db: Statements,
  chain: KeyChain,
  { kid, verifiesUntil }: { readonly kid: string; readonly verifiesUntil: number },
  now: number,
): Promise<void> {
  await db.execute(`UPDATE ${TABLES[chain]} SET verifies_until = ?, updated_at = ? WHERE kid = ?`, [
    verifiesUntil,
    now,
    Buffer.from(kid),
  ]);
}

/** Returns false if the key is not stored any more. */
export async function deleteSigningKey(db: Statements, chain: KeyChain, kid: string): Promise<boolean> {
  return (await db.execute(`DELETE FROM ${TABLES[chain]} WHERE kid = ?`, [Buffer.from(kid)])) > 0;
}

/** Returns a text that changes with each change of the keys of a chain. */
export async function signingKeysVersion(db: Statements, chain: KeyChain): Promise<string> {
  const [row] = await db.query<{ count: number; last: number | null }>(
    `SELECT COUNT(*) AS count, MAX(updated_at) AS last FROM ${TABLES[chain]}`,
  );
  return `${row!.count} ${row!.last}`;
}

/** Returns false if the stored bytes have changed since `from` was read. */
export async function replaceEncryptedPrivateKey(
  db: Statements,
  chain: KeyChain,
  { kid, encryptedPrivateKey: from }: Pick<StoredSigningKey, 'kid' | 'encryptedPrivateKey'>,
  to: Uint8Array,
): Promise<boolean> {
  const sql = `UPDATE ${TABLES[chain]} SET private_key = ? WHERE kid = ? AND private_key = ?`;
  return (await db.execute(sql, [to, Buffer.from(kid), from])) > 0;
}

/** Returns the encrypted secret with this name. Stores the given one first if there is none. */
export async function findOrCreateSecretKey(
  db: Statements,
  name: string,
  encrypted: () => Uint8Array,
  now: number,
): Promise<Uint8Array> {
  const find = () =>
    db.query<{ secret: Uint8Array }>('SELECT secret FROM secret_keys WHERE name = ?', [Buffer.from(name)]);
  const [found] = await find();
  if (found) return found.secret;
  await inserted(
    db.execute('INSERT INTO secret_keys (name, secret, created_at) VALUES (?, ?, ?)', [
      Buffer.from(name),
      encrypted(),
      now,
    ]),
  );
  return (await find())[0]!.secret;
}

export async function findSecretKeys(db: Statements): Promise<StoredSecretKey[]> {
  const rows = await db.query<StoredSecretKey>('SELECT name AS name, secret AS encrypted FROM secret_keys');
  return rows.map((row) => ({ ...row, name: asText(row.name) }));
}

/** Returns false if the stored bytes have changed since `from` was read. */
export async function replaceEncryptedSecret(
  db: Statements,
  name: string,
  from: Uint8Array,
  to: Uint8Array,
): Promise<boolean> {
  const sql = 'UPDATE secret_keys SET secret = ? WHERE name = ? AND secret = ?';
  return (await db.execute(sql, [to, Buffer.from(name), from])) > 0;
}

/** Deletes a secret, so that the next start creates another one. */
export async function deleteSecretKey(statements: Statements, name: string): Promise<void> {
  await statements.execute('DELETE FROM secret_keys WHERE name = ?', [Buffer.from(name)]);
}

async function inserted(statement: Promise<number>): Promise<boolean> {
  try {
    await statement;
    return true;
  } catch (error) {
    if (error instanceof DatabaseError && error.kind === 'duplicate') return false;
    throw error;
  }
}

function asText(value: string | Uint8Array): string {
  return typeof value === 'string' ? value : Buffer.from(value).toString();
}
