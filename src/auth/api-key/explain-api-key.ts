import { finding } from '../access/findings.ts';
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
  const off = enabled ? undefined : finding('API_KEYS_OFF');
  const deployment = checkOf('DEPLOYMENT', off, finding('API_KEYS_ON'));

  return async (text, scope) => {
    const hash = apiKeyHash(text);
    if (!hash) return { checks: [deployment, fail('FORM', finding('API_KEY_MALFORMED'))] };
    const form = pass('FORM', finding('API_KEY_WELL_FORMED'));
    const key = await keys.findInScope(scope, hash);
    if (!key) return { checks: [deployment, form, fail('EXISTENCE', finding('API_KEY_UNKNOWN'))] };
    const now = clock();
    const { id, accountId, tenantId, revokedAt, expiresAt } = key;
    const revoked = revokedAt === undefined ? undefined : finding('API_KEY_REVOKED');
    const expired = isPast(expiresAt, now) ? finding('API_KEY_EXPIRED') : undefined;
    return {
      checks: [
        deployment,
        form,
        pass('EXISTENCE', finding('API_KEY_FOUND', { apiKey: id })),
        checkOf('REVOCATION', revoked, finding('API_KEY_NOT_REVOKED'), revokedAt),
        checkOf('EXPIRY', expired, finding('API_KEY_NOT_EXPIRED'), expiresAt),
        ...explainAccount(await accounts.find({ tenantId, id: accountId }), (owner) =>
          findIneligibility('api-key', owner, now, tenantRequired),
        ),
      ],
      owner: { id: accountId, tenantId },
    };
  };
}
