// The checks of all kinds of credentials, the API keys, and the explanations of the checks.
import { recordLastUsed } from '../platform/jobs/last-used.ts';
import type { Reauthenticate, RequireFresh } from '../platform/rpc/pipeline/admission.ts';
import { createApiKeyCheck } from '../auth/api-key/authenticate-api-key.ts';
import { createExplainApiKey } from '../auth/api-key/explain-api-key.ts';
import { isApiKey } from '../auth/api-key/key-format.ts';
import { apiKeyService } from '../auth/api-key/service.ts';
import { createExplainClient } from '../auth/client-credentials/explain-client.ts';
import { createBearerCheck } from '../auth/identity/authentication/authenticate-bearer.ts';
import {
  createCheckToken,
  createCredentialCheck,
  type AuthenticateApiKey,
  type AuthenticateCredentials,
  type CheckToken,
} from '../auth/identity/authentication/authenticate-credentials.ts';
import { createReauthenticate } from '../auth/identity/authentication/reauthenticate.ts';
import { createExplainFactors } from '../auth/factors/explain-factors.ts';
import {
  createRequireFresh,
  createRequireStepUp,
  type RequireStepUp,
} from '../auth/identity/authentication/step-up.ts';
import { createExplainBearer } from '../auth/identity/explain/explain-bearer.ts';
import type { Explainers } from '../auth/identity/explain/explain-credential.ts';
import { createExplainUsername } from '../auth/identity/explain/explain-username.ts';
import type { AccountAdministration } from '../auth/identity/users/account-administration.ts';
import { createFindManagedAccount } from '../auth/identity/users/administrator.ts';
import type { Principal } from '../auth/access/principal.ts';
import { createExplainCode } from '../auth/oauth/explain/explain-code.ts';
import { createExplainGrant } from '../auth/oauth/explain/explain-grant.ts';
import { createCheckGranted } from '../auth/oauth/explain/granted-checks.ts';
import { createExplainRefresh, sessionRevocation } from '../auth/session/explain-refresh.ts';
import type { SessionRotation } from '../auth/session/rotation/rotate.ts';
import { factorOptions } from './factors.ts';
import type { Foundation, Part } from './foundation.ts';
import type { Grants } from './grants.ts';
import type { Tokens } from './tokens.ts';

export interface CredentialChecks {
  readonly authenticate: AuthenticateCredentials;
  readonly checkToken: CheckToken;
  readonly reauthenticate: Reauthenticate<Principal>;
  readonly requireStepUp: RequireStepUp;
  readonly requireFresh: RequireFresh<Principal>;
}

/** Creates the checks of a call's credentials: one for when it begins, one for while it runs. */
export function createCredentialChecks(
  foundation: Foundation,
  tokens: Tokens,
  { inspectToken }: Pick<Grants, 'inspectToken'>,
  { check }: ApiKeys,
): CredentialChecks {
  const { settings, accounts, apiKeys, sessions, policies, clock, tenantRequired } = foundation;
  const { blacklist } = tokens;
  const bearer = createBearerCheck({
    tokens: tokens.tokens,
    blacklist,
    accounts,
    clock,
    tenantRequired,
    judgeGrant: inspectToken.judge,
  });
  const authenticate = createCredentialCheck({ bearer, apiKey: check });
  const requireStepUp = createRequireStepUp({ findAuthentication: sessions.findAuthenticated, clock });
  return {
    authenticate,
    requireStepUp,
    requireFresh: createRequireFresh({ requireStepUp, policies, clock }),
    checkToken: createCheckToken({ authenticateCredentials: authenticate, isApiKey }),
    reauthenticate: createReauthenticate({
      accounts,
      blacklist,
      clock,
      tenantRequired,
      isSessionRevoked: sessions.isRevokedWithLock,
      async isGrantRefused({ grantId: gid, account: { id: sub } }) {
        const aud = settings['app.security.jwt.audience'];
        return 'refusal' in (await inspectToken.judge({ gid, sub, aud, iss: undefined }));
      },
      async isApiKeyRevoked(hash, tx) {
        const key = await (tx ? apiKeys.hold(tx, hash) : apiKeys.findByHash(hash));
        return key === undefined || key.revokedAt !== undefined;
      },
    }),
  };
}

interface ApiKeys extends Part {
  /** Undefined if API keys are disabled. */
  readonly check: AuthenticateApiKey | undefined;
}

/** Creates the API key service, the check of API keys, and the recorder of their last use. */
export function createApiKeys(foundation: Foundation, administration: AccountAdministration): ApiKeys {
  const { settings, database, accounts, apiKeys: keys, audit, clock, log, runRefusable, tenantRequired } = foundation;
  const enabled = settings['app.security.api-key.enabled'];
  const { used, close } = recordLastUsed({ database, clock, log, store: keys.recordUses });
  const findManagedAccount = createFindManagedAccount(accounts);
  return {
    services: [apiKeyService({ keys, findManagedAccount, administration, audit, clock, enabled, tenantRequired })],
    check: enabled ? createApiKeyCheck({ keys, audit, clock, runRefusable, tenantRequired, used }) : undefined,
    close,
  };
}

/**
 * Creates the explainers of all kinds of credentials. They are built here because identity must not import other
 * services.
 */
export function createExplainers(
  foundation: Foundation,
  tokens: Tokens,
  { store, refreshTokens, findOwningApplication: findApplication }: Grants,
  isUndecided: SessionRotation['isUndecided'],
): Explainers {
  const { settings, database, accounts, sessions, policies, clock, tenantRequired } = foundation;
  const { apiKeys: keys, clientSecrets: secrets } = foundation;
  const { REFRESH_TOKEN_TRANSPORT_COOKIE, REFRESH_TOKEN_TRANSPORT_BODY } = tokens.transports;
  const refresh = { sessions, accounts, policies, isUndecided, database, clock };
  const checkGranted = createCheckGranted({ database, accounts, sessions, policies, clock });
  const ofApplications = createExplainGrant({
    tokens: tokens.tokens,
    refreshTokens,
    grants: store,
    findApplication,
    checkGranted,
    issuer: settings['app.security.jwt.issuer'],
    audience: settings['app.security.jwt.audience'],
    clock,
  });
  return {
    bearerToken: createExplainBearer({
      tokens: tokens.tokens,
      blacklist: tokens.blacklist,
      accounts,
      policies,
      clock,
      tenantRequired,
      findSessionRevocation: (session) => sessionRevocation(database, session),
      explainOfApplication: ofApplications.accessToken,
    }),
    authorizationCode: createExplainCode({ database, findApplication, checkGranted, clock }),
    applicationRefreshToken: ofApplications.refreshToken,
    refreshCookie: createExplainRefresh({
      ...refresh,
      credential: 'refreshCookie',
      transport: REFRESH_TOKEN_TRANSPORT_COOKIE,
    }),
    refreshToken: createExplainRefresh({
      ...refresh,
      credential: 'refreshToken',
      transport: REFRESH_TOKEN_TRANSPORT_BODY,
    }),
    apiKey: createExplainApiKey({
      keys,
      accounts,
      clock,
      tenantRequired,
      enabled: settings['app.security.api-key.enabled'],
    }),
    clientId: createExplainClient({ accounts, secrets, clock, tenantRequired }),
    username: createExplainUsername({
      accounts,
      policies,
      explainFactors: createExplainFactors(factorOptions(settings)),
      clock,
    }),
  };
}
