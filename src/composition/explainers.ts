// Who explains which kind of credential, put together: identity knows no other service.
import { createApiKeyStore } from '../api-key/api-key-store.ts';
import { createExplainApiKey } from '../api-key/explain-api-key.ts';
import { createClientSecretStore } from '../client-credentials/client-secret-store.ts';
import { createExplainClient } from '../client-credentials/explain-client.ts';
import type { Clock } from '../clock.ts';
import type { Settings } from '../config/settings.ts';
import type { Database } from '../db/types.ts';
import type { AccountStore } from '../identity/account-store.ts';
import { createExplainBearer } from '../identity/explain/explain-bearer.ts';
import type { Explainers } from '../identity/explain/explain-credential.ts';
import { createExplainUsername } from '../identity/explain/explain-username.ts';
import { createExplainRefresh } from '../session/explain-refresh.ts';
import type { SessionForms } from '../session/session-form.ts';
import { sessionRevocation } from '../session/session-revocation.ts';
import type { SessionStore } from '../session/session-store.ts';
import type { AccessTokens } from '../token/access-token.ts';
import type { Blacklist } from '../token/blacklist.ts';

export interface ExplainerOptions {
  readonly settings: Pick<Settings, 'app.security.api-key.enabled' | 'app.tenancy.isolation'>;
  readonly database: Database;
  readonly accounts: AccountStore;
  readonly tokens: AccessTokens;
  readonly blacklist: Blacklist;
  readonly sessions: SessionStore;
  readonly forms: SessionForms;
  readonly clock: Clock;
}

export function createExplainers(options: ExplainerOptions): Explainers {
  const { settings, database, accounts, tokens, blacklist, sessions, forms, clock } = options;
  const tenantRequired = settings['app.tenancy.isolation'];
  const refresh = { sessions, accounts, database, clock };
  return {
    bearerToken: createExplainBearer({
      tokens,
      blacklist,
      accounts,
      findSessionRevocation: (session) => sessionRevocation(database, session),
      clock,
      tenantRequired,
    }),
    refreshCookie: createExplainRefresh({ ...refresh, form: forms.CREDENTIAL_FORM_COOKIE }),
    refreshToken: createExplainRefresh({ ...refresh, form: forms.CREDENTIAL_FORM_BODY }),
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
