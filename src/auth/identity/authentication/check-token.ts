import type { AuditContext } from '../../audit/audit-log.ts';
import { ServiceError, type ReasonName } from '../../../platform/errors.ts';
import type { Principal } from '../../principal/principal.ts';
import type { AuthenticateCredentials } from './authenticate.ts';

/**
 * Returns the principal of an access token or API key, by the credential check that every call runs. Returns undefined
 * if the check refuses it. Rejects if the check could not run.
 */
export type CheckToken = (token: string, context: AuditContext) => Promise<Principal | undefined>;

const REFUSALS: readonly ReasonName[] = ['TOKEN_MISSING', 'TOKEN_INVALID', 'SUBJECT_UNKNOWN'];
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
      const credentials = isApiKey(token)
        ? { authorization: [], apiKey: [token] }
        : { authorization: [`Bearer ${token}`], apiKey: [] };
      return await authenticateCredentials(credentials, context);
    } catch (error) {
      if (error instanceof ServiceError && REFUSALS.includes(error.reason)) return undefined;
      throw error;
    }
  };
}
