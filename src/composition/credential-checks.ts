import { isApiKey } from '../auth/api-key/key-format.ts';
import type { Reauthenticate } from '../platform/rpc/pipeline/admission.ts';
import type { AuditContext } from '../auth/audit/audit-log.ts';
import { createBearerCheck } from '../auth/identity/authentication/authenticate-bearer.ts';
import {
  createCheckToken,
  createCredentialCheck,
  type CheckToken,
  type PresentedCredentials,
} from '../auth/identity/authentication/authenticate-credentials.ts';
import { createReauthenticate } from '../auth/identity/authentication/reauthenticate.ts';
import type { Principal } from '../auth/principal/principal.ts';
import type { ApiKeys } from './api-keys.ts';
import type { Tokens } from './tokens.ts';
import type { Foundation } from './foundation.ts';

export interface CredentialChecks {
  readonly authenticate: (credentials: PresentedCredentials, context: AuditContext) => Promise<Principal | undefined>;
  readonly checkToken: CheckToken;
  readonly reauthenticate: Reauthenticate<Principal>;
}

/** Creates the checks of a call's credentials: one for when it begins, one for while it runs. */
export function createCredentialChecks(
  { settings, accounts, apiKeys, sessions, clock }: Foundation,
  { tokens, blacklist }: Tokens,
  { check }: ApiKeys,
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
        const key = await (tx ? apiKeys.hold(tx, hash) : apiKeys.findByHash(hash));
        return key === undefined || key.revokedAt !== undefined;
      },
    }),
  };
}
