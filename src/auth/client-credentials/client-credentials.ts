// Reads the client authentication of a request (RFC 6749 section 2.3). A pure check of its decoded fields.
import type {
  IntrospectTokenRequest,
  IssueTokenRequest,
} from '../../../proto/gen/authservice/clientcredentials/v1/client_credentials_service.ts';
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

/** How a request about a token authenticates its client. */
export type PresentedClient = Pick<
  IntrospectTokenRequest,
  'clientId' | 'clientSecret' | 'basic' | 'clientAssertion' | 'clientAssertionType'
>;

/** Returns the parameters of client authentication. Throws INVALID_REQUEST if Basic is combined with a secret or another client id. */
export function readPresentedClient(request: PresentedClient): PresentedClient {
  readCredentials(request);
  const { basic, clientId, clientSecret, clientAssertion, clientAssertionType } = request;
  return { basic, clientId, clientSecret, clientAssertion, clientAssertionType };
}

export function invalidRequest(detail: string): ServiceError {
  return new ServiceError('INVALID_REQUEST', { detail });
}
