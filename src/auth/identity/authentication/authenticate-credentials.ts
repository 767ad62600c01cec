// The credential check of a call and of a token text.
import { ServiceError } from '../../../platform/errors.ts';
import type { AuditContext } from '../../audit/trail/audit-log.ts';
import { bearerToken, type AuthenticateBearer } from './authenticate-bearer.ts';
import type { Principal } from '../../access/principal.ts';

/** Authenticates an API key. Throws TOKEN_INVALID after recording the refusal in the audit log. */
export type AuthenticateApiKey = (key: string, context: AuditContext) => Promise<Principal>;

/** The raw credential headers of a call. */
export interface PresentedCredentials {
  readonly authorization: readonly string[];
  readonly apiKey: readonly string[];
}

/** The credential check that every call runs. */
export type AuthenticateCredentials = (
  credentials: PresentedCredentials,
  context: AuditContext,
) => Promise<Principal | undefined>;

/**
 * Selects the credential of a call, and rejects calls with more than one. Returns undefined if the call has none.
 *
 * @param options.apiKey Undefined if API keys are disabled. The API key header is ignored then.
 */
export function createCredentialCheck(options: {
  readonly bearer: AuthenticateBearer;
  readonly apiKey: AuthenticateApiKey | undefined;
}): AuthenticateCredentials {
  const { bearer, apiKey } = options;
  if (!apiKey) return ({ authorization }) => bearer(authorization);

  return async (credentials, context) => {
    const keys = credentials.apiKey.filter((key) => key !== '');
    if (keys.length === 0) return bearer(credentials.authorization);
    if (credentials.authorization.some((header) => bearerToken(header) !== undefined)) throw twoCredentials();
    if (keys.length > 1 || credentials.authorization.length > 1) {
      throw new ServiceError('TOKEN_INVALID', {
        detail: 'the request has more than one API key or Authorization header',
      });
    }
    return apiKey(keys[0]!, context);
  };
}

function twoCredentials(): ServiceError {
  return new ServiceError('VALIDATION_ERROR', {
    publicMessage: 'Either a bearer token or an API key, not both',
    violations: [{ message: 'must not come with a bearer token', format: 'exclusive', props: ['X-Api-Key'] }],
  });
}

/**
 * Returns the principal of an access token or API key, by the credential check that every call runs. Returns undefined
 * if the check refuses it. Rejects if the check could not run.
 */
export type CheckToken = (token: string, context: AuditContext) => Promise<Principal | undefined>;

/** Every text that a header can carry without being trimmed or split. Wider than RFC 6750 section 2.1. */
const HEADER_TEXT = /^[!-~]+$/;

/** @param options.isApiKey Whether a text has the form of an API key. */
export function createCheckToken(options: {
  readonly authenticateCredentials: AuthenticateCredentials;
  readonly isApiKey: (text: string) => boolean;
}): CheckToken {
  const { authenticateCredentials, isApiKey } = options;
  return async (token, context) => {
    if (!HEADER_TEXT.test(token)) return undefined;
    try {
      return await authenticateCredentials(toCredentials(token, isApiKey(token)), context);
    } catch (error) {
      if (isCredentialRefusal(error)) return undefined;
      throw error;
    }
  };
}

/** Returns the headers that would carry a credential in a call. */
export function toCredentials(value: string, isApiKey: boolean): PresentedCredentials {
  return isApiKey ? { authorization: [], apiKey: [value] } : { authorization: [`Bearer ${value}`], apiKey: [] };
}

const REFUSALS = ['TOKEN_MISSING', 'TOKEN_INVALID', 'SUBJECT_UNKNOWN'] as const;

export type CredentialRefusal = ServiceError & { readonly reason: (typeof REFUSALS)[number] };

/** Whether the check has refused a credential. An outage is not a refusal. */
export function isCredentialRefusal(error: unknown): error is CredentialRefusal {
  return error instanceof ServiceError && REFUSALS.some((reason) => reason === error.reason);
}
