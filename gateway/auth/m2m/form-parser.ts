// Strict parser of application/x-www-form-urlencoded (RFC 6749 section 3.2 and appendix B).
import { GatewayError } from '../../errors/gateway-error.ts';

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/**
 * Decodes UTF-8. Throws GatewayError INVALID_REQUEST if the bytes are not UTF-8.
 *
 * @param subject Names the bytes in the error: `The form`.
 */
export function decodeUtf8(bytes: Uint8Array, subject: string): string {
  try {
    return utf8.decode(bytes);
  } catch {
    throw new GatewayError('INVALID_REQUEST', `${subject} is not UTF-8`);
  }
}

/**
 * Decodes one form-urlencoded text. Throws GatewayError INVALID_REQUEST if a percent-encoding is malformed or not UTF-8.
 *
 * @param subject Names the text in the error: `The client id`.
 */
export function decodeFormText(text: string, subject: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    throw new GatewayError('INVALID_REQUEST', `${subject} has a malformed percent-encoding`);
  }
}

/** Parses a form. Throws GatewayError INVALID_REQUEST if it is malformed or repeats a parameter, even an unknown one. */
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
