import type {
  RevokeTokenRequest,
  RevokeTokenResponse,
} from '../../../proto/gen/authservice/clientcredentials/v1/client_credentials_service.ts';
import { ServiceError } from '../../platform/errors.ts';
import type { Account } from '../access/account.ts';
import type { Call } from '../access/principal.ts';
import type { AuthenticateCaller, Caller, CallingApplication } from './caller.ts';
import { invalidRequest, readPresentedClient } from './client-credentials.ts';

export interface RevokeTokenDependencies {
  readonly authenticateCaller: AuthenticateCaller;
  /** Returns the public application with a client id; undefined if there is none. */
  readonly findPublicApplication: (clientId: string) => Promise<CallingApplication | undefined>;
  /**
   * Revokes the grant of an application's token, if `caller` is the application. Returns false for any other text. Throws
   * INVALID_CLIENT for a token of an application without a caller.
   */
  readonly revokeApplicationToken: (token: string, caller: Caller | undefined, call: Call) => Promise<boolean>;
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
  const { authenticateCaller, findPublicApplication, revokeApplicationToken, revokePresentedToken, isApiKey } = options;

  return async (request: RevokeTokenRequest, call: Call): Promise<RevokeTokenResponse> => {
    const { token } = request;
    if (!token) throw invalidRequest('token is missing');
    const caller = await findCaller(request, call);
    // A 200 response would mean that the key no longer works.
    if (isApiKey(token)) {
      const detail = 'API keys are revoked by DELETE /service-accounts/{id}/api-keys/{keyId}';
      throw new ServiceError('UNSUPPORTED_TOKEN_TYPE', { detail });
    }
    if (await revokeApplicationToken(token, caller, call)) return {};
    await revokePresentedToken(token, caller?.kind === 'service-account' ? caller.account : undefined, call);
    return {};
  };

  /** A client id alone names a public client (RFC 7009 section 2.1). It authenticates nobody. */
  async function findCaller(request: RevokeTokenRequest, call: Call): Promise<Caller | undefined> {
    const presented = readPresentedClient(request);
    if (presented.basic || presented.clientSecret || presented.clientAssertion)
      return authenticateCaller(presented, call, 'revoke');
    const application = presented.clientId ? await findPublicApplication(presented.clientId) : undefined;
    return application && { kind: 'application', application };
  }
}
