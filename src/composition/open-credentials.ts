// The checks of the credentials that calls bring, put together: when a call begins, and again while it goes on.
import { isApiKey } from '../api-key/key-format.ts';
import type { ApiKeyStore } from '../api-key/api-key-store.ts';
import type { Clock } from '../clock.ts';
import type { AccountStore } from '../identity/account-store.ts';
import type { AuditContext } from '../audit/audit-log.ts';
import { createBearerCheck } from '../identity/authentication/authenticate-bearer.ts';
import {
  createCredentialCheck,
  type AuthenticateApiKey,
  type PresentedCredentials,
} from '../identity/authentication/authenticate-credentials.ts';
import { createCheckToken, type CheckToken } from '../identity/authentication/check-token.ts';
import { createReauthenticate } from '../identity/authentication/reauthenticate.ts';
import type { Principal, Reauthenticate } from '../principal/principal.ts';
import type { SessionStore } from '../session/session-store.ts';
import type { AccessTokens } from '../token/access-token.ts';
import type { Blacklist } from '../token/blacklist.ts';

export interface OpenCredentials {
  readonly authenticate: (credentials: PresentedCredentials, context: AuditContext) => Promise<Principal | undefined>;
  readonly checkToken: CheckToken;
  readonly reauthenticate: Reauthenticate;
}

export function openCredentials(options: {
  readonly tokens: AccessTokens;
  readonly blacklist: Blacklist;
  readonly accounts: AccountStore;
  readonly sessions: Pick<SessionStore, 'holdsRevoked'>;
  readonly apiKeys: {
    readonly keys: Pick<ApiKeyStore, 'findByHash' | 'hold'>;
    readonly check: AuthenticateApiKey | undefined;
  };
  readonly clock: Clock;
  /** Whether service accounts must belong to a tenant. */
  readonly tenantRequired: boolean;
}): OpenCredentials {
  const { tokens, blacklist, accounts, sessions, apiKeys, clock, tenantRequired } = options;
  const { keys, check } = apiKeys;
  const bearer = createBearerCheck({ tokens, blacklist, accounts, clock, tenantRequired });
  const authenticate = createCredentialCheck({ bearer, apiKey: check });
  return {
    authenticate,
    checkToken: createCheckToken({ authenticateCredentials: authenticate, isApiKey }),
    reauthenticate: createReauthenticate({
      accounts,
      blacklist,
      clock,
      tenantRequired,
      isSessionRevoked: sessions.holdsRevoked,
      async isApiKeyRevoked(hash, tx) {
        const key = await (tx ? keys.hold(tx, hash) : keys.findByHash(hash));
        return key === undefined || key.revokedAt !== undefined;
      },
    }),
  };
}
