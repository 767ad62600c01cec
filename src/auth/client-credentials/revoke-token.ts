import type {
  RevokeTokenRequest,
  RevokeTokenResponse,
} from '../../../proto/gen/authservice/clientcredentials/v1/client_credentials_service.ts';
import { ServiceError } from '../../platform/errors.ts';
import type { Account } from '../access/account.ts';
import type { Call } from '../access/principal.ts';
import type { AuthenticateCaller } from './client-authentication.ts';
import { invalidRequest, requiredCredentials, readCredentials } from './client-credentials.ts';

export interface RevokeTokenDependencies {
  readonly authenticateCaller: AuthenticateCaller;
  /** Revokes a token of any session, or one that was issued to `client`. Ignores any other text. */
  readonly revokePresentedToken: (token: string, client: Account | undefined, call: Call) => Promise<void>;
  /** Whether a text has the form of an API key. */
  readonly isApiKey: (text: string) => boolean;
}

/**
 * ClientCredentialsService.RevokeToken (RFC 7009). Checks the request's form, then the client if it authenticates, then
 * the token.
 */
export function createRevokeToken(options: RevokeTokenDependencies) {
  const { authenticateCaller, revokePresentedToken, isApiKey } = options;

  return async (request: RevokeTokenRequest, call: Call): Promise<RevokeTokenResponse> => {
    const { token } = request;
    if (!token) throw invalidRequest('token is missing');
    const credentials = readCredentials(request);
    // A client id alone names a public client (RFC 7009 section 2.1). It authenticates no account.
    const authenticates = request.basic !== undefined || Boolean(credentials.clientSecret);
    const client = authenticates ? await authenticateCaller(requiredCredentials(credentials), call) : undefined;
    // A 200 response would mean that the key no longer works.
    if (isApiKey(token)) {
      const detail = 'API keys are revoked by DELETE /service-accounts/{id}/api-keys/{keyId}';
      throw new ServiceError('UNSUPPORTED_TOKEN_TYPE', { detail });
    }
    await revokePresentedToken(token, client, call);
    return {};
  };
}
