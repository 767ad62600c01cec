import { generateApiKey } from '../../src/auth/api-key/key-format.ts';
import { createApiKeyStore } from '../../src/auth/api-key/api-key-store.ts';
import { UNLIMITED } from '../../src/platform/clock.ts';
import { newId } from '../../src/platform/db/ids.ts';
import type { Database } from '../../src/platform/db/types.ts';
import { insertAccount } from '../../src/auth/identity/account-store.ts';
import type { Comparison } from '../compare.ts';
import { accountOf } from '../seed.ts';
import { sample, wrkSide, type Stand } from '../stand.ts';

const ME = '/api/v1/auth/me';

/** Compares a check of an API key with that of an access token. Both read the credential and the account. */
export async function apiKeyComparisons({
  engine,
  connections,
  service,
  sessions,
  database,
}: Stand): Promise<Comparison[]> {
  const keys = await seedApiKeys(database, sessions.length);
  await sample(service.url + ME, { headers: { 'x-api-key': keys[0]! } });
  const tokens = sessions.map(({ accessToken }) => accessToken);
  return [
    {
      title: `GET /auth/me with an API key, ${engine}`,
      aim: 0.9,
      floor: 0.56,
      subject: wrkSide('service', service, { path: ME, format: 'api-key', lines: keys, connections }),
      limit: wrkSide('a bearer token', service, { path: ME, format: 'bearer', lines: tokens, connections }),
    },
  ];
}

/** Inserts service accounts, each with an API key. Returns the keys. */
export async function seedApiKeys(database: Database, count: number): Promise<string[]> {
  const store = createApiKeyStore(database);
  const keys: string[] = [];
  await database.transaction(UNLIMITED, async (tx) => {
    for (let index = 0; index < count; index += 1) {
      const now = Date.now();
      const account = { ...accountOf(newId(), now), interactive: false };
      await insertAccount(tx, account, undefined);
      const { key, hash, prefix } = generateApiKey();
      const record = {
        tenantId: account.tenantId,
        accountId: account.id,
        id: newId(),
        label: 'bench',
        prefix,
        createdAt: now,
        createdBy: account.id,
        expiresAt: undefined,
        lastUsedAt: undefined,
      };
      await store.insert(tx, record, hash, UNLIMITED);
      keys.push(key);
    }
  });
  return keys;
}
