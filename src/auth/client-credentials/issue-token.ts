import type {
  IssueTokenRequest,
  IssueTokenResponse,
} from '../../../proto/gen/authservice/clientcredentials/v1/client_credentials_service.ts';
import { ServiceError } from '../../platform/errors.ts';
import type { Account } from '../access/account.ts';
import type { Call } from '../access/principal.ts';
import type { ClientAuthentication } from './client-authentication.ts';
import { invalidRequest, readCredentials, type ClientCredentials } from './client-credentials.ts';
import type { ClientRateLimit } from './client-rate-limit.ts';
import type { AccessTokens } from '../token/access-token.ts';

interface ServiceTokenDependencies {
  readonly tokens: Pick<AccessTokens, 'sign'>;
  readonly accessTokenTtlMs: number;
}

export interface IssueTokenDependencies extends ServiceTokenDependencies {
  readonly authentication: ClientAuthentication;
  readonly rateLimit: ClientRateLimit;
}

/** Issues a token to a service account that has authenticated. */
export type IssueServiceToken = (account: Account) => Promise<IssueTokenResponse>;

export function createIssueServiceToken({ tokens, accessTokenTtlMs }: ServiceTokenDependencies): IssueServiceToken {
  return async ({ id, username, tenantId, rights }) => {
    const subject = { accountId: id, clientId: username, tenantId, roles: rights.prefixedRoles };
    const access = await tokens.sign(subject, accessTokenTtlMs);
    return { accessToken: access.token, expiresIn: Math.floor(accessTokenTtlMs / 1000) };
  };
}

/**
 * ClientCredentialsService.IssueToken (RFC 6749 section 4.4). Checks the request's form, then the client, within the
 * rate limit.
 */
export function createIssueToken(options: IssueTokenDependencies) {
  const { authentication, rateLimit } = options;
  const issue = createIssueServiceToken(options);

  return async (request: IssueTokenRequest, call: Call): Promise<IssueTokenResponse> => {
    const credentials = clientCredentialsOf(request);
    const admit = (outcome: 'grant' | 'refusal') => rateLimit(outcome, credentials.clientId, call.clientAddress);
    return issue(await authentication(credentials, call, { admit }));
  };
}

// Checks the form of a token request (RFC 6749 sections 4.4.2 and 5.2). A pure check of its decoded fields.

/**
 * Returns the credentials of a well-formed request. Checks in this order:
 * - INVALID_REQUEST if the grant type is missing
 * - UNSUPPORTED_GRANT_TYPE for another grant type
 * - INVALID_SCOPE if a scope is requested
 * - INVALID_REQUEST if credentials are missing or two ways of client authentication are combined
 * Any other empty parameter counts as missing (RFC 6749 section 3.2).
 */
export function clientCredentialsOf(request: IssueTokenRequest): ClientCredentials {
  const { grantType, scope } = request;
  if (!grantType) throw invalidRequest('grant_type is missing');
  if (grantType !== 'client_credentials') {
    throw new ServiceError('UNSUPPORTED_GRANT_TYPE', { detail: 'grant_type must be client_credentials' });
  }
  if (scope) throw new ServiceError('INVALID_SCOPE', { detail: 'scopes are not supported: leave scope out' });
  const { clientId, clientSecret } = readCredentials(request);
  if (!clientId) throw invalidRequest('the client id is missing');
  if (!clientSecret) throw invalidRequest('the client secret is missing');
  return { clientId, clientSecret };
}
