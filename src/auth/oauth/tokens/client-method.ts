// Reads how a client authenticates (RFC 6749 section 2.3, RFC 7523 section 2.2). A pure check of the decoded parameters.
import { ServiceError } from '../../../platform/errors.ts';
import { decodeAssertion } from '../../token/client-assertion-jwt.ts';

/** The parameters of client authentication. An empty one counts as absent. */
export interface PresentedClient {
  readonly clientId?: string | undefined;
  readonly clientSecret?: string | undefined;
  /** The credentials of the Authorization header. */
  readonly basic?: { readonly clientId: string; readonly clientSecret: string } | undefined;
  readonly clientAssertion?: string | undefined;
  readonly clientAssertionType?: string | undefined;
}

export type ClientEndpoint = 'token' | 'par' | 'device' | 'introspect' | 'revoke';

/** How a client authenticates. A public client only names itself. */
export type ClientMethod = { readonly clientId: string } & (
  | { readonly kind: 'none' }
  | { readonly kind: 'secret'; readonly secret: string }
  | { readonly kind: 'assertion'; readonly assertion: string }
);

const JWT_BEARER = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer';

/**
 * Returns the one method of a request. Checks in this order:
 * - INVALID_REQUEST if two methods are combined, or if the assertion or its type is missing
 * - INVALID_CLIENT if the type of the assertion is unknown
 * - INVALID_REQUEST if two client ids differ
 * - INVALID_CLIENT if the assertion has no subject
 * - INVALID_REQUEST if there is no client id, which token requests must have (RFC 6749 section 3.2.1); INVALID_CLIENT at introspection
 *   and revocation
 */
export function readClientMethod(presented: PresentedClient, endpoint: ClientEndpoint): ClientMethod {
  const { basic, clientId: named, clientSecret, clientAssertion: assertion, clientAssertionType: type } = presented;
  const secret = basic?.clientSecret || clientSecret;
  if ((basic?.clientSecret && clientSecret) || (secret && assertion)) throw invalidRequest('two methods are combined');
  if (Boolean(assertion) !== Boolean(type))
    throw invalidRequest('client_assertion and client_assertion_type belong together');
  if (type && type !== JWT_BEARER) throw invalidClient(`client_assertion_type must be ${JWT_BEARER}`);
  if (basic?.clientId && named && basic.clientId !== named)
    throw invalidRequest('client_id differs from the Basic authentication');
  const clientId = basic?.clientId || named || (assertion && subjectOf(assertion));
  if (!clientId) {
    if (assertion) throw invalidClient('the assertion has no subject');
    if (endpoint !== 'introspect' && endpoint !== 'revoke') throw invalidRequest('the client id is missing');
    throw invalidClient('the client id is missing');
  }
  if (assertion) return { kind: 'assertion', clientId, assertion };
  return secret ? { kind: 'secret', clientId, secret } : { kind: 'none', clientId };
}

/** The client id is optional beside an assertion, whose subject it is (RFC 7521 section 4.2). */
function subjectOf(assertion: string): string | undefined {
  const sub = decodeAssertion(assertion)?.sub;
  return typeof sub === 'string' ? sub : undefined;
}

function invalidRequest(detail: string): ServiceError {
  return new ServiceError('INVALID_REQUEST', { detail });
}

function invalidClient(detail: string): ServiceError {
  return new ServiceError('INVALID_CLIENT', { detail: `Client authentication failed: ${detail}` });
}
