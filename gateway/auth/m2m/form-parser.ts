// application/x-www-form-urlencoded, read strictly (RFC 6749 section 3.2 and appendix B).
import { GatewayError } from '../../errors/gateway-error.ts';

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Decodes bytes that must be UTF-8. Throws GatewayError INVALID_REQUEST for others. */
export function decodeUtf8(bytes: Uint8Array, what: string): string {
  try {
    return utf8.decode(bytes);
  } catch {
    throw new GatewayError('INVALID_REQUEST', `${what} is not UTF-8`);
  }
}

/** Decodes one form-urlencoded text. Throws GatewayError INVALID_REQUEST for an escape that is none, or not UTF-8. */
export function decodeFormText(text: string, what: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    throw new GatewayError('INVALID_REQUEST', `${what} has a malformed percent-encoding`);
  }
}

/** Reads a form. Throws GatewayError INVALID_REQUEST where it is malformed, or a parameter, known or not, comes twice. */
export function parseForm(body: Uint8Array): ReadonlyMap<string, string> {
  const parameters = new Map<string, string>();
  for (const pair of decodeUtf8(body, 'The form').split('&')) {
    if (pair === '') continue;
    const [, encodedName = '', encodedValue = ''] = /^([^=]*)=?(.*)$/s.exec(pair)!;
    const name = decodeFormText(encodedName, 'A parameter name');
    if (parameters.has(name)) throw new GatewayError('INVALID_REQUEST', 'A parameter was sent twice');
    parameters.set(name, decodeFormText(encodedValue, 'A parameter'));
  }
  return parameters;
}
