import type {
  RevokeTokenRequest,
  RevokeTokenResponse,
} from '../../proto/gen/authservice/clientcredentials/v1/client_credentials_service.ts';
import { ServiceError } from '../errors.ts';
import type { Account } from '../principal/account.ts';
import type { Call } from '../rpc/types.ts';
import type { AuthenticateCaller } from './authenticate-caller.ts';
import { invalidRequest, requiredCredentials, sentCredentials } from './client-credentials.ts';

export interface RevokeTokenDependencies {
  readonly authenticateCaller: AuthenticateCaller;
  /** Revokes a token of any session, or one that was issued to `client`. Leaves any other text as it is. */
  readonly revokePresentedToken: (token: string, client: Account | undefined, call: Call) => Promise<void>;
  /** Whether a text has the form of an API key. */
  readonly isApiKey: (text: string) => boolean;
}

/** ClientCredentialsService.RevokeToken (RFC 7009): the request's shape, then the client if it authenticates, then the token. */
export function createRevokeToken(options: RevokeTokenDependencies) {
  const { authenticateCaller, revokePresentedToken, isApiKey } = options;

  return async (request: RevokeTokenRequest, call: Call): Promise<RevokeTokenResponse> => {
    const { token } = request;
    if (!token) throw invalidRequest('token is missing');
    const sent = sentCredentials(request);
    // A client id alone names a public client (RFC 7009 section 2.1): it authenticates nobody.
    const authenticates = request.basic !== undefined || Boolean(sent.clientSecret);
    const client = authenticates ? await authenticateCaller(requiredCredentials(sent), call) : undefined;
    // An answer of 200 would say that the key does not work any more.
    if (isApiKey(token)) {
      const detail = 'API keys are revoked by DELETE /service-accounts/{id}/api-keys/{keyId}';
      throw new ServiceError('UNSUPPORTED_TOKEN_TYPE', { detail });
    }
    await revokePresentedToken(token, client, call);
    return {};
  };
}
