// The path of a request as RFC 3986 section 3.3 spells one, whatever the client has sent.

/** Scheme and authority of a request target in absolute form (RFC 9112 section 3.2.2). */
const SCHEME_AND_AUTHORITY = /^[a-z][a-z\d+.-]*:\/\/[^/?#]*/i;
const NO_PATH_CHARACTER = /[^\w\-.~!$&'()*+,;=:@/%]/g;

const percentEncoded = (character: string): string =>
  [...Buffer.from(character, 'latin1')].map((byte) => `%${byte.toString(16).toUpperCase().padStart(2, '0')}`).join('');

/**
 * The path of a request target, without query and with its percent-encoding as received; other bytes that
 * no path may hold come percent-encoded.
 */
export function requestPath(target: string): string {
  const relative = target.startsWith('/') ? target : target.replace(SCHEME_AND_AUTHORITY, '');
  const end = relative.search(/[?#]/);
  const path = end === -1 ? relative : relative.slice(0, end);
  return path.replace(NO_PATH_CHARACTER, percentEncoded) || '/';
}
