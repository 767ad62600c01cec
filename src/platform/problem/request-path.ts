// The path of a request in the form of RFC 3986 section 3.3, whatever the client has sent.

/** Scheme and authority of a request target in absolute form (RFC 9112 section 3.2.2). */
const SCHEME_AND_AUTHORITY = /^[a-z][a-z\d+.-]*:\/\/[^/?#]*/i;
const NO_PATH_CHARACTER = /[^\w\-.~!$&'()*+,;=:@/%]/g;

const percentEncoded = (character: string): string =>
  [...Buffer.from(character, 'latin1')].map((byte) => `%${byte.toString(16).toUpperCase().padStart(2, '0')}`).join('');

/**
 * Returns the path of a request target without its query. Percent-encoding stays as received. Bytes that are not
 * allowed in a path are percent-encoded.
 */
export function requestPath(target: string): string {
  const relative = target.startsWith('/') ? target : target.replace(SCHEME_AND_AUTHORITY, '');
  const end = relative.search(/[?#]/);
  const path = end === -1 ? relative : relative.slice(0, end);
  return path.replace(NO_PATH_CHARACTER, percentEncoded) || '/';
}
