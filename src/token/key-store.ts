import { DatabaseError } from '../db/errors.ts';
import type { Statements } from '../db/types.ts';

/** A signing key as stored: the private part sealed under the key-encryption key. */
export interface StoredSigningKey {
  readonly kid: string;
  readonly algorithm: string;
  /** JSON text of the public JWK. */
  readonly publicJwk: string;
  readonly sealedPrivateKey: Uint8Array;
  /** ACTIVE signs and verifies, RETIRED only verifies. */
  readonly state: 'ACTIVE' | 'RETIRED';
  readonly createdAt: number;
}

export async function findSigningKeys(db: Statements): Promise<StoredSigningKey[]> {
  return db
    .query<StoredSigningKey>(
      `SELECT kid AS kid, algorithm AS algorithm, public_jwk AS publicJwk, private_key AS sealedPrivateKey, state AS state, created_at AS createdAt
       FROM signing_keys ORDER BY created_at, kid`,
    )
    .then((rows) => rows.map((row) => ({ ...row, kid: asText(row.kid) })));
}

/** Makes a new key the active one. False when another process was faster. */
export async function activateSigningKey(tx: Statements, key: Omit<StoredSigningKey, 'state'>): Promise<boolean> {
  await tx.execute(
    `UPDATE signing_keys SET state = 'RETIRED', active_slot = NULL, updated_at = ? WHERE active_slot = 1 AND algorithm <> ?`,
    [key.createdAt, key.algorithm],
  );
  return inserted(
    tx.execute(
      `INSERT INTO signing_keys (kid, algorithm, public_jwk, private_key, state, active_slot, created_at, updated_at)
       VALUES (?, ?, ?, ?, 'ACTIVE', 1, ?, ?)`,
      [Buffer.from(key.kid), key.algorithm, key.publicJwk, key.sealedPrivateKey, key.createdAt, key.createdAt],
    ),
  );
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
