// How a request may authenticate its client (RFC 6749 section 2.3): a pure check of its decoded fields.
import type { IssueTokenRequest } from '../../proto/gen/authservice/clientcredentials/v1/client_credentials_service.ts';
import { ServiceError } from '../errors.ts';

/** The fields that authenticate a client. */
export type ClientFields = Pick<IssueTokenRequest, 'clientId' | 'clientSecret' | 'basic'>;

/** What a client authenticates with. Both have at least one character. */
export interface ClientCredentials {
  readonly clientId: string;
  readonly clientSecret: string;
}

/** The credentials as sent; either may be missing or empty. Throws INVALID_REQUEST if two methods are combined. */
export function sentCredentials(request: ClientFields): Partial<ClientCredentials> {
  const { basic, clientId, clientSecret } = request;
  if (!basic)
    return { ...(clientId !== undefined && { clientId }), ...(clientSecret !== undefined && { clientSecret }) };
  // Even an empty one: two ways of client authentication are combined then.
  if (clientSecret !== undefined) throw invalidRequest('client_secret and Basic authentication are combined');
  if (clientId && clientId !== basic.clientId)
    throw invalidRequest('client_id is not that of the Basic authentication');
  return basic;
}

/** The credentials if both parts came. Throws INVALID_CLIENT (RFC 6749 section 5.2: no client authentication included). */
export function requiredCredentials({ clientId, clientSecret }: Partial<ClientCredentials>): ClientCredentials {
  if (clientId && clientSecret) return { clientId, clientSecret };
  const detail = `Client authentication failed: the client ${clientId ? 'secret' : 'id'} is missing`;
  throw new ServiceError('INVALID_CLIENT', { detail });
}

export function invalidRequest(detail: string): ServiceError {
  return new ServiceError('INVALID_REQUEST', { detail });
}
