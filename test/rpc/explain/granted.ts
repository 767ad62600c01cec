// Codes and grants of applications, without a browser, and how their application uses them.
import { createHash } from 'node:crypto';
import { webApplication } from '../../support/oauth/applications.ts';
import { newId } from '../../../src/platform/db/ids.ts';
import { UNLIMITED } from '../../../src/platform/clock.ts';
import type { Account } from '../../../src/auth/access/account.ts';
import { BY_PASSWORD } from '../../../src/auth/access/authentication.ts';
import { createKeyEncryption } from '../../../src/auth/keys/key-encryption.ts';
import { loadSecretKey } from '../../../src/auth/keys/secret-key.ts';
import { insertApplication } from '../../../src/auth/oauth/applications/application-store.ts';
import {
  CODE_LIFETIME_MS,
  insertCode,
  newCode,
  type AuthorizationCode,
} from '../../../src/auth/oauth/codes/code-store.ts';
import { createGrantStore, type Grant } from '../../../src/auth/oauth/grants/grant-store.ts';
import { createRefreshTokens, newSelector } from '../../../src/auth/oauth/grants/refresh-token.ts';
import type { Deployment } from '../../support/deployment.ts';
import { TEST_KEY_ENCRYPTION_KEY } from '../../support/key-encryption-key.ts';
import { outcomeOf } from '../../support/rpc-outcomes.ts';
import { seedSession } from '../../support/sessions.ts';
import type { World } from '../../support/world.ts';

type Caller = Pick<World, 'deployment'> & { readonly clients: Pick<World['clients'], 'authorization'> };

const LIFETIME_MS = 3600_000;
const REDIRECT_URI = 'https://app.example.com/callback';

/** Creates a session of an account, and a public application for all tenants. Returns what a code and its grant have alike. */
async function seedGranted({ database, clock }: Deployment, account: Account) {
  const application = { ...webApplication({ tenantId: undefined, type: 'SPA' }), clientId: newId() };
  await insertApplication(database, application);
  const { id: sessionId } = await seedSession({ database, clock }, account);
  const now = clock.now();
  return {
    now,
    sessionId,
    granted: {
      tenantId: account.tenantId,
      accountId: account.id,
      applicationTenant: undefined,
      applicationId: application.id,
      sessionId,
      scopes: ['openid', 'profile'],
      resource: undefined,
      authenticatedAt: now,
      methods: BY_PASSWORD,
      network: '127.0.0.1',
      userAgent: undefined,
      createdAt: now,
    } as const,
  };
}

export async function seedCode(deployment: Deployment, account: Account) {
  const { now, sessionId, granted } = await seedGranted(deployment, account);
  const { text, hash } = newCode();
  const code: AuthorizationCode = {
    ...granted,
    hash,
    grantId: newId(),
    consentId: undefined,
    redirectUri: REDIRECT_URI,
    challenge: undefined,
    nonce: undefined,
    expiresAt: now + CODE_LIFETIME_MS,
    keptUntil: now + CODE_LIFETIME_MS,
    usedAt: undefined,
  };
  await insertCode(deployment.database, deployment.database, code, UNLIMITED);
  return { code: text, sessionId };
}

/** @param fields Columns that differ from those of a new grant of the session. */
export async function seedGrant(deployment: Deployment, account: Account, fields: Partial<Grant> = {}) {
  const { database, clock } = deployment;
  const { now, sessionId, granted } = await seedGranted(deployment, account);
  const grant: Grant = {
    ...granted,
    id: newId(),
    offline: false,
    selector: newSelector(),
    generation: 1,
    rotatedAt: undefined,
    stepScopes: granted.scopes,
    previousStepScopes: granted.scopes,
    lastUsedAt: now,
    idleExpiresAt: now + LIFETIME_MS,
    accessExpiresAt: now + LIFETIME_MS,
    revokedAt: undefined,
    ...fields,
  };
  await createGrantStore(database).insert(database, grant, UNLIMITED);
  const encryption = createKeyEncryption(TEST_KEY_ENCRYPTION_KEY);
  const key = await loadSecretKey({ database, clock: clock.now, encryption, name: 'grant-refresh-token' });
  return { refreshToken: createRefreshTokens(key).issue(grant), grant, sessionId };
}

/** The client id of the application that has a code or a refresh token; another text if it is unknown. */
async function clientIdOf({ deployment }: Caller, table: string, column: string, value: Buffer): Promise<string> {
  const [row] = await deployment.database.query<{ client_id: string }>(
    `SELECT CAST(p.client_id AS CHAR) AS client_id FROM ${table} g JOIN applications p ON p.id = g.application_id
      WHERE g.${column} = ?`,
    [value],
  );
  return row?.client_id ?? 'an unknown application';
}

/** Exchanges a code: `OK`, or the reason of the refusal. */
export async function useCode(world: Caller, code: string): Promise<string> {
  const clientId = await clientIdOf(world, 'authorization_codes', 'id', createHash('sha256').update(code).digest());
  const request = { grantType: 'authorization_code', code, clientId, redirectUri: REDIRECT_URI };
  return outcomeOf(world.clients.authorization.exchangeToken(request));
}

/** Refreshes a grant, as `useCode`. */
export async function useRefreshToken(world: Caller, refreshToken: string): Promise<string> {
  const clientId = await clientIdOf(world, 'grants', 'selector', Buffer.from(refreshToken.slice(0, 22), 'base64url'));
  return outcomeOf(world.clients.authorization.exchangeToken({ grantType: 'refresh_token', refreshToken, clientId }));
}
