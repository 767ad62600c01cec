import type { Clock } from '../../platform/clock.ts';
import {
  fail,
  checkOf,
  pass,
  explainAccount,
  type Explain,
  type FindAccount,
} from '../identity/explain/credential-check.ts';
import { findIneligibility, isPast } from '../identity/authentication/eligibility.ts';
import type { ApiKeyStore } from './api-key-store.ts';
import { apiKeyHash } from './key-format.ts';

/** Explains API keys by the checks of authenticate-api-key.ts. */
export function createExplainApiKey(options: {
  readonly keys: Pick<ApiKeyStore, 'findInScope'>;
  readonly accounts: { readonly find: FindAccount };
  readonly clock: Clock;
  /** Whether service accounts must belong to a tenant. */
  readonly tenantRequired: boolean;
  /** Whether the deployment accepts API keys. */
  readonly enabled: boolean;
}): Explain {
  const { keys, accounts, clock, tenantRequired, enabled } = options;
  const off = enabled ? undefined : 'app.security.api-key.enabled is false: API keys are ignored';
  const deployment = checkOf('DEPLOYMENT', off, 'this deployment accepts API keys');

  return async (text, scope) => {
    const hash = apiKeyHash(text);
    if (!hash)
      return { checks: [deployment, fail('FORM', 'the text is not an API key: its form or its checksum is wrong')] };
    const form = pass('FORM', 'form and checksum are those of an API key');
    const key = await keys.findInScope(scope, hash);
    if (!key) return { checks: [deployment, form, fail('EXISTENCE', 'the API key is unknown')] };
    const now = clock();
    const { id, accountId, tenantId, revokedAt, expiresAt } = key;
    const revoked = revokedAt === undefined ? undefined : 'the API key is revoked';
    const expired = isPast(expiresAt, now) ? 'the API key has expired' : undefined;
    return {
      checks: [
        deployment,
        form,
        pass('EXISTENCE', `it is the API key ${id}`),
        checkOf('REVOCATION', revoked, 'the API key is not revoked', revokedAt),
        checkOf('EXPIRY', expired, 'the API key has not expired', expiresAt),
        ...explainAccount(
          await accounts.find({ tenantId, id: accountId }),
          (owner) => findIneligibility('api-key', owner, now, tenantRequired)?.detail,
        ),
      ],
      owner: { id: accountId, tenantId },
    };
  };
}
