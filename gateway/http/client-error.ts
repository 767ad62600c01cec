// Answers on the bare socket, for requests that Node cannot make a request object of.
import { STATUS_CODES } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { NO_SNIFFING } from '../errors/no-sniffing.ts';
import { requestPath } from '../../src/problem/request-path.ts';
import { isUpload } from './upload.ts';
import type { FailureName } from '../../src/problem/catalogue.ts';
import type { ErrorResponse, ErrorFormatter } from '../errors/error-formats.ts';
import { unreadFailure } from '../errors/failure.ts';
import { failure } from '../../src/problem/problem.ts';
import type { Disclosure } from '../errors/failure.ts';

/** What Node tells of a broken request; of one that is late, neither packet nor position. */
interface ClientError extends Error {
  readonly code?: string;
  readonly rawPacket?: Buffer;
  readonly bytesParsed?: number;
}

/** The response that a connection is busy with, by the name under which Node's own handler asks for it. */
interface HttpSocket extends Duplex {
  readonly _httpMessage?: (ServerResponse & { readonly req: IncomingMessage }) | null;
}

/** Any other code is a malformed request. */
const FAILURES: Readonly<Record<string, FailureName>> = {
  ERR_HTTP_REQUEST_TIMEOUT: 'REQUEST_TIMEOUT',
  HPE_HEADER_OVERFLOW: 'HEADERS_TOO_LARGE',
  HPE_CHUNK_EXTENSIONS_OVERFLOW: 'PAYLOAD_TOO_LARGE',
};

const REQUEST_LINE = /^[A-Z-]+ (\S+) HTTP\/1\.[01]\r\n/;

/** The path of the broken request: of one whose body broke, or where the packet begins with it and holds no other before it. */
function pathOf({ rawPacket, bytesParsed }: ClientError, socket: HttpSocket): string | undefined {
  const busyWith = socket._httpMessage?.req;
  if (busyWith && !busyWith.complete) return requestPath(busyWith.url ?? '/');
  const parsed = rawPacket?.subarray(0, bytesParsed).toString('latin1') ?? '';
  const target = parsed.includes('\r\n\r\n') ? undefined : REQUEST_LINE.exec(rawPacket?.toString('latin1') ?? '')?.[1];
  return target === undefined ? undefined : requestPath(target);
}

function wholeAnswer(error: ClientError, socket: HttpSocket, forms: ErrorFormatter, disclosure: Disclosure): string {
  const path = pathOf(error, socket);
  const unread = unreadFailure(FAILURES[error.code ?? ''] ?? 'MALFORMED_REQUEST', error, disclosure);
  return lastAnswer(forms(path)(unread, disclosure.mode, path));
}

/** The answer to a connection that is one too many, before any request has been read. */
export function tooManyConnections(forms: ErrorFormatter, { mode }: Disclosure): string {
  return lastAnswer(forms(undefined)(failure('SERVICE_UNAVAILABLE', 'Too many connections'), mode, undefined));
}

function lastAnswer({ status, headers, body }: ErrorResponse): string {
  const text = JSON.stringify(body);
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

/** Ends the connection with `answer`, after the answers to the requests that came whole before the broken one. */
function endWith(socket: HttpSocket, answer: string): void {
  const busyWith = socket._httpMessage;
  if (!socket.writable) socket.destroy();
  else if (!busyWith) socket.end(answer);
  else if (busyWith.req.complete) busyWith.once('close', () => endWith(socket, answer));
  else if (busyWith.headersSent) socket.destroy();
  else socket.end(answer);
}

/** Handler of the server's `clientError` event: writes a whole HTTP answer and closes the connection. */
export function clientErrorHandler(forms: ErrorFormatter, disclosure: Disclosure) {
  return (error: Error, socket: Duplex): void => {
    const { code } = error as ClientError;
    if (code === 'ECONNRESET' || socket.destroyed) return;
    // Node says so once, and leaves it to us; uploads have limits of their own.
    if (code === 'ERR_HTTP_REQUEST_TIMEOUT' && isUpload((socket as HttpSocket)._httpMessage?.req)) return;
    endWith(socket, wholeAnswer(error, socket, forms, disclosure));
  };
}
