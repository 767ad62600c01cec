import { Reason } from '../../../../proto/gen/authservice/error/v1/reason.ts';
import type {
  AuthenticateRequest,
  AuthenticateResponse,
  GetMeRequest,
  GetMeResponse,
} from '../../../../proto/gen/authservice/identity/v1/identity_service.ts';
import { ServiceError, type DisclosureMode } from '../../../platform/errors.ts';
import { accountMessage } from '../account-message.ts';
import {
  isCredentialRefusal,
  toCredentials,
  type AuthenticateCredentials,
  type CredentialRefusal,
} from './authenticate-credentials.ts';
import type { Authentication } from '../../access/authentication.ts';
import type { Call, Principal } from '../../access/principal.ts';

export interface AuthenticateDependencies {
  readonly authenticateCredentials: AuthenticateCredentials;
  readonly disclosure: DisclosureMode;
}

/** IdentityService.Authenticate. An invalid credential is a normal response; only an outage is an error. */
export function createAuthenticate({ authenticateCredentials, disclosure }: AuthenticateDependencies) {
  return async ({ credential }: AuthenticateRequest, call: Call): Promise<AuthenticateResponse> => {
    try {
      if (credential === undefined || credential.value === '') throw new ServiceError('TOKEN_MISSING');
      const principal = await authenticateCredentials(
        toCredentials(credential.value, credential.$case === 'apiKey'),
        call,
      );
      if (!principal) throw new ServiceError('TOKEN_INVALID', { detail: 'API keys are not accepted here' });
      return { outcome: { $case: 'principal', value: principalMessage(principal) } };
    } catch (error) {
      if (!isCredentialRefusal(error)) throw error;
      return { outcome: { $case: 'refusal', value: refusalMessage(error) } };
    }
  };

  // Under minimal disclosure all refusals look the same, so that they do not reveal whether an account was deleted.
  function refusalMessage({ reason, message }: CredentialRefusal) {
    if (disclosure === 'minimal') return { reason: Reason.REASON_TOKEN_INVALID };
    return { reason: Reason[`REASON_${reason}`], detail: message };
  }
}

function principalMessage({ account, permissions, sessionId, authentication, expiresAt }: Principal) {
  return {
    account: accountMessage(account),
    permissions: [...permissions.builtIn],
    ownPermissions: [...permissions.own],
    ...(sessionId !== undefined && { sessionId }),
    ...(expiresAt !== undefined && { expiresAt: new Date(expiresAt) }),
    ...authenticationMessage(authentication),
  };
}

function authenticationMessage(authentication: Authentication | undefined) {
  if (authentication === undefined) return { authenticationMethods: [] };
  const { authenticatedAt, methods } = authentication;
  return { authenticatedAt: new Date(authenticatedAt), authenticationMethods: [...methods] };
}

/** IdentityService.GetMe. Returns the caller's account, which the bearer check has just read. */
export async function getMe(_request: GetMeRequest, call: Call): Promise<GetMeResponse> {
  return { account: accountMessage(call.principal!.account) };
}
