// Client authentication by the Authorization header (RFC 6749 section 2.3.1, RFC 7617).
import type { BasicAuthentication } from '../../../proto/gen/authservice/clientcredentials/v1/client_credentials_service.ts';
import { GatewayError } from '../../errors/gateway-error.ts';
import { usesBasic } from './request-format.ts';
import { decodeFormText, decodeUtf8 } from './form-parser.ts';
import { decodeBase64 } from '../../../src/platform/formats/base64.ts';

const CREDENTIALS = /^basic +([A-Za-z0-9+/]+={0,2})$/i;

/**
 * Reads the client id and secret from the Authorization headers of a request. Returns undefined if none is Basic: other schemes
 * are not client authentication. Throws GatewayError INVALID_REQUEST if a header is malformed or repeated (RFC 6749 section 5.2).
 */
export function basicAuthentication(authorization: readonly string[]): BasicAuthentication | undefined {
  const [header = '', ...others] = authorization;
  if (others.length > 0) throw malformed('was sent more than once');
  if (!usesBasic(header)) return undefined;
  const decoded = decodeUtf8(decodeCredentials(CREDENTIALS.exec(header)?.[1]), 'The Authorization header');
  const colon = decoded.indexOf(':');
  if (colon === -1) throw malformed('has no colon between client id and secret');
  return {
    clientId: decodeFormText(decoded.slice(0, colon), 'The client id'),
    clientSecret: decodeFormText(decoded.slice(colon + 1), 'The client secret'),
  };
}

function decodeCredentials(text: string | undefined): Buffer {
  const bytes = text === undefined ? undefined : decodeBase64(text, 'base64');
  if (bytes === undefined) throw malformed('must have valid base64 after "Basic"');
  return bytes;
}

function malformed(problem: string): GatewayError {
  return new GatewayError('INVALID_REQUEST', `The Authorization header ${problem}`);
}
