import type { IncomingMessage } from 'node:http';

/** A host with an optional port (RFC 3986 section 3.2), or empty. No comma, because Node joins repeated headers with it. */
const HOST = /^(?:[\w\-.~!$&'()*+;=%]*|\[[\da-f:.]+\])(?::\d*)?$/i;

/**
 * Whether a request has exactly one valid Host header (RFC 9112 section 3.2). HTTP/1.0 does not require one. Of several, Node keeps
 * the first, but a proxy might use the last.
 */
export function namesOneHost({ headers, rawHeaders, httpVersion }: IncomingMessage): boolean {
  const { host } = headers;
  if (host === undefined) return httpVersion !== '1.1';
  let hosts = 0;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index]!;
    if (name.length === 4 && name.toLowerCase() === 'host') hosts += 1;
  }
  return hosts === 1 && HOST.test(host);
}
