import { Reason } from '../../../../proto/gen/authservice/error/v1/reason.ts';
import type {
  AuthenticateRequest,
  AuthenticateResponse,
} from '../../../../proto/gen/authservice/identity/v1/identity_service.ts';
import type { AuditContext } from '../../audit/audit-log.ts';
import { ServiceError } from '../../../platform/errors.ts';
import type { Principal } from '../../principal/principal.ts';
import type { Call } from '../../../platform/rpc/types.ts';
import { accountMessage } from '../account-message.ts';
import type { PresentedCredentials } from './authenticate-credentials.ts';

/** The credential check that every call runs. */
export type AuthenticateCredentials = (
  credentials: PresentedCredentials,
  context: AuditContext,
) => Promise<Principal | undefined>;

export interface AuthenticateDependencies {
  readonly authenticateCredentials: AuthenticateCredentials;
  readonly disclosure: 'maximal' | 'minimal';
}

/** IdentityService.Authenticate. An invalid credential is a normal response; only an outage is an error. */
export function createAuthenticate({ authenticateCredentials, disclosure }: AuthenticateDependencies) {
  return async ({ credential }: AuthenticateRequest, call: Call): Promise<AuthenticateResponse> => {
    try {
      if (credential === undefined || credential.value === '') throw new ServiceError('TOKEN_MISSING');
      const principal = await authenticateCredentials(headersOf(credential), call);
      if (!principal) throw new ServiceError('TOKEN_INVALID', { detail: 'API keys are not accepted here' });
      return { outcome: { $case: 'principal', value: principalMessage(principal) } };
    } catch (error) {
      if (!isRefusal(error)) throw error;
      return { outcome: { $case: 'refusal', value: refusalMessage(error) } };
    }
  };

  // Under minimal disclosure all refusals look the same, so that they do not reveal whether an account was deleted.
  function refusalMessage({ reason, message }: ServiceError & { readonly reason: RefusalReason }) {
    if (disclosure === 'minimal') return { reason: Reason.REASON_TOKEN_INVALID };
    return { reason: Reason[`REASON_${reason}`], detail: message };
  }
}

const REFUSALS = ['TOKEN_MISSING', 'TOKEN_INVALID', 'SUBJECT_UNKNOWN'] as const;

type RefusalReason = (typeof REFUSALS)[number];

function isRefusal(error: unknown): error is ServiceError & { readonly reason: RefusalReason } {
  return error instanceof ServiceError && REFUSALS.some((reason) => reason === error.reason);
}

/** Converts the credential to the headers that would carry it in a call. */
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
