import type {
  GetUserInfoRequest,
  GetUserInfoResponse,
} from '../../../../proto/gen/authservice/oauth/v1/authorization_service.ts';
import { ServiceError } from '../../../platform/errors.ts';
import { claimsOf } from '../claims/claims.ts';
import type { InspectToken } from './inspect-token.ts';

export interface GetUserInfoDependencies {
  readonly inspect: InspectToken;
  readonly findTenantName: (id: string) => Promise<string | undefined>;
  readonly issuer: string;
}

/** AuthorizationService.GetUserInfo (OpenID Connect Core section 5.3). */
export function createGetUserInfo({ inspect, findTenantName, issuer }: GetUserInfoDependencies) {
  return async ({ accessTokens }: GetUserInfoRequest): Promise<GetUserInfoResponse> => {
    const [token, ...others] = accessTokens;
    if (token === undefined) throw new ServiceError('TOKEN_MISSING');
    if (others.length > 0) throw new ServiceError('INVALID_REQUEST', { detail: 'the request has two access tokens' });
    const { claims, scopes, application, standing } = await inspect(token);
    if (claims.aud !== issuer) throw new ServiceError('TOKEN_INVALID', { detail: 'the token is for another resource' });
    if (!scopes.includes('openid'))
      throw new ServiceError('INSUFFICIENT_SCOPE', { detail: 'the token was issued without the scope openid' });
    const { account } = standing.found;
    const isNamed = scopes.includes('tenant') && account.tenantId !== undefined;
    const subject = {
      account,
      tenantName: isNamed ? await findTenantName(account.tenantId) : undefined,
      language: standing.policy.effective.language,
    };
    return { json: JSON.stringify({ sub: account.id, ...claimsOf(scopes, subject, application) }) };
  };
}
