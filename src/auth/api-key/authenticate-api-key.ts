// The check of API keys: format, lookup, expiry, account, tenant, in this order. Refusals are recorded in the audit
// log. Every call looks up the key, so a revocation takes effect at once.
import type { AuditContext, AuditLog } from '../audit/trail/audit-log.ts';
import type { Clock } from '../../platform/clock.ts';
import type { RunRefusable } from '../../platform/concurrency/pace-failures.ts';
import { ServiceError } from '../../platform/errors.ts';
import type { AuthenticateApiKey } from '../identity/authentication/authenticate-credentials.ts';
import { isPast } from '../identity/authentication/eligibility.ts';
import type { Principal } from '../access/principal.ts';
import { principalOf } from '../identity/authentication/principal-of.ts';
import type { ApiKeyAddress, ApiKeyStanding, ApiKeyStore } from './api-key-store.ts';
import { apiKeyHash as hashOfApiKey } from './key-format.ts';

export function createApiKeyCheck(options: {
  readonly keys: Pick<ApiKeyStore, 'findByHash'>;
  readonly audit: Pick<AuditLog, 'refuse'>;
  readonly clock: Clock;
  /** Runs a check whose refusals must not reveal if a key existed. */
  readonly runRefusable: RunRefusable;
  /** Whether service accounts must belong to a tenant. */
  readonly tenantRequired: boolean;
  /** Called for every successful use of a key. */
  readonly used: (id: string, key: ApiKeyAddress) => void;
}): AuthenticateApiKey {
  const { keys, audit, clock, runRefusable, tenantRequired, used } = options;

  return async (text, context) => {
    const apiKeyHash = hashOfApiKey(text)?.toString('hex');
    if (apiKeyHash === undefined) return refuse(invalid('the text is not an API key'), undefined, context);
    return runRefusable(() => check(apiKeyHash, context));
  };

  async function check(apiKeyHash: string, context: AuditContext): Promise<Principal> {
    const key = await keys.findByHash(apiKeyHash);
    const refusal = keyRefusal(key, clock());
    if (!key || refusal) return refuse(invalid(refusal), key, context);
    try {
      const facts = { sessionId: undefined, revocationId: undefined, apiKeyHash, expiresAt: key.expiresAt };
      const principal = principalOf(key.owner, facts, clock(), tenantRequired);
      used(key.id, key);
      return principal;
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      return refuse(error, key, context);
    }
  }

  function refuse(error: ServiceError, key: ApiKeyStanding | undefined, context: AuditContext): never {
    const details = { reason: error.message, ...(key && { keyId: key.id }) };
    const owner = { tenantId: key?.tenantId, accountId: key?.accountId };
    audit.refuse(context, { event: 'api-key.refused', ...owner, details });
    throw error;
  }
}

function keyRefusal(key: ApiKeyStanding | undefined, now: number): string | undefined {
  if (!key) return 'the API key is unknown';
  if (key.revokedAt !== undefined) return 'the API key is revoked';
  return isPast(key.expiresAt, now) ? 'the API key has expired' : undefined;
}

function invalid(detail: string | undefined): ServiceError {
  return new ServiceError('TOKEN_INVALID', detail === undefined ? {} : { detail });
}
