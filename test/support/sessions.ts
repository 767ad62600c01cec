// Sessions made without a password, through the core's own parts and the deployment's own keys.
import { UNLIMITED } from '../../src/clock.ts';
import { newId } from '../../src/db/ids.ts';
import { prefixedRoles, type Account } from '../../src/identity/account.ts';
import { createRefreshCredentials } from '../../src/session/refresh-credential.ts';
import { createSessionStore } from '../../src/session/session-store.ts';
import { createAccessTokens } from '../../src/token/access-token.ts';
import { createKeyEncryption } from '../../src/token/key-encryption.ts';
import { openSecretKey } from '../../src/token/secret-key.ts';
import { openSigningKeys } from '../../src/token/signing-keys.ts';
import { TEST_KEY_ENCRYPTION_KEY, type Deployment } from './deployment.ts';

export interface SeededSession {
  readonly id: string;
  readonly accessToken: string;
  /** As a Cookie header carries it. */
  readonly cookie: string;
}

const COOKIE = 'MY_SHOP_REFRESH';
const TTL_MS = 900_000;
const WINDOW_MS = 24 * 3600_000;

/** A session as a login without rememberMe leaves it, at a thousandth of a password hash's cost. */
export async function seedSession(
  deployment: Pick<Deployment, 'database' | 'clock'>,
  account: Account,
): Promise<SeededSession> {
  const { database, clock } = deployment;
  const { tokens, credentials } = await partsOf(deployment);
  const now = clock.now();
  const id = newId();
  const { email, tenantId } = account;
  const subject = { accountId: account.id, email, tenantId, roles: prefixedRoles(account.roles), sessionId: id };
  const access = await tokens.sign(subject, TTL_MS);
  const credential = credentials.issue(1);
  const family = {
    ...credential,
    id,
    tenantId,
    accountId: account.id,
    rememberMe: false,
    createdAt: now,
    expiresAt: now + WINDOW_MS,
    absoluteExpiresAt: undefined,
    accessExpiresAt: access.expiresAt,
    revokedAt: undefined,
  };
  await createSessionStore(database).insert(database, family, '127.0.0.1', UNLIMITED);
  return { id, accessToken: access.token, cookie: `${COOKIE}=${credential.value}` };
}

const opened = new WeakMap<object, ReturnType<typeof openParts>>();

function partsOf(deployment: Pick<Deployment, 'database' | 'clock'>) {
  const parts = opened.get(deployment.database) ?? openParts(deployment);
  opened.set(deployment.database, parts);
  return parts;
}

async function openParts({ database, clock }: Pick<Deployment, 'database' | 'clock'>) {
  const encryption = createKeyEncryption(TEST_KEY_ENCRYPTION_KEY);
  const keys = await openSigningKeys({ database, encryption, algorithm: 'ES256', clock: clock.now });
  const tagKey = await openSecretKey({ database, encryption, name: 'refresh-credential-tag', clock: clock.now });
  return {
    tokens: createAccessTokens({ keys, issuer: 'my-shop', audience: 'my-shop', clock: clock.now }),
    credentials: createRefreshCredentials(tagKey),
  };
}
