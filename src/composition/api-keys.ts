import { createApiKeyCheck } from '../auth/api-key/authenticate-api-key.ts';
import { apiKeyService } from '../auth/api-key/service.ts';
import type { AuthenticateApiKey } from '../auth/identity/authentication/authenticate-credentials.ts';
import { createFindManagedAccount } from '../auth/identity/users/administrator.ts';
import { recordLastUsed } from '../platform/jobs/last-used.ts';
import type { Foundation, Part } from './foundation.ts';

export interface ApiKeys extends Part {
  /** Undefined if API keys are disabled. */
  readonly check: AuthenticateApiKey | undefined;
}

/** Creates the API key service, the check of API keys, and the recorder of their last use. */
export function createApiKeys(foundation: Foundation): ApiKeys {
  const { settings, accounts, apiKeys: keys, audit, clock, log, uniformRefusals } = foundation;
  const uses = recordLastUsed({ clock, log, store: keys.recordUses });
  const tenantRequired = settings['app.tenancy.isolation'];
  return {
    services: [apiKeyService({ keys, findManagedAccount: createFindManagedAccount(accounts), audit, clock })],
    check: settings['app.security.api-key.enabled']
      ? createApiKeyCheck({ keys, audit, clock, uniformRefusals, tenantRequired, used: uses.used })
      : undefined,
    close: () => uses.close(),
  };
}
