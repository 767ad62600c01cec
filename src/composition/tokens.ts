import { dirname, join } from 'node:path';
import type { Settings } from '../platform/config/settings.ts';
import { parseDatabaseUrl } from '../platform/db/database-url.ts';
import { createTransportPolicies } from '../auth/session/transport/create-transport-policies.ts';
import type { TransportPolicies } from '../auth/session/transport/transport-policy.ts';
import { createAccessTokens, type AccessTokens } from '../auth/token/access-token.ts';
import { BLACKLIST_CLEANUP, createBlacklist, type Blacklist } from '../auth/token/blacklist.ts';
import { createKeyEncryption, developmentKeyFile, type KeyEncryption } from '../auth/keys/key-encryption.ts';
import { createIdTokens, ID_TOKEN_LIFETIME_MS, type IdTokenAlgorithm, type IdTokens } from '../auth/keys/id-tokens.ts';
import { SIGNING_KEYS_CLEANUPS } from '../auth/keys/key-store.ts';
import { reencryptKeys } from '../auth/keys/secret-key.ts';
import type { KeyChains } from '../auth/keys/service.ts';
import { createSigningKeys, type SigningKeys } from '../auth/keys/signing-keys.ts';
import type { Passkeys } from '../auth/factors/passkeys/passkeys.ts';
import type { TotpSecrets } from '../auth/factors/totp-secrets.ts';
import { createConfiguredPasskeys, createConfiguredTotpSecrets } from './factors.ts';
import { backgroundOf } from '../platform/jobs/background.ts';
import { intervalJob, NOTHING } from '../platform/jobs/interval-job.ts';
import type { Foundation, Part } from './foundation.ts';
import { longestTokenMs } from './revocations.ts';

export interface Tokens extends Part {
  readonly transports: TransportPolicies;
  /** The keys of access tokens. */
  readonly keys: SigningKeys;
  /** Those that are published: without the keys of ID tokens if the OpenID provider is off. */
  readonly chains: KeyChains;
  readonly tokens: AccessTokens;
  readonly idTokens: IdTokens;
  readonly blacklist: Blacklist;
  readonly passkeys: Passkeys;
  /** Encrypts what is stored with the key-encryption key. */
  readonly encryption: KeyEncryption;
  readonly totpSecrets: TotpSecrets;
}

/** Creates access tokens, refresh tokens and their keys. The keys are read from the database or created. */
export async function createTokens(foundation: Foundation): Promise<Tokens> {
  const { settings, database, clock, log } = foundation;
  const encryption = createConfiguredKeyEncryption(settings);
  const issuers = tokenIssuers(settings);
  await reencryptKeys({ database, encryption, log });
  const policy = {
    cookie: refreshCookie(settings),
    rotationMode: settings['app.security.refresh-session.rotation-mode'],
    accessTokenTtlMs: settings['app.security.access-token-ttl'],
    idleWindowMs: settings['app.security.refresh-session.idle-window'],
    browserIdleWindowMs: settings['app.security.refresh-session.browser-idle-window'],
    absoluteLifetimeMs: settings['app.security.refresh-session.absolute-lifetime'],
  };
  const transports = await createTransportPolicies({ database, encryption, clock, policy, ...issuers });
  const { ACCESS: keys, ID: idKeys } = await createKeyChains(foundation, encryption);
  const audience = settings['app.security.jwt.audience'];
  const clientId = settings['app.security.jwt.client-id'];
  const withEmailVerified = settings['app.security.jwt.email-verified'];
  return {
    transports,
    keys,
    chains: { ACCESS: keys, ID: settings['app.oauth.enabled'] ? idKeys : undefined },
    tokens: createAccessTokens({ keys, clock, ...issuers, audience, clientId, withEmailVerified }),
    idTokens: createIdTokens({ idKeys, accessKeys: keys, ...issuers }),
    blacklist: createBlacklist(database, foundation.revocations),
    passkeys: await createConfiguredPasskeys(foundation, encryption),
    encryption,
    totpSecrets: await createConfiguredTotpSecrets(foundation, encryption),
    cleanupTargets: [BLACKLIST_CLEANUP, ...SIGNING_KEYS_CLEANUPS],
    jobs: [createKeyWatch(foundation, [keys, idKeys])],
  };
}

const WATCH_INTERVAL_MS = 1_000;

/** Creates the job with which this process notices keys that another one has added or revoked. */
function createKeyWatch({ database, clock }: Foundation, chains: readonly SigningKeys[]) {
  return intervalJob({
    name: 'signing-keys',
    database: backgroundOf(database),
    clock,
    intervalMs: WATCH_INTERVAL_MS,
    async begin(): Promise<true | undefined> {
      for (const keys of chains) await keys.noticeChanges();
      return undefined;
    },
    batch: async () => NOTHING,
    failure: 'changes of signing keys could not be noticed, the next interval tries again',
  });
}

/** Reads the keys of each chain, or creates the first ones. */
async function createKeyChains(foundation: Foundation, encryption: KeyEncryption) {
  const { settings, database, clock, log } = foundation;
  const [ACCESS, ID] = await Promise.all([
    createSigningKeys({
      database,
      encryption,
      clock,
      log,
      chain: 'ACCESS',
      algorithm: settings['app.security.jwt.algorithm'],
      longestTokenMs: longestTokenMs(settings),
    }),
    createSigningKeys({
      database,
      encryption,
      clock,
      log,
      chain: 'ID',
      algorithm: 'RS256',
      longestTokenMs: ID_TOKEN_LIFETIME_MS,
    }),
  ]);
  return { ACCESS, ID };
}

/** Returns the algorithms that ID tokens can have; none if the OpenID provider is off. */
export function idTokenAlgorithms(settings: Settings): readonly IdTokenAlgorithm[] {
  if (!settings['app.oauth.enabled']) return [];
  return settings['app.security.jwt.algorithm'] === 'ES256' ? ['RS256', 'ES256'] : ['RS256'];
}

/**
 * Returns the issuer of new tokens and the other issuers that stay valid. `app.name` is the issuer without a public URL. Both
 * are accepted in addition to a configured issuer, so that a change of the settings ends no session, and processes with the old
 * and the new settings can run at the same time.
 */
function tokenIssuers(settings: Settings) {
  const others = [settings['app.name'], settings['app.public-url']].filter((name) => name !== undefined);
  return { issuer: settings['app.security.jwt.issuer'], otherIssuers: others };
}

/** Returns the settings of the refresh cookie. */
export function refreshCookie(settings: Settings) {
  return {
    name: settings['app.security.refresh-session.cookie-name'],
    perOrigin: settings['app.security.refresh-session.cookie-per-origin'],
  };
}

/** Creates the encryption of stored keys. Its key comes from the settings. In DEV and TEST, it can come from a key file. */
export function createConfiguredKeyEncryption(settings: Settings): KeyEncryption {
  const configured = settings['app.security.key-encryption-key'];
  const key = configured ?? developmentKeyFile(join(dataDirectory(settings), 'key-encryption-key'));
  return createKeyEncryption(key, settings['app.security.key-encryption-other-keys']);
}

function dataDirectory(settings: Settings): string {
  const url = parseDatabaseUrl(settings['app.database.url']);
  return url.engine === 'sqlite' && url.filename !== ':memory:' ? dirname(url.filename) : 'data';
}
