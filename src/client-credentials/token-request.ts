// What a token request must look like (RFC 6749 sections 4.4.2 and 5.2): a pure check of its decoded fields.
import type { IssueTokenRequest } from '../../proto/gen/client_credentials/v1/client_credentials_service.ts';
import { ServiceError } from '../errors.ts';

/** What a client authenticates with. Both have at least one character. */
export interface ClientCredentials {
  readonly clientId: string;
  readonly clientSecret: string;
}

/**
 * The credentials of a well-formed request. Throws, in this order: INVALID_REQUEST where the grant type is missing,
 * UNSUPPORTED_GRANT_TYPE for another one, INVALID_SCOPE where a scope is asked for, INVALID_REQUEST where credentials are missing
 * or two ways of client authentication are combined. Any other empty parameter counts as left out (RFC 6749 section 3.2).
 */
export function clientCredentialsOf(request: IssueTokenRequest): ClientCredentials {
  const { grantType, scope, basic } = request;
  if (!grantType) throw invalid('grant_type is missing');
  if (grantType !== 'client_credentials') {
    throw new ServiceError('UNSUPPORTED_GRANT_TYPE', { detail: 'grant_type must be client_credentials' });
  }
  if (scope) throw new ServiceError('INVALID_SCOPE', { detail: 'scopes are not supported: leave scope out' });
  // Even an empty one: two ways of client authentication are combined then.
  if (basic && request.clientSecret !== undefined) throw invalid('client_secret and Basic authentication are combined');
  if (basic && request.clientId && request.clientId !== basic.clientId) {
    throw invalid('client_id is not that of the Basic authentication');
  }
  const { clientId, clientSecret } = basic ?? request;
  if (!clientId) throw invalid('the client id is missing');
  if (!clientSecret) throw invalid('the client secret is missing');
  return { clientId, clientSecret };
}

function invalid(detail: string): ServiceError {
  return new ServiceError('INVALID_REQUEST', { detail });
}
