// Sessions without a login, created by calling the core's modules with the deployment's keys.
import { pino } from 'pino';
import { UNLIMITED } from '../../src/platform/clock.ts';
import { newId } from '../../src/platform/db/ids.ts';
import type { Database } from '../../src/platform/db/types.ts';
import type { Account } from '../../src/auth/access/account.ts';
import { BY_PASSWORD } from '../../src/auth/access/authentication.ts';
import { createTransportPolicies } from '../../src/auth/session/transport/create-transport-policies.ts';
import { createRotationStore } from '../../src/auth/session/rotation/rotation-store.ts';
import { slidingExpiry } from '../../src/auth/session/session.ts';
import type { TransportPolicies } from '../../src/auth/session/transport/transport-policy.ts';
import type { CallOptions } from '../../src/platform/rpc/types.ts';
import { createSessionStore } from '../../src/auth/session/session-store.ts';
import { createAccessTokens } from '../../src/auth/token/access-token.ts';
import { createKeyEncryption } from '../../src/auth/keys/key-encryption.ts';
import { createSigningKeys } from '../../src/auth/keys/signing-keys.ts';
import { type Deployment } from './deployment.ts';
import { TEST_KEY_ENCRYPTION_KEY } from './key-encryption-key.ts';

interface Opened {
  readonly id: string;
  readonly accessToken: string;
  /** The refresh token of the client. */
  readonly credential: string;
}

export interface SeededSession extends Opened {
  /** The refresh cookie in the format of a Cookie header. */
  readonly cookie: string;
}

export interface SeededTokens extends Opened {
  readonly refreshToken: string;
}

type Seeding = Pick<Deployment, 'database' | 'clock'>;

const COOKIE = 'MY_SHOP_REFRESH';
const HOUR_MS = 3600_000;
const POLICY = {
  cookie: { name: COOKIE, perOrigin: false },
  rotationMode: 'strict',
  accessTokenTtlMs: 900_000,
  idleWindowMs: 30 * 24 * HOUR_MS,
  browserIdleWindowMs: 24 * HOUR_MS,
  absoluteLifetimeMs: undefined,
} as const;

/** Creates the stores of sessions and of their rotations. */
export function createSessionStores(database: Database) {
  const sessions = createSessionStore(database);
  return { ...sessions, ...createRotationStore(database, sessions) };
}

/**
 * Creates the session of a login with Profile A without rememberMe, at a thousandth of a password hash's cost.
 *
 * @param ageMs The time since its user was authenticated, although the access token is new.
 */
export async function seedSession(deployment: Seeding, account: Account, ageMs = 0): Promise<SeededSession> {
  const opened = await open(deployment, account, 'REFRESH_TOKEN_TRANSPORT_COOKIE', ageMs);
  return { ...opened, cookie: `${COOKIE}=${opened.credential}` };
}

/** Returns options for calls as an account, with a new session. */
export async function signIn(deployment: Seeding, account: Account, ageMs = 0): Promise<CallOptions> {
  return authorizedBy(await seedSession(deployment, account, ageMs));
}

/** Returns options for calls with the access token of a session. */
export function authorizedBy({ accessToken }: Pick<SeededSession, 'accessToken'>): CallOptions {
  return { authorization: [`Bearer ${accessToken}`] };
}

/** Creates the session of a login with Profile B. */
export async function seedTokens(deployment: Seeding, account: Account): Promise<SeededTokens> {
  const opened = await open(deployment, account, 'REFRESH_TOKEN_TRANSPORT_BODY');
  return { ...opened, refreshToken: opened.credential };
}

async function open(deployment: Seeding, account: Account, name: keyof TransportPolicies, ageMs = 0): Promise<Opened> {
  const { database, clock } = deployment;
  const { tokens, transports } = await partsOf(deployment);
  const transport = transports[name];
  const now = clock.now();
  const id = newId();
  const { tenantId } = account;
  const email = transport.emailOf(account);
  const authentication = { authenticatedAt: now - ageMs, methods: BY_PASSWORD };
  const roles = account.rights.prefixedRoles;
  const subject = { accountId: account.id, email, tenantId, roles, sessionId: id, authentication };
  const access = await tokens.sign(subject, transport.accessTokenTtlMs);
  const absoluteExpiresAt = transport.absoluteLifetimeMs === undefined ? undefined : now + transport.absoluteLifetimeMs;
  const expiresAt = slidingExpiry(now, transport.idleWindowMs(false), absoluteExpiresAt);
  const credential = await transport.issue({ id, expiresAt }, 1);
  const session = {
    ...credential,
    id,
    tenantId,
    accountId: account.id,
    transport: transport.stored,
    rotationBatch: undefined,
    origin: undefined,
    rememberMe: false,
    createdAt: now,
    refreshedAt: now,
    expiresAt,
    absoluteExpiresAt,
    accessExpiresAt: access.expiresAt,
    revokedAt: undefined,
    authTime: now - ageMs,
    methods: BY_PASSWORD,
  };
  await createSessionStore(database).insert(database, session, { address: '127.0.0.1' }, UNLIMITED);
  return { id, accessToken: access.token, credential: credential.value };
}

const opened = new WeakMap<object, ReturnType<typeof openParts>>();

function partsOf(deployment: Seeding) {
  const parts = opened.get(deployment.database) ?? openParts(deployment);
  opened.set(deployment.database, parts);
  return parts;
}

async function openParts({ database, clock }: Seeding) {
  const encryption = createKeyEncryption(TEST_KEY_ENCRYPTION_KEY);
  const keys = await createSigningKeys({
    database,
    encryption,
    chain: 'ACCESS',
    algorithm: 'ES256',
    longestTokenMs: POLICY.accessTokenTtlMs,
    clock: clock.now,
    log: pino({ level: 'silent' }),
  });
  return {
    tokens: createAccessTokens({ keys, issuer: 'my-shop', audience: 'my-shop', clientId: 'my-shop', clock: clock.now }),
    transports: await createTransportPolicies({
      database,
      encryption,
      clock: clock.now,
      policy: POLICY,
      issuer: 'my-shop',
    }),
  };
}
