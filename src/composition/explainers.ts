import { createExplainApiKey } from '../auth/api-key/explain-api-key.ts';
import { createExplainClient } from '../auth/client-credentials/explain-client.ts';
import { createExplainBearer } from '../auth/identity/explain/explain-bearer.ts';
import type { Explainers } from '../auth/identity/explain/explain-credential.ts';
import { createExplainUsername } from '../auth/identity/explain/explain-username.ts';
import type { SessionRotation } from '../auth/session/rotation/rotate.ts';
import { createExplainRefresh, sessionRevocation } from '../auth/session/explain-refresh.ts';
import type { Tokens } from './tokens.ts';
import type { Foundation } from './foundation.ts';

/**
 * Creates the explainers of all kinds of credentials. They are built here because identity must not import other
 * services.
 */
export function createExplainers(
  { settings, database, accounts, apiKeys, clientSecrets, sessions, clock }: Foundation,
  { tokens, blacklist, transports }: Tokens,
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
      keys: apiKeys,
      accounts,
      clock,
      tenantRequired,
      enabled: settings['app.security.api-key.enabled'],
    }),
    clientId: createExplainClient({
      accounts,
      secrets: clientSecrets,
      clock,
      tenantRequired,
    }),
    username: createExplainUsername({ accounts, clock }),
  };
}
