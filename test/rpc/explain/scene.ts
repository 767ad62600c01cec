// Credentials of every kind, how each is used, and what can be done to what stands behind them.
import type { ExplainCredentialRequest } from '../../../proto/gen/authservice/identity/v1/identity_service.ts';
import { RefreshTokenTransport } from '../../../proto/gen/authservice/session/v1/session_service.ts';
import { idToBytes } from '../../../src/platform/db/ids.ts';
import type { Account } from '../../../src/auth/access/account.ts';
import { PASSWORD, type Seed } from '../../support/accounts.ts';
import { tokenForge, type TokenForge } from '../../support/forged-tokens.ts';
import { seedSession, seedTokens } from '../../support/sessions.ts';
import { insertApiKey } from '../../rest/api-key/api-keys.ts';
import { addSecret } from '../../rest/m2m/clients.ts';
import { type World } from '../../support/world.ts';
import { outcomeOf } from '../../support/rpc-outcomes.ts';
import { seedCode, seedGrant, useCode, useRefreshToken } from './granted.ts';

export type Credential = NonNullable<ExplainCredentialRequest['credential']>;
export type CredentialCase = Credential['$case'];

/** A credential of an account, as it was when it was handed out. */
export interface Handed {
  readonly account: Account;
  readonly value: string;
  /** What is presented beside it: a password or a client secret. */
  readonly secret: string;
  /** Of the session behind it, where there is one. */
  readonly sessionId: string;
  /** Makes further tokens of that session. */
  forge(): Promise<TokenForge>;
}

/** Hands a fresh credential out to an account made for it. */
type HandOut = (world: World, seed: Seed) => Promise<Handed>;

const DAY_MS = 24 * 3600_000;

interface Particulars {
  readonly secret?: string;
  readonly sessionId?: string;
}

function handed(world: World, account: Account, value: string, { secret = '', sessionId = '' }: Particulars): Handed {
  return { account, value, secret, sessionId, forge: () => tokenForge(world.deployment, account, sessionId) };
}

export const HAND_OUT: Readonly<Record<CredentialCase, HandOut>> = {
  async bearerToken(world, seed) {
    const { account, session } = await world.actor(seed);
    return handed(world, account, session.accessToken, { sessionId: session.id });
  },
  async refreshCookie(world, seed) {
    const account = await world.seed(seed);
    const { credential, id } = await seedSession(world.deployment, account);
    return handed(world, account, credential, { sessionId: id });
  },
  async refreshToken(world, seed) {
    const account = await world.seed(seed);
    const { refreshToken, id } = await seedTokens(world.deployment, account);
    return handed(world, account, refreshToken, { sessionId: id });
  },
  async apiKey(world, seed) {
    const account = await world.seed({ interactive: false, ...seed });
    return handed(world, account, await insertApiKey(world.deployment.database, account), {});
  },
  async clientId(world, seed) {
    const account = await world.seed({ interactive: false, ...seed });
    const secret = await addSecret(world.deployment.database, account);
    return handed(world, account, account.username, { secret });
  },
  async username(world, seed) {
    const account = await world.seed(seed);
    return handed(world, account, account.username, { secret: PASSWORD });
  },
  async authorizationCode(world, seed) {
    const account = await world.seed(seed);
    const { code, sessionId } = await seedCode(world.deployment, account);
    return handed(world, account, code, { sessionId });
  },
  async applicationRefreshToken(world, seed) {
    const account = await world.seed(seed);
    const { refreshToken, sessionId } = await seedGrant(world.deployment, account);
    return handed(world, account, refreshToken, { sessionId });
  },
};

/** A Profile B refresh token that was handed out eight days ago, and so ended a day ago. */
export async function oldRefreshToken(world: World): Promise<Handed> {
  const { database, clock } = world.deployment;
  const account = await world.seed();
  const earlier = { now: () => clock.now() - 8 * DAY_MS, advance: () => {} };
  const { refreshToken, id } = await seedTokens({ database, clock: earlier }, account);
  return handed(world, account, refreshToken, { sessionId: id });
}

type Use = (world: World, value: string, secret: string) => Promise<string>;

/** Uses a credential for what it is there for: `OK`, or the reason of the refusal. */
export const USE: Readonly<Record<CredentialCase, Use>> = {
  bearerToken: ({ clients }, value) => outcomeOf(clients.identity.getMe({}, { authorization: [`Bearer ${value}`] })),
  refreshCookie: (world, value) => refresh(world, value, RefreshTokenTransport.REFRESH_TOKEN_TRANSPORT_COOKIE),
  refreshToken: (world, value) => refresh(world, value, RefreshTokenTransport.REFRESH_TOKEN_TRANSPORT_BODY),
  apiKey: ({ clients }, value) => outcomeOf(clients.identity.getMe({}, { apiKey: [value] })),
  clientId: ({ clients }, clientId, clientSecret) =>
    outcomeOf(clients.clientCredentials.issueToken({ grantType: 'client_credentials', clientId, clientSecret })),
  username: ({ clients }, username, password) =>
    outcomeOf(
      clients.session.login({
        username,
        password,
        rememberMe: false,
        refreshTokenTransport: RefreshTokenTransport.REFRESH_TOKEN_TRANSPORT_COOKIE,
      }),
    ),
  authorizationCode: useCode,
  applicationRefreshToken: useRefreshToken,
};

export function refresh(
  { clients }: World,
  value: string,
  refreshTokenTransport: RefreshTokenTransport,
): Promise<string> {
  return outcomeOf(clients.session.refresh({ refreshTokens: [value], origin: 0, refreshTokenTransport }));
}

/** Sets columns of the rows of one account or session. */
export async function set(
  { deployment }: World,
  table: string,
  key: 'id' | 'account_id',
  id: string,
  columns: Readonly<Record<string, string | number | Buffer | null>>,
): Promise<void> {
  const names = Object.keys(columns).map((name) => `${name} = ?`);
  await deployment.database.execute(`UPDATE ${table} SET ${names.join(', ')} WHERE ${key} = ?`, [
    ...Object.values(columns),
    idToBytes(id),
  ]);
}

export async function remove(
  { deployment }: World,
  table: string,
  key: 'id' | 'account_id',
  id: string,
): Promise<void> {
  await deployment.database.execute(`DELETE FROM ${table} WHERE ${key} = ?`, [idToBytes(id)]);
}
