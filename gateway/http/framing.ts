// How the bytes of a connection are divided into requests (RFC 9112 sections 6 and 9).
import type { IncomingMessage } from 'node:http';
import { GatewayError } from '../errors/gateway-error.ts';

/** Whether the body of a request, if it has one, is coded as the server can read it: in chunks or not at all. */
function hasSupportedTransferCoding({ headers }: IncomingMessage): boolean {
  const coding = headers['transfer-encoding'];
  return coding === undefined || coding.toLowerCase() === 'chunked';
}

/**
 * The error of a request whose body the server cannot read; undefined if it can. A body whose last coding is not chunked has no
 * end (RFC 9112 section 6.3): MALFORMED_REQUEST. Other codings below the chunks are NOT_IMPLEMENTED.
 */
export function transferCodingError(request: IncomingMessage): GatewayError | undefined {
  if (hasSupportedTransferCoding(request)) return undefined;
  const endsInChunks = /(?:^|[,\s])chunked\s*$/i.test(request.headers['transfer-encoding'] ?? '');
  return endsInChunks
    ? new GatewayError('NOT_IMPLEMENTED', 'The only transfer coding is chunked')
    : new GatewayError('MALFORMED_REQUEST', 'The last transfer coding is not chunked');
}

/**
 * Whether nothing that follows a request on its connection can be trusted to be the next request. After a request to upgrade,
 * Node discards the bytes that came together with it. HTTP/1.0 has no chunks, so an older proxy may have divided the bytes in
 * another way.
 */
export function mustBeLast(request: IncomingMessage): boolean {
  const { headers, httpVersion } = request;
  const isOldWithChunks = httpVersion === '1.0' && headers['transfer-encoding'] !== undefined;
  return headers.upgrade !== undefined || isOldWithChunks || !hasSupportedTransferCoding(request);
}
