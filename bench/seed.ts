// Creates accounts with sessions without passwords, by calling the core's modules with the service's keys.
import { pino } from 'pino';
import { UNLIMITED } from '../src/platform/clock.ts';
import { newId } from '../src/platform/db/ids.ts';
import type { Database } from '../src/platform/db/types.ts';
import { NO_FACTORS, type Account } from '../src/auth/access/account.ts';
import { BY_PASSWORD } from '../src/auth/access/authentication.ts';
import { insertAccount } from '../src/auth/identity/account-store.ts';
import { createOpaqueRefreshTokens } from '../src/auth/session/transport/cookie-transport.ts';
import { createSessionStore } from '../src/auth/session/session-store.ts';
import { insertTenant, tenantExists } from '../src/auth/tenancy/tenant-store.ts';
import { createAccessTokens } from '../src/auth/token/access-token.ts';
import { createKeyEncryption } from '../src/auth/keys/key-encryption.ts';
import { loadSecretKey } from '../src/auth/keys/secret-key.ts';
import { createSigningKeys } from '../src/auth/keys/signing-keys.ts';
import { APP_NAME, KEY_ENCRYPTION_KEY } from './service.ts';
import { changeCounts } from '../src/business/counter-store.ts';
import { PRODUCTS as PRODUCT_ROWS } from '../src/business/products/product-store.ts';
import { insertClientSecret } from '../src/auth/client-credentials/client-secret-store.ts';
import { builtInRights } from '../src/auth/access/roles/rights.ts';

export interface Session {
  readonly accountId: string;
  readonly accessToken: string;
  /** The refresh token, the value of the cookie. */
  readonly credential: string;
}

/** The tenant of all seeded records. */
export const TENANT_ID = 'acme';
const SEEDED_AT_ONCE = 64;
const TTL_MS = 900_000;
const WINDOW_MS = 24 * 3600_000;

/** Creates sessions, each with its own account, in the database of a running service. */
export async function seedSessions(database: Database, count: number): Promise<Session[]> {
  const encryption = createKeyEncryption(KEY_ENCRYPTION_KEY);
  const clock = Date.now;
  const keys = await createSigningKeys({
    database,
    encryption,
    chain: 'ACCESS',
    algorithm: 'ES256',
    longestTokenMs: TTL_MS,
    clock,
    log: pino({ level: 'silent' }),
  });
  const macKey = await loadSecretKey({ database, encryption, name: 'refresh-credential-tag', clock });
  const tokens = createAccessTokens({ keys, issuer: APP_NAME, audience: APP_NAME, clientId: APP_NAME, clock });
  const credentials = createOpaqueRefreshTokens(macKey);
  const sessions = createSessionStore(database);
  if (!(await tenantExists(database, TENANT_ID))) {
    await insertTenant(database, { id: TENANT_ID, name: 'Acme Flowers', status: 'ACTIVE', createdAt: clock() });
  }

  const open = async (): Promise<Session> => {
    const account = accountOf(newId(), clock());
    await insertAccount(database, account, undefined);
    const { id: accountId, email, tenantId, rights } = account;
    const id = newId();
    const now = clock();
    const authentication = { authenticatedAt: now, methods: BY_PASSWORD };
    const subject = { accountId, email, tenantId, roles: rights.prefixedRoles, sessionId: id, authentication };
    const access = await tokens.sign(subject, TTL_MS);
    const credential = credentials.issue(1);
    const session = {
      ...credential,
      id,
      tenantId,
      accountId,
      transport: 'COOKIE' as const,
      rotationBatch: undefined,
      origin: undefined,
      rememberMe: true,
      createdAt: now,
      refreshedAt: now,
      expiresAt: now + WINDOW_MS,
      absoluteExpiresAt: undefined,
      accessExpiresAt: access.expiresAt,
      revokedAt: undefined,
      authTime: now,
      methods: BY_PASSWORD,
    };
    await sessions.insert(database, session, { address: '127.0.0.1' }, UNLIMITED);
    return { accountId, accessToken: access.token, credential: credential.value };
  };
  const opened: Session[] = [];
  while (opened.length < count) {
    // Few at once, because more would wait too long for a connection.
    const some = Array.from({ length: Math.min(SEEDED_AT_ONCE, count - opened.length) }, open);
    opened.push(...(await Promise.all(some)));
  }
  return opened;
}

/** A user of the tenant. */
export function accountOf(id: string, now: number): Account {
  return {
    id,
    tenantId: TENANT_ID,
    username: `${id}@acme.test`,
    name: 'Alice Adams',
    email: 'alice@acme.test',
    interactive: true,
    roles: ['MANAGER'],
    disabled: false,
    resourceServer: false,
    accountExpiresAt: undefined,
    credentialsExpireAt: undefined,
    loginFailedCount: 0,
    lockedUntil: undefined,
    ...NO_FACTORS,
    createdAt: now,
    rights: builtInRights({ roles: ['MANAGER'], tenantId: TENANT_ID }),
  };
}

const PRODUCTS = 300;

/** Inserts products into the tenant of the sessions. */
export async function seedProducts(database: Database): Promise<void> {
  await database.transaction(UNLIMITED, async (tx) => {
    const now = Date.now();
    for (let index = 0; index < PRODUCTS; index += 1) {
      await PRODUCT_ROWS.insert(tx, {
        id: newId(),
        tenantId: TENANT_ID,
        sku: `SKU-${String(index).padStart(5, '0')}`,
        name: `Bouquet ${index}`,
        description: 'Roses, peonies and eucalyptus, tied by hand.',
        category: 'bouquets',
        price: 1999 + index,
        currency: 'EUR',
        stock: index,
        reorderLevel: 5,
        status: 'ACTIVE',
        createdAt: now + index,
        updatedAt: now + index,
        version: 1,
      });
    }
    await changeCounts(tx, TENANT_ID, 'products', [{ status: 'ACTIVE', by: PRODUCTS }]);
  });
}

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
      await insertClientSecret(tx, { tenantId: account.tenantId, ownerId: account.id, secret, createdAt: now });
      clients.push({ id: account.username, secret });
    }
  });
  return clients;
}
