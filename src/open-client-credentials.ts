// The client credentials service with what it alone needs: the secrets, their last uses and the rate limit.
import type { Logger } from 'pino';
import type { AuditLog } from './audit/audit-log.ts';
import { createClientAuthentication } from './client-credentials/client-authentication.ts';
import { createClientRateLimit } from './client-credentials/client-rate-limit.ts';
import { createClientSecretStore } from './client-credentials/client-secret-store.ts';
import { clientCredentialsService } from './client-credentials/service.ts';
import type { Clock } from './clock.ts';
import type { Settings } from './config/settings.ts';
import type { Database } from './db/types.ts';
import type { AccountAdministration } from './identity/account-administration.ts';
import type { AccountStore } from './identity/account-store.ts';
import { createAuthenticateClient } from './identity/authenticate-client.ts';
import { recordLastUsed } from './last-used.ts';
import { openRateLimit } from './rate-limit/rate-limit.ts';
import type { Service } from './rpc/service.ts';
import type { AccessTokens } from './token/access-token.ts';

export interface OpenClientCredentials {
  readonly service: Service;
  /** Stores what is remembered of last uses, ends connections. */
  close(): Promise<void>;
}

export function openClientCredentials(options: {
  readonly settings: Settings;
  readonly database: Database;
  readonly accounts: AccountStore;
  readonly audit: AuditLog;
  readonly administration: AccountAdministration;
  readonly tokens: AccessTokens;
  readonly clock: Clock;
  readonly log: Logger;
}): OpenClientCredentials {
  const { settings, database, accounts, audit, administration, tokens, clock, log } = options;
  const secrets = createClientSecretStore(database);
  const uses = recordLastUsed({ clock, log, store: secrets.recordUses });
  const limit = openRateLimit({
    name: 'm2m',
    store: settings['app.security.m2m.rate-limit.store'],
    points: settings['app.security.m2m.rate-limit.points'],
    windowMs: settings['app.security.m2m.rate-limit.window'],
    database,
    clock,
    log,
  });
  if (!limit) {
    log.warn(
      'app.security.m2m.rate-limit.store is none: anybody may send any number of token requests; memory, database or a ' +
        'redis:// URL limits them',
    );
  }
  const tenantRequired = settings['app.tenancy.isolation'];
  const authenticateClient = createAuthenticateClient({ accounts, audit, clock, tenantRequired });
  return {
    service: clientCredentialsService({
      authentication: createClientAuthentication({ authenticateClient, secrets, clock, used: uses.used }),
      rateLimit: createClientRateLimit(limit),
      tokens,
      database,
      administration,
      clock,
      accessTokenTtlMs: settings['app.security.m2m.access-token-ttl'],
    }),
    async close() {
      await uses.close();
      await limit?.close();
    },
  };
}
