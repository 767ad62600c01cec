import { createApiKeyStore } from '../auth/api-key/api-key-store.ts';
import { createExplainApiKey } from '../auth/api-key/explain-api-key.ts';
import { createClientSecretStore } from '../auth/client-credentials/client-secret-store.ts';
import { createExplainClient } from '../auth/client-credentials/explain-client.ts';
import { createExplainBearer } from '../auth/identity/explain/explain-bearer.ts';
import type { Explainers } from '../auth/identity/explain/explain-credential.ts';
import { createExplainUsername } from '../auth/identity/explain/explain-username.ts';
import type { SessionRotation } from '../auth/session/rotation/rotate.ts';
import { createExplainRefresh, sessionRevocation } from '../auth/session/explain-refresh.ts';
import type { SessionStore } from '../auth/session/session-store.ts';
import type { Tokens } from './tokens.ts';
import type { Foundation } from './part.ts';

/**
 * Creates the explainers of all kinds of credentials. They are built here because identity must not import other
 * services.
 */
export function createExplainers(
  { settings, database, accounts, clock }: Foundation,
  { tokens, blacklist, transports }: Tokens,
  sessions: SessionStore,
  isUndecided: SessionRotation['isUndecided'],
): Explainers {
  const tenantRequired = settings['app.tenancy.isolation'];
  const refresh = { sessions, accounts, isUndecided, database, clock };
  return {
    bearerToken: createExplainBearer({
      tokens,
      blacklist,
      accounts,
      findSessionRevocation: (session) => sessionRevocation(database, session),
      clock,
      tenantRequired,
    }),
    refreshCookie: createExplainRefresh({ ...refresh, transport: transports.REFRESH_TOKEN_TRANSPORT_COOKIE }),
    refreshToken: createExplainRefresh({ ...refresh, transport: transports.REFRESH_TOKEN_TRANSPORT_BODY }),
    apiKey: createExplainApiKey({
      keys: createApiKeyStore(database),
      accounts,
      clock,
      tenantRequired,
      enabled: settings['app.security.api-key.enabled'],
    }),
    clientId: createExplainClient({
      accounts,
      secrets: createClientSecretStore(database),
      clock,
      tenantRequired,
    }),
    username: createExplainUsername({ accounts, clock }),
  };
}
