import type { Clock } from '../../../platform/clock.ts';
import type { Database } from '../../../platform/db/types.ts';
import type { KeyEncryption } from '../../keys/key-encryption.ts';
import { createSecretJwts } from '../../token/secret-jwt.ts';
import { loadSecretKey } from '../../keys/secret-key.ts';
import { createCookieTransport, createOpaqueRefreshTokens, type CookiePolicy } from './cookie-transport.ts';
import { createBodyTransport, REFRESH_TOKEN_TYPE } from './body-transport.ts';
import type { TransportPolicies } from './transport-policy.ts';

/** Creates both transports. Each has its own secret key, kept in the database and shared by the deployment. */
export async function createTransportPolicies(options: {
  readonly database: Database;
  readonly encryption: KeyEncryption;
  readonly clock: Clock;
  readonly policy: CookiePolicy;
  readonly issuer: string;
  readonly otherIssuers?: readonly string[];
}): Promise<TransportPolicies> {
  const { policy, issuer, otherIssuers = [], ...store } = options;
  const [macKey, tokenKey] = await Promise.all([
    loadSecretKey({ ...store, name: 'refresh-credential-tag' }),
    loadSecretKey({ ...store, name: 'refresh-token' }),
  ]);
  return {
    REFRESH_TOKEN_TRANSPORT_COOKIE: createCookieTransport(policy, createOpaqueRefreshTokens(macKey)),
    REFRESH_TOKEN_TRANSPORT_BODY: createBodyTransport(
      await createSecretJwts({ key: tokenKey, type: REFRESH_TOKEN_TYPE, issuer, otherIssuers }),
    ),
  };
}
