// Reads a token request in its dialect. What its fields must say is the core's to judge.
import type { FastifyRequest } from 'fastify';
import type { IssueTokenRequest } from '../../../proto/gen/client_credentials/v1/client_credentials_service.ts';
import { GatewayError } from '../../errors/gateway-error.ts';
import { isPlainUtf8 } from '../../http/json-body.ts';
import { parseJson } from '../../http/json-parser.ts';
import { basicAuthentication } from './basic-authentication.ts';
import { dialectOf, mediaTypeOf } from './dialect.ts';
import { parseForm } from './form-parser.ts';

type Parameters = Omit<IssueTokenRequest, 'basic'>;

const NAMES = {
  grantType: 'grant_type',
  clientId: 'client_id',
  clientSecret: 'client_secret',
  scope: 'scope',
} as const satisfies Record<keyof Parameters, string>;

/**
 * Reads body and Authorization header. Parameters that it does not know are ignored (RFC 6749 section 3.2). Throws
 * GatewayError INVALID_REQUEST or MALFORMED_REQUEST where they cannot be read.
 *
 * @param body All of it, as received.
 * @param authorization Every Authorization header.
 */
export function readTokenRequest(
  request: Pick<FastifyRequest, 'headers'>,
  body: Uint8Array,
  authorization: readonly string[],
): IssueTokenRequest {
  const basic = basicAuthentication(authorization);
  if (!isPlainUtf8(request)) throw invalid('The body must be UTF-8 and not encoded otherwise');
  if (dialectOf(request) === 'form') return { ...formParameters(request, body), ...(basic && { basic }) };
  if (basic) throw invalid('Basic authentication belongs to the form dialect');
  return jsonParameters(body);
}

function formParameters(request: Pick<FastifyRequest, 'headers'>, body: Uint8Array): Parameters {
  if (mediaTypeOf(request) !== 'application/x-www-form-urlencoded') {
    throw invalid('The content type must be application/x-www-form-urlencoded or application/json');
  }
  const form = parseForm(body);
  return present((name) => form.get(name));
}

function jsonParameters(body: Uint8Array): Parameters {
  const value = parseJson(body);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw invalid('The body is no JSON object');
  const members = new Map<string, unknown>(Object.entries(value));
  return present((name) => {
    const member = members.get(name);
    if (member !== undefined && typeof member !== 'string') throw invalid(`${name} must be a string`);
    return member;
  });
}

/** The parameters that were sent; an absent one has no member at all. */
function present(valueOf: (name: string) => string | undefined): Parameters {
  const values = Object.entries(NAMES).map(([key, name]) => [key, valueOf(name)] as const);
  return Object.fromEntries(values.filter(([, value]) => value !== undefined));
}

function invalid(message: string): GatewayError {
  return new GatewayError('INVALID_REQUEST', message);
}
