import type {
  IssueTokenRequest,
  IssueTokenResponse,
} from '../../../proto/gen/authservice/clientcredentials/v1/client_credentials_service.ts';
import { prefixedRoles } from '../principal/account.ts';
import type { Call } from '../../platform/rpc/types.ts';
import type { AccessTokens } from '../token/access-token.ts';
import type { ClientAuthentication } from './client-authentication.ts';
import type { ClientRateLimit } from './client-rate-limit.ts';
import { clientCredentialsOf } from './token-request.ts';

export interface IssueTokenDependencies {
  readonly authentication: ClientAuthentication;
  readonly rateLimit: ClientRateLimit;
  readonly tokens: Pick<AccessTokens, 'sign'>;
  readonly accessTokenTtlMs: number;
}

/**
 * ClientCredentialsService.IssueToken (RFC 6749 section 4.4). Checks the request's form, then the client, within the
 * rate limit.
 */
export function createIssueToken(options: IssueTokenDependencies) {
  const { authentication, rateLimit, tokens, accessTokenTtlMs } = options;

  return async (request: IssueTokenRequest, call: Call): Promise<IssueTokenResponse> => {
    const credentials = clientCredentialsOf(request);
    const admit = (outcome: 'grant' | 'refusal') => rateLimit(outcome, credentials.clientId, call.clientAddress);
    const { id, username, tenantId, roles } = await authentication(credentials, call, { admit });
    const subject = { accountId: id, clientId: username, tenantId, roles: prefixedRoles(roles) };
    const access = await tokens.sign(subject, accessTokenTtlMs);
    return { accessToken: access.token, expiresIn: Math.floor(accessTokenTtlMs / 1000) };
  };
}
