// Error responses written to the socket, for input that Node could not parse as a request.
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { hasWaitingRequests } from '../../src/platform/concurrency/pipelining.ts';
import { NO_SNIFFING } from '../errors/error-handler.ts';
import { requestPath } from '../../src/platform/problem/request-path.ts';
import { STATUS_CODES } from './node-http.ts';
import { isUpload } from './upload.ts';
import type { FailureName } from '../../src/platform/problem/catalogue.ts';
import { bodyText, respondTo, type ErrorFormatOf, type ErrorResponse } from '../errors/error-formats.ts';
import { type Disclosure, unreadFailure } from '../errors/failure.ts';
import { failure } from '../../src/platform/problem/problem.ts';

/** Node's error for a malformed request. If the request timed out, there is neither packet nor position. */
interface ClientError extends Error {
  readonly code?: string;
  readonly rawPacket?: Buffer;
  readonly bytesParsed?: number;
}

/** A socket with its current response. The name is private to Node, whose default handler uses it too. */
interface HttpSocket extends Duplex {
  readonly _httpMessage?: (ServerResponse & { readonly req: IncomingMessage }) | null;
}

/** Failures by Node's error codes. Any other code is MALFORMED_REQUEST. */
const FAILURES: Readonly<Record<string, FailureName>> = {
  ERR_HTTP_REQUEST_TIMEOUT: 'REQUEST_TIMEOUT',
  HPE_HEADER_OVERFLOW: 'HEADERS_TOO_LARGE',
  HPE_CHUNK_EXTENSIONS_OVERFLOW: 'PAYLOAD_TOO_LARGE',
};

/** A request line. One with a query that goes beyond the packet has no end. */
const REQUEST_LINE = /^[A-Z-]+ (?:(\S+) HTTP\/1\.[01]\r\n|([^\s?]+)\?\S*$)/;

/**
 * Returns the path of the malformed request: that of the current request if its body is malformed, else that of the packet's first
 * line. Undefined if the packet begins with another request.
 */
function pathOf({ rawPacket, bytesParsed }: ClientError, socket: HttpSocket): string | undefined {
  const current = socket._httpMessage?.req;
  if (current && !current.complete) return requestPath(current.url ?? '/');
  const parsed = rawPacket?.subarray(0, bytesParsed).toString('latin1') ?? '';
  const line = parsed.includes('\r\n\r\n') ? undefined : REQUEST_LINE.exec(rawPacket?.toString('latin1') ?? '');
  const target = line?.[1] ?? line?.[2];
  return target === undefined ? undefined : requestPath(target);
}

function formatClientError(
  error: ClientError,
  socket: HttpSocket,
  formatOf: ErrorFormatOf,
  disclosure: Disclosure,
): string {
  const path = pathOf(error, socket);
  const unread = unreadFailure(FAILURES[error.code ?? ''] ?? 'MALFORMED_REQUEST', error, disclosure);
  return formatFinalResponse(respondTo(unread, disclosure.mode, formatOf(path), path));
}

/** Returns the response for a connection beyond the limit, before a request has been read. */
export function tooManyConnections(formatOf: ErrorFormatOf, { mode }: Disclosure): string {
  const busy = failure('SERVICE_UNAVAILABLE', 'Too many connections');
  return formatFinalResponse(respondTo(busy, mode, formatOf(undefined), undefined));
}

function formatFinalResponse({ status, headers, body }: ErrorResponse): string {
  const text = bodyText({ body });
  const lines = Object.entries({
    ...headers,
    ...NO_SNIFFING,
    'content-length': Buffer.byteLength(text),
    connection: 'close',
  });
  return [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    ...lines.map(([name, value]) => `${name}: ${value}`),
    '',
    text,
  ].join('\r\n');
}

/** Sends `response` and closes the connection, after the responses to the complete requests before the malformed one. */
function endWith(socket: HttpSocket, response: string): void {
  const current = socket._httpMessage;
  if (!socket.writable) socket.destroy();
  else if (!current && hasWaitingRequests(socket)) setImmediate(endWith, socket, response);
  else if (!current) socket.end(response);
  else if (current.req.complete) current.once('close', () => endWith(socket, response));
  else if (current.headersSent) socket.destroy();
  else socket.end(response);
}

/** Creates the handler of the server's `clientError` event. It writes a complete HTTP response and closes the connection. */
export function clientErrorHandler(formatOf: ErrorFormatOf, disclosure: Disclosure) {
  return (error: Error, socket: Duplex): void => {
    const { code } = error as ClientError;
    if (code === 'ECONNRESET' || socket.destroyed) return;
    // Node reports the timeout once and leaves the connection open. Uploads have their own timeouts.
    if (code === 'ERR_HTTP_REQUEST_TIMEOUT' && isUpload((socket as HttpSocket)._httpMessage?.req)) return;
    endWith(socket, formatClientError(error, socket, formatOf, disclosure));
  };
}
