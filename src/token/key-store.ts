import { DatabaseError } from '../db/errors.ts';
import type { Statements } from '../db/types.ts';
import type { CleanupTarget } from '../jobs/cleanup.ts';
import type { ScheduledKey } from './rotation-schedule.ts';

/** A signing key as stored: the private part sealed under the key-encryption key. */
export interface StoredSigningKey extends ScheduledKey {
  readonly kid: string;
  readonly algorithm: string;
  /** JSON text of the public JWK. */
  readonly publicJwk: string;
  readonly sealedPrivateKey: Uint8Array;
  /** Unix milliseconds. */
  readonly createdAt: number;
}

export interface StoredSecretKey {
  readonly name: string;
  readonly sealed: Uint8Array;
}

export const SIGNING_KEYS_CLEANUP: CleanupTarget = {
  table: 'signing_keys',
  key: ['kid'],
  expiresAt: ['verifies_until'],
};

/** All signing keys in the order of the chain. */
export async function findSigningKeys(db: Statements): Promise<StoredSigningKey[]> {
  const rows = await db.query<Omit<StoredSigningKey, 'verifiesUntil'> & { readonly verifiesUntil: number | null }>(
    // A row of an earlier release lacks its place: it comes first.
    `SELECT kid AS kid, algorithm AS algorithm, public_jwk AS publicJwk, private_key AS sealedPrivateKey,
            COALESCE(sequence, 0) AS sequence, COALESCE(signs_from, created_at) AS signsFrom,
            verifies_until AS verifiesUntil, created_at AS createdAt
       FROM signing_keys ORDER BY COALESCE(sequence, 0), created_at, kid`,
  );
  return rows.map((row) => ({ ...row, kid: asText(row.kid), verifiesUntil: row.verifiesUntil ?? undefined }));
}

/** False where another process has taken this place in the chain. */
export async function insertSigningKey(db: Statements, key: StoredSigningKey): Promise<boolean> {
  return inserted(
    db.execute(
      // To an earlier release it is a key that verifies.
      `INSERT INTO signing_keys (kid, algorithm, public_jwk, private_key, sequence, signs_from, verifies_until, state,
         created_at, updated_at)
       VALUES (?, ?, ?, ?, ?, ?, ?, 'RETIRED', ?, ?)`,
      [
        Buffer.from(key.kid),
        key.algorithm,
        key.publicJwk,
        key.sealedPrivateKey,
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
  kid: string,
  verifiesUntil: number,
  now: number,
): Promise<void> {
  await db.execute('UPDATE signing_keys SET verifies_until = ?, updated_at = ? WHERE kid = ?', [
    verifiesUntil,
    now,
    Buffer.from(kid),
  ]);
}

/** False where it has been sealed otherwise since `from` was read. */
export async function replaceSealedPrivateKey(
  db: Statements,
  kid: string,
  from: Uint8Array,
  to: Uint8Array,
): Promise<boolean> {
  const sql = 'UPDATE signing_keys SET private_key = ? WHERE kid = ? AND private_key = ?';
  return (await db.execute(sql, [to, Buffer.from(kid), from])) > 0;
}

/** The sealed secret of this name, stored first where it is missing. */
export async function findOrCreateSecretKey(
  db: Statements,
  name: string,
  sealed: () => Uint8Array,
  now: number,
): Promise<Uint8Array> {
  const find = () =>
    db.query<{ secret: Uint8Array }>('SELECT secret FROM secret_keys WHERE name = ?', [Buffer.from(name)]);
  const [found] = await find();
  if (found) return found.secret;
  await inserted(
    db.execute('INSERT INTO secret_keys (name, secret, created_at) VALUES (?, ?, ?)', [
      Buffer.from(name),
      sealed(),
      now,
    ]),
  );
  return (await find())[0]!.secret;
}

export async function findSecretKeys(db: Statements): Promise<StoredSecretKey[]> {
  const rows = await db.query<StoredSecretKey>('SELECT name AS name, secret AS sealed FROM secret_keys');
  return rows.map((row) => ({ ...row, name: asText(row.name) }));
}

/** False where it has been sealed otherwise since `from` was read. */
export async function replaceSealedSecret(
  db: Statements,
  name: string,
  from: Uint8Array,
  to: Uint8Array,
): Promise<boolean> {
  const sql = 'UPDATE secret_keys SET secret = ? WHERE name = ? AND secret = ?';
  return (await db.execute(sql, [to, Buffer.from(name), from])) > 0;
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
