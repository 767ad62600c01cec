// API keys: the service, their check, and their last uses.
import type { Logger } from 'pino';
import { createApiKeyStore, type ApiKeyStore } from '../api-key/api-key-store.ts';
import { createApiKeyCheck } from '../api-key/authenticate-api-key.ts';
import { apiKeyService } from '../api-key/service.ts';
import type { AuditLog } from '../audit/audit-log.ts';
import type { Clock } from '../clock.ts';
import type { Settings } from '../config/settings.ts';
import type { Database } from '../db/types.ts';
import type { AccountStore } from '../identity/account-store.ts';
import { createFindManagedAccount } from '../identity/users/administrator.ts';
import type { AuthenticateApiKey } from '../identity/authentication/authenticate-credentials.ts';
import { recordLastUsed } from '../jobs/last-used.ts';
import type { Service } from '../rpc/service.ts';

export interface OpenApiKeys {
  readonly service: Service;
  /** Undefined where API keys are off. */
  readonly check: AuthenticateApiKey | undefined;
  readonly keys: Pick<ApiKeyStore, 'findByHash' | 'hold'>;
  /** Stores what is remembered of last uses. */
  close(): Promise<void>;
}

export function openApiKeys(options: {
  readonly settings: Pick<Settings, 'app.security.api-key.enabled' | 'app.tenancy.isolation'>;
  readonly database: Database;
  readonly accounts: AccountStore;
  readonly audit: AuditLog;
  readonly clock: Clock;
  readonly log: Logger;
}): OpenApiKeys {
  const { settings, database, accounts, audit, clock, log } = options;
  const keys = createApiKeyStore(database);
  const uses = recordLastUsed({ clock, log, store: keys.recordUses });
  return {
    service: apiKeyService({ keys, findManagedAccount: createFindManagedAccount(accounts), audit, clock }),
    check: settings['app.security.api-key.enabled']
      ? createApiKeyCheck({
          keys,
          accounts,
          audit,
          clock,
          tenantRequired: settings['app.tenancy.isolation'],
          used: uses.used,
        })
      : undefined,
    keys,
    close: () => uses.close(),
  };
}
