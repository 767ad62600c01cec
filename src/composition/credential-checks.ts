import { isApiKey } from '../auth/api-key/key-format.ts';
import type { AuditContext } from '../auth/audit/audit-log.ts';
import { createBearerCheck } from '../auth/identity/authentication/authenticate-bearer.ts';
import {
  createCheckToken,
  createCredentialCheck,
  type CheckToken,
  type PresentedCredentials,
} from '../auth/identity/authentication/authenticate-credentials.ts';
import { createReauthenticate } from '../auth/identity/authentication/reauthenticate.ts';
import type { Principal, Reauthenticate } from '../auth/principal/principal.ts';
import type { SessionStore } from '../auth/session/session-store.ts';
import type { ApiKeys } from './api-keys.ts';
import type { Tokens } from './tokens.ts';
import type { Foundation } from './part.ts';

export interface CredentialChecks {
  readonly authenticate: (credentials: PresentedCredentials, context: AuditContext) => Promise<Principal | undefined>;
  readonly checkToken: CheckToken;
  readonly reauthenticate: Reauthenticate;
}

/** Creates the checks of a call's credentials: one for when it begins, one for while it runs. */
export function createCredentialChecks(
  { settings, accounts, clock }: Foundation,
  { tokens, blacklist }: Tokens,
  { keys, check }: ApiKeys,
  sessions: Pick<SessionStore, 'isRevokedWithLock'>,
): CredentialChecks {
  const tenantRequired = settings['app.tenancy.isolation'];
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
      isSessionRevoked: sessions.isRevokedWithLock,
      async isApiKeyRevoked(hash, tx) {
        const key = await (tx ? keys.hold(tx, hash) : keys.findByHash(hash));
        return key === undefined || key.revokedAt !== undefined;
      },
    }),
  };
}
