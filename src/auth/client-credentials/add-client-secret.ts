import { randomBytes } from 'node:crypto';
import { newId } from '../../platform/db/ids.ts';
import type { NewAccount } from '../identity/users/create-account.ts';
import { insertClientSecret } from './client-secret-store.ts';
import type { LiveSecret } from './client-secret-list-store.ts';

const SECRET_BYTES = 32;

/** A new secret: its value, which is shown only once, and its stored data. */
export interface IssuedSecret {
  readonly value: string;
  readonly secret: LiveSecret;
}

/** Creates a random secret for a service account within a transaction. */
export async function addClientSecret(
  { tx, account, record }: NewAccount,
  createdAt: number,
  expiresAt?: number,
): Promise<IssuedSecret> {
  const { tenantId, id: accountId } = account;
  const value = randomBytes(SECRET_BYTES).toString('base64url');
  const secret = { id: newId(), accountId, createdAt, expiresAt, lastUsedAt: undefined };
  await insertClientSecret(tx, { ...secret, tenantId, secret: value });
  record('client-secret.created', { secretId: secret.id });
  return { value, secret };
}
