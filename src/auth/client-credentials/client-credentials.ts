// Reads the client authentication of a request (RFC 6749 section 2.3). A pure check of its decoded fields.
import type { IssueTokenRequest } from '../../../proto/gen/authservice/clientcredentials/v1/client_credentials_service.ts';
import { ServiceError } from '../../platform/errors.ts';

/** A client's credentials. Both have at least one character. */
export interface ClientCredentials {
  readonly clientId: string;
  readonly clientSecret: string;
}

/**
 * Returns the credentials of a request; either may be missing or empty. Throws INVALID_REQUEST if two methods are
 * combined.
 */
export function readCredentials({
  basic,
  clientId,
  clientSecret,
}: Pick<IssueTokenRequest, 'clientId' | 'clientSecret' | 'basic'>): Partial<ClientCredentials> {
  if (!basic)
    return { ...(clientId !== undefined && { clientId }), ...(clientSecret !== undefined && { clientSecret }) };
  // Even an empty client_secret combines two ways of client authentication.
  if (clientSecret !== undefined) throw invalidRequest('client_secret and Basic authentication are combined');
  if (clientId && clientId !== basic.clientId) throw invalidRequest('client_id differs from the Basic authentication');
  return basic;
}

/**
 * Returns the credentials. Throws INVALID_CLIENT if a part is missing (RFC 6749 section 5.2: no client authentication
 * included).
 */
export function requiredCredentials({ clientId, clientSecret }: Partial<ClientCredentials>): ClientCredentials {
  if (clientId && clientSecret) return { clientId, clientSecret };
  const detail = `Client authentication failed: the client ${clientId ? 'secret' : 'id'} is missing`;
  throw new ServiceError('INVALID_CLIENT', { detail });
}

export function invalidRequest(detail: string): ServiceError {
  return new ServiceError('INVALID_REQUEST', { detail });
}
