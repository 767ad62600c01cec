// What a token request must look like (RFC 6749 sections 4.4.2 and 5.2): a pure check of its decoded fields.
import type { IssueTokenRequest } from '../../proto/gen/authservice/clientcredentials/v1/client_credentials_service.ts';
import { ServiceError } from '../errors.ts';
import { invalidRequest, sentCredentials, type ClientCredentials } from './client-credentials.ts';

/**
 * The credentials of a well-formed request. Throws, in this order: INVALID_REQUEST where the grant type is missing,
 * UNSUPPORTED_GRANT_TYPE for another one, INVALID_SCOPE where a scope is asked for, INVALID_REQUEST where credentials are missing
 * or two ways of client authentication are combined. Any other empty parameter counts as left out (RFC 6749 section 3.2).
 */
export function clientCredentialsOf(request: IssueTokenRequest): ClientCredentials {
  const { grantType, scope } = request;
  if (!grantType) throw invalidRequest('grant_type is missing');
  if (grantType !== 'client_credentials') {
    throw new ServiceError('UNSUPPORTED_GRANT_TYPE', { detail: 'grant_type must be client_credentials' });
  }
  if (scope) throw new ServiceError('INVALID_SCOPE', { detail: 'scopes are not supported: leave scope out' });
  const { clientId, clientSecret } = sentCredentials(request);
  if (!clientId) throw invalidRequest('the client id is missing');
  if (!clientSecret) throw invalidRequest('the client secret is missing');
  return { clientId, clientSecret };
}
