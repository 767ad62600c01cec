import { Reason } from '../../proto/gen/error/v1/reason.ts';
import type { AuthenticateRequest, AuthenticateResponse } from '../../proto/gen/identity/v1/identity_service.ts';
import { ServiceError } from '../errors.ts';
import type { Principal } from '../principal.ts';
import { accountMessage } from './account-message.ts';
import type { PresentedCredentials } from './authenticate-credentials.ts';
import { presentedCredential } from './presented-credential.ts';

/** The check that every call makes of its own credential. */
export type AuthenticateCredentials = (credentials: PresentedCredentials) => Promise<Principal | undefined>;

export interface AuthenticateDependencies {
  readonly authenticateCredentials: AuthenticateCredentials;
  readonly disclosure: 'maximal' | 'minimal';
}

/** IdentityService.Authenticate: a credential that is no good is an answer; only an outage is an error. */
export function createAuthenticate({ authenticateCredentials, disclosure }: AuthenticateDependencies) {
  return async ({ credential }: AuthenticateRequest): Promise<AuthenticateResponse> => {
    const presented = headersOf(presentedCredential(credential));
    try {
      const principal = await authenticateCredentials(presented);
      if (!principal) throw new ServiceError('TOKEN_INVALID', { detail: 'API keys are not accepted here' });
      return { outcome: { $case: 'principal', value: principalMessage(principal) } };
    } catch (error) {
      if (!isRefusal(error)) throw error;
      return { outcome: { $case: 'refusal', value: refusalMessage(error) } };
    }
  };

  // Under minimal disclosure all refusals are alike: nobody learns here whether an account was deleted.
  function refusalMessage({ reason, message }: ServiceError & { readonly reason: RefusalReason }) {
    if (disclosure === 'minimal') return { reason: Reason.REASON_TOKEN_INVALID };
    return { reason: Reason[`REASON_${reason}`], detail: message };
  }
}

type RefusalReason = 'TOKEN_INVALID' | 'SUBJECT_UNKNOWN';

function isRefusal(error: unknown): error is ServiceError & { readonly reason: RefusalReason } {
  return error instanceof ServiceError && (error.reason === 'TOKEN_INVALID' || error.reason === 'SUBJECT_UNKNOWN');
}

/** The credential as a call's headers would carry it. */
function headersOf({ $case, value }: NonNullable<AuthenticateRequest['credential']>): PresentedCredentials {
  return $case === 'apiKey'
    ? { authorization: [], apiKey: [value] }
    : { authorization: [`Bearer ${value}`], apiKey: [] };
}

function principalMessage({ account, permissions, sessionId, expiresAt }: Principal) {
  return {
    account: accountMessage(account),
    permissions: [...permissions],
    ...(sessionId !== undefined && { sessionId }),
    ...(expiresAt !== undefined && { expiresAt: new Date(expiresAt) }),
  };
}
