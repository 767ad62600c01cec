// The one check of API keys: format, look-up, expiry, account, tenant, in that order. Looked up at every call, so that a
// revocation works at once.
import type { Clock } from '../clock.ts';
import type { BatchLoader } from '../db/batch-loader.ts';
import { ServiceError } from '../errors.ts';
import type { AuthenticateApiKey } from '../identity/authenticate-credentials.ts';
import { isPast, type AccountStanding } from '../identity/eligibility.ts';
import { principalOf } from '../identity/principal-of.ts';
import type { ApiKeyAddress, ApiKeyStanding, ApiKeyStore } from './api-key-store.ts';
import { apiKeyHash } from './key-format.ts';

export function createApiKeyCheck(options: {
  readonly keys: Pick<ApiKeyStore, 'findByHash'>;
  readonly accounts: { readonly findById: BatchLoader<AccountStanding> };
  readonly clock: Clock;
  /** Told of every use of a key that was good. */
  readonly used: (id: string, key: ApiKeyAddress) => void;
}): AuthenticateApiKey {
  const { keys, accounts, clock, used } = options;

  return async (text) => {
    const hash = apiKeyHash(text);
    if (!hash) throw invalid('the text is no API key');
    const key = await keys.findByHash(hash.toString('hex'));
    const refusal = keyRefusal(key, clock());
    if (!key || refusal) throw invalid(refusal);
    const standing = await accounts.findById(key.accountId);
    if (standing?.account.interactive) throw invalid('only a service account may hold API keys');
    const facts = { sessionId: undefined, revocationId: undefined, expiresAt: key.expiresAt };
    const principal = principalOf(standing, facts, clock());
    used(key.id, key);
    return principal;
  };
}

function keyRefusal(key: ApiKeyStanding | undefined, now: number): string | undefined {
  if (!key) return 'nobody was given this API key';
  if (key.revokedAt !== undefined) return 'the API key is revoked';
  return isPast(key.expiresAt, now) ? 'the API key has expired' : undefined;
}

function invalid(detail: string | undefined): ServiceError {
  return new ServiceError('TOKEN_INVALID', detail === undefined ? {} : { detail });
}
