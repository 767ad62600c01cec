// The client_secrets table: what service accounts authenticate with. Only SHA-256 is stored; the secrets are random.
import { createHash } from 'node:crypto';
import { idToBytes, newId } from '../db/ids.ts';
import type { Statements } from '../db/types.ts';

export interface NewClientSecret {
  readonly tenantId: string;
  readonly accountId: string;
  /** At least 32 characters. */
  readonly secret: string;
  readonly createdAt: number;
}

export async function insertClientSecret(
  db: Statements,
  { tenantId, accountId, secret, createdAt }: NewClientSecret,
): Promise<void> {
  await db.execute(
    'INSERT INTO client_secrets (tenant_id, account_id, id, secret_hash, created_at) VALUES (?, ?, ?, ?, ?)',
    [
      Buffer.from(tenantId),
      idToBytes(accountId),
      idToBytes(newId()),
      createHash('sha256').update(secret).digest(),
      createdAt,
    ],
  );
}
