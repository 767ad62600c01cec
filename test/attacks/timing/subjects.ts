// The accounts and credentials whose refusals are measured. Each kind has as many as there are rounds, because the first
// refusals of a subject could differ from later ones.
import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { generateApiKey } from '../../../src/auth/api-key/key-format.ts';
import { createApiKeyStore } from '../../../src/auth/api-key/api-key-store.ts';
import { UNLIMITED } from '../../../src/platform/clock.ts';
import { insertClientSecret } from '../../../src/auth/client-credentials/client-secret-store.ts';
import { idToBytes, newId } from '../../../src/platform/db/ids.ts';
import type { Database } from '../../../src/platform/db/types.ts';
import { seedAccount, type Seed } from '../../support/accounts.ts';
import { seedSession } from '../../support/sessions.ts';
import type { Account } from '../../../src/auth/access/account.ts';

const HOUR_MS = 3600_000;
const AT_ONCE = 20;

/** The text that a caller presents in each round: a username, a client id, an API key or a refresh cookie. */
export type Presented = readonly string[];

export type SubjectKind = keyof Awaited<ReturnType<typeof seedSubjects>>;

/** Creates all subjects, each kind `count` times. */
export async function seedSubjects(database: Database, count: number) {
  const past = Date.now() - HOUR_MS;
  const future = Date.now() + 24 * HOUR_MS;
  const each = async <T>(make: () => Promise<T> | T): Promise<T[]> => {
    const made: T[] = [];
    // Some at once, because they share commits, but not more than the pool serves in time.
    while (made.length < count) {
      const size = Math.min(AT_ONCE, count - made.length);
      made.push(...(await Promise.all(Array.from({ length: size }, make))));
    }
    return made;
  };
  const seed = (about: Seed) => seedAccount(database, { username: randomName(), ...about });
  const names = (about: Seed, complete: (account: Account) => Promise<void> = async () => {}) =>
    each(async () => {
      const account = await seed(about);
      await complete(account);
      return account.username;
    });
  const keys = async (about: Seed, end?: 'revoked_at' | 'expires_at') => {
    const owner = await seed({ interactive: false, ...about });
    return each(() => insertKey(database, owner, end, past));
  };
  const cookies = async (about: Seed, isRevoked: boolean) => {
    const account = await seed(about);
    return each(async () => {
      const { id, cookie } = await seedSession({ database, clock: { now: Date.now, advance: () => {} } }, account);
      const sql = 'UPDATE session_families SET revoked_at = ? WHERE id = ?';
      if (isRevoked) await database.execute(sql, [past, idToBytes(id)]);
      return cookie;
    });
  };
  const withSecret = (secret: string, expiresAt?: number) => (account: Account) =>
    insertClientSecret(database, {
      tenantId: account.tenantId,
      ownerId: account.id,
      secret,
      createdAt: past,
      expiresAt,
    });
  const withDecoy = (account: Account) => insertDecoy(database, account, future);
  return {
    unknown: await each(randomName),
    user: await names({}),
    // Logged in before: each login under minimal disclosure leaves a decoy.
    'active user': await names({}, withDecoy),
    'locked user': await names({ loginFailedCount: 5, lockedUntil: future }, withDecoy),
    'disabled user': await names({ disabled: true }),
    'expired user': await names({ accountExpiresAt: past }),
    'service account': await names({ interactive: false }),
    client: await names({ interactive: false }, withSecret(`other ${SECRET}`)),
    'client with an expired secret': await names({ interactive: false }, withSecret(SECRET, past)),
    'disabled client': await names({ interactive: false, disabled: true }, withSecret(SECRET)),
    'unknown key': await each(() => generateApiKey().key),
    'revoked key': await keys({}, 'revoked_at'),
    'expired key': await keys({}, 'expires_at'),
    'key of a disabled account': await keys({ disabled: true }),
    'forged cookie': await each(() =>
      forged(`MY_SHOP_REFRESH=${randomText(16)}.1.${randomText(32)}.${randomText(32)}`),
    ),
    'forged cookie of a session': (await cookies({}, false)).map(forged),
    'revoked session': await cookies({}, true),
    'session of a disabled user': await cookies({ disabled: true }, false),
    'revoked session of a disabled user': await cookies({ disabled: true }, true),
  } as const satisfies Record<string, Presented>;
}

/** The secret that all measured calls present. */
export const SECRET = 'a-secret-that-has-at-least-32-characters';

const randomName = () => `${randomUUID()}@acme.test`;
const randomText = (bytes: number) => randomBytes(bytes).toString('base64url');
/** Replaces the MAC of a refresh token. */
const forged = (cookie: string) => cookie.slice(0, -43) + randomText(32);
const ownerOf = ({ id: accountId, tenantId }: Account) => ({ accountId, tenantId });

async function insertKey(
  database: Database,
  owner: Account,
  end: 'revoked_at' | 'expires_at' | undefined,
  at: number,
): Promise<string> {
  const { key, hash, prefix } = generateApiKey();
  const id = newId();
  const { accountId, tenantId } = ownerOf(owner);
  const row = { id, accountId, tenantId, label: 'key', prefix, createdAt: at, createdBy: accountId };
  const { insert } = createApiKeyStore(database);
  await insert(database, { ...row, expiresAt: undefined, lastUsedAt: undefined }, hash, UNLIMITED);
  if (end) await database.execute(`UPDATE api_keys SET ${end} = ? WHERE id = ?`, [at, idToBytes(id)]);
  return key;
}

async function insertDecoy(database: Database, { username }: Account, expiresAt: number): Promise<void> {
  const sql = 'INSERT INTO login_decoys (username_hash, expires_at) VALUES (?, ?)';
  await database.execute(sql, [createHash('sha256').update(username).digest(), expiresAt]);
}
