// Message framing: how the bytes of a connection are divided into requests (RFC 9112 sections 6 and 9).
import type { IncomingMessage } from 'node:http';
import { GatewayError } from '../errors/gateway-error.ts';

/** Whether the server supports the transfer coding of a request: chunked, or none. */
function hasSupportedTransferCoding({ headers }: IncomingMessage): boolean {
  const coding = headers['transfer-encoding'];
  return coding === undefined || coding.toLowerCase() === 'chunked';
}

/**
 * Returns the error of an unsupported transfer coding, else undefined. MALFORMED_REQUEST if the last coding is not chunked: such a
 * body has no defined end (RFC 9112 section 6.3). NOT_IMPLEMENTED for other codings before chunked.
 */
export function transferCodingError(request: IncomingMessage): GatewayError | undefined {
  if (hasSupportedTransferCoding(request)) return undefined;
  const endsInChunks = /(?:^|[,\s])chunked\s*$/i.test(request.headers['transfer-encoding'] ?? '');
  return endsInChunks
    ? new GatewayError('NOT_IMPLEMENTED', 'The only transfer coding is chunked')
    : new GatewayError('MALFORMED_REQUEST', 'The last transfer coding is not chunked');
}

/**
 * Whether a request must be the last on its connection, because the bytes after it can be something else than a request. After
 * an upgrade request, Node discards the bytes that arrived with it. HTTP/1.0 has no chunks, so an older proxy may divide the
 * bytes differently.
 */
export function mustBeLast(request: IncomingMessage): boolean {
  const { headers, httpVersion } = request;
  const isOldWithChunks = httpVersion === '1.0' && headers['transfer-encoding'] !== undefined;
  return headers.upgrade !== undefined || isOldWithChunks || !hasSupportedTransferCoding(request);
}
