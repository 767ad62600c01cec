// Parses the request of a machine client, as a form or as JSON. The core validates the values.
import type { FastifyRequest } from 'fastify';
import type {
  IntrospectTokenRequest,
  IssueTokenRequest,
  RevokeTokenRequest,
} from '../../../proto/gen/authservice/clientcredentials/v1/client_credentials_service.ts';
import type {
  AuthorizeDeviceRequest,
  ExchangeTokenRequest,
} from '../../../proto/gen/authservice/oauth/v1/authorization_service.ts';
import { GatewayError } from '../../errors/gateway-error.ts';
import { isPlainUtf8 } from '../../http/json-body.ts';
import { parseJson } from '../../http/json-parser.ts';
import { basicAuthentication } from './basic-authentication.ts';
import { requestFormatOf, mediaTypeOf } from './request-format.ts';
import { parseForm } from './form-parser.ts';

/** The parameters that are present, and the Basic credentials if there are any. */
export type ClientRequest = IssueTokenRequest &
  IntrospectTokenRequest &
  RevokeTokenRequest &
  AuthorizeDeviceRequest &
  ExchangeTokenRequest;

/**
 * Reads the body and the Authorization header. Parameters that are not in `names` are ignored (RFC 6749 section 3.2). Throws
 * GatewayError INVALID_REQUEST or MALFORMED_REQUEST if they cannot be parsed.
 *
 * @param names Names of parameters by the members of the request message.
 * @param body The whole body, as received.
 * @param authorization Every Authorization header.
 * @param options.formOnly Whether JSON is refused.
 */
export function readClientRequest(
  names: Readonly<Record<string, string>>,
  request: Pick<FastifyRequest, 'headers'>,
  body: Uint8Array,
  authorization: readonly string[],
  { formOnly = false }: { readonly formOnly?: boolean | undefined } = {},
): ClientRequest {
  const basic = basicAuthentication(authorization);
  if (formOnly || requestFormatOf(request) === 'form') {
    requireForm(request, { formOnly });
    const form = parseForm(body);
    return { ...readParameters(names, (name) => form.get(name)), ...(basic && { basic }) };
  }
  if (!isPlainUtf8(request)) throw notPlain();
  if (basic) throw invalid('Basic authentication requires a form body, not JSON');
  return readParameters(names, jsonValues(body));
}

type ValueOf = (name: string) => string | undefined;

/** Throws GatewayError INVALID_REQUEST unless the body is a form. */
export function requireForm(
  request: Pick<FastifyRequest, 'headers'>,
  { formOnly }: { readonly formOnly: boolean },
): void {
  if (!isPlainUtf8(request)) throw notPlain();
  if (mediaTypeOf(request) === 'application/x-www-form-urlencoded') return;
  throw invalid(`The content type must be application/x-www-form-urlencoded${formOnly ? '' : ' or application/json'}`);
}

const notPlain = () => invalid('The request body must be UTF-8 without content encoding');

function jsonValues(body: Uint8Array): ValueOf {
  const value = parseJson(body);
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw invalid('The request body must be a JSON object');
  const members = new Map<string, unknown>(Object.entries(value));
  return (name) => {
    const member = members.get(name);
    if (member !== undefined && typeof member !== 'string') throw invalid(`${name} must be a string`);
    return member;
  };
}

/** Absent parameters get no member, not even an undefined one. */
function readParameters(names: Readonly<Record<string, string>>, valueOf: ValueOf): ClientRequest {
  const values = Object.entries(names).map(([key, name]) => [key, valueOf(name)] as const);
  return Object.fromEntries(values.filter(([, value]) => value !== undefined));
}

function invalid(message: string): GatewayError {
  return new GatewayError('INVALID_REQUEST', message);
}
