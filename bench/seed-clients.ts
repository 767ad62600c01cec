import { insertClientSecret } from '../src/auth/client-credentials/client-secret-store.ts';
import { UNLIMITED } from '../src/platform/clock.ts';
import { newId } from '../src/platform/db/ids.ts';
import type { Database } from '../src/platform/db/types.ts';
import { insertAccount } from '../src/auth/identity/account-store.ts';
import { accountOf } from './seed.ts';

export interface SeededClient {
  /** The client id. */
  readonly id: string;
  readonly secret: string;
}

/** Inserts service accounts, each with a client secret. */
export async function seedClients(database: Database, count: number): Promise<SeededClient[]> {
  const clients: SeededClient[] = [];
  await database.transaction(UNLIMITED, async (tx) => {
    for (let index = 0; index < count; index += 1) {
      const now = Date.now();
      const account = { ...accountOf(newId(), now), username: `bench-${newId()}`, interactive: false };
      const secret = `secret-of-${account.username}`;
      await insertAccount(tx, account, undefined);
      await insertClientSecret(tx, { tenantId: account.tenantId, accountId: account.id, secret, createdAt: now });
      clients.push({ id: account.username, secret });
    }
  });
  return clients;
}
