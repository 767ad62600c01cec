// Selects the credential of a call and rejects calls with more than one.
import type { AuditContext } from '../../audit/audit-log.ts';
import { ServiceError } from '../../../platform/errors.ts';
import type { Principal } from '../../principal/principal.ts';
import { bearerToken, type AuthenticateBearer } from './authenticate-bearer.ts';

/** Authenticates an API key. Throws TOKEN_INVALID after recording the refusal in the audit log. */
export type AuthenticateApiKey = (key: string, context: AuditContext) => Promise<Principal>;

/** The raw credential headers of a call. */
export interface PresentedCredentials {
  readonly authorization: readonly string[];
  readonly apiKey: readonly string[];
}

/**
 * Authenticates a call by its credential headers. Returns undefined if it has none.
 *
 * @param options.apiKey Undefined if API keys are disabled. The API key header is ignored then.
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
