// Every credential kind of a call, put together: which of them counts, and that no two do.
import type { AuditContext } from '../../audit/audit-log.ts';
import { ServiceError } from '../../errors.ts';
import type { Principal } from '../../principal/principal.ts';
import { bearerToken, type AuthenticateBearer } from './authenticate-bearer.ts';

/** Turns one API key into a principal. Throws TOKEN_INVALID once its refusal is on record. */
export type AuthenticateApiKey = (key: string, context: AuditContext) => Promise<Principal>;

/** The credential headers of a call, raw. */
export interface PresentedCredentials {
  readonly authorization: readonly string[];
  readonly apiKey: readonly string[];
}

/**
 * Turns the credential headers of a call into a principal; undefined where there is none.
 *
 * @param options.apiKey Absent where API keys are off: their header is not looked at then.
 */
export function createCredentialCheck(options: {
  readonly bearer: AuthenticateBearer;
  readonly apiKey: AuthenticateApiKey | undefined;
}): (credentials: PresentedCredentials, context: AuditContext) => Promise<Principal | undefined> {
  const { bearer, apiKey } = options;
  if (!apiKey) return ({ authorization }) => bearer(authorization);

  return async (credentials, context) => {
    const keys = credentials.apiKey.filter((key) => key !== '');
    if (keys.length === 0) return bearer(credentials.authorization);
    if (credentials.authorization.some((header) => bearerToken(header) !== undefined)) throw twoCredentials();
    if (keys.length > 1 || credentials.authorization.length > 1) {
      throw new ServiceError('TOKEN_INVALID', { detail: 'more than one API key or Authorization header came' });
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
