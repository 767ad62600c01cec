// Hand-written HTTP/1.1, for requests and header bytes that HTTP clients do not send.
import { connect, type Socket } from 'node:net';

export interface RawResponse {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** The body parsed as JSON. Undefined if it is empty or not JSON. */
  readonly body: any; // Tests assert on bodies of any type.
}

export interface RawOptions {
  /** Number of responses to wait for. Default: all until the server closes the connection. */
  readonly responses?: number;
  /** Whether the responses are to HEAD: they have no body, independent of Content-Length. */
  readonly head?: boolean;
  /** Whether to end the sending side after the last byte. */
  readonly halfClose?: boolean;
}

const TIMEOUT_MS = 10_000;

/**
 * The bytes of a request: header lines as given, a Host where none is, and a Content-Length where there is a body and the
 * lines do not frame it themselves. Text goes as latin1, a byte for each character.
 */
export function rawRequest(requestLine: string, lines: readonly string[] = [], body: string | Buffer = ''): Buffer {
  const has = (name: string) => lines.some((line) => line.toLowerCase().startsWith(`${name}:`));
  const content = typeof body === 'string' ? Buffer.from(body, 'latin1') : body;
  const framed = content.length === 0 || has('content-length') || has('transfer-encoding');
  const head = [
    requestLine,
    ...(has('host') ? [] : ['Host: service.test']),
    ...lines,
    ...(framed ? [] : [`Content-Length: ${content.length}`]),
  ];
  return Buffer.concat([Buffer.from(`${head.join('\r\n')}\r\n\r\n`, 'latin1'), content]);
}

/** Sends bytes on a new connection and returns the first response. */
export async function sendRaw(url: string, bytes: string | Buffer, options: RawOptions = {}): Promise<RawResponse> {
  const [response] = await exchangeRaw(url, bytes, { ...options, responses: 1 });
  if (!response) throw new Error('the connection ended without a response');
  return response;
}

/** Sends bytes on a new connection and returns the responses. Rejects if they are not valid HTTP, or if there are none. */
export async function exchangeRaw(
  url: string,
  bytes: string | Buffer,
  options: RawOptions = {},
): Promise<RawResponse[]> {
  const { hostname, port } = new URL(url);
  const socket = connect({ host: hostname, port: Number(port), allowHalfOpen: true });
  try {
    const responses = readResponses(socket, options.responses ?? Infinity, options.head === true);
    const sent = Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes, 'latin1');
    if (options.halfClose) socket.end(sent);
    else socket.write(sent);
    return await responses;
  } finally {
    socket.destroy();
  }
}

function readResponses(socket: Socket, wanted: number, head: boolean): Promise<RawResponse[]> {
  const responses: RawResponse[] = [];
  let received: Buffer = Buffer.alloc(0);
  return new Promise((resolve, reject) => {
    const fail = (why: string) =>
      reject(new Error(`${why} after ${responses.length} answers and ${JSON.stringify(received.toString('latin1'))}`));
    socket.setTimeout(TIMEOUT_MS, () => fail('nothing came'));
    socket.on('error', reject);
    socket.on('end', () => {
      if (received.length === 0) return resolve(responses);
      const last = takeUnframedResponse(received);
      if (last) resolve([...responses, last]);
      else fail('the connection ended');
    });
    socket.on('data', (chunk: Buffer) => {
      received = Buffer.concat([received, chunk]);
      try {
        for (let next = takeResponse(received, head); next; next = takeResponse(received, head)) {
          received = next.rest;
          if (next.response.status >= 200) responses.push(next.response);
        }
      } catch (error) {
        reject(error);
      }
      if (responses.length >= wanted) resolve(responses);
    });
  });
}

const STATUS_LINE = /^HTTP\/1\.1 (\d{3}) [ -~]*$/;
const HEADER_LINE = /^([!#$%&'*+\-.^_`|~\w]+): ?([\t -~]*)$/;

interface Head {
  readonly status: number;
  readonly headers: Headers;
  /** Offset of the body. */
  readonly start: number;
}

/** Returns the complete head at the start of the bytes. Throws if the bytes are not HTTP/1.1. */
function takeHead(bytes: Buffer): Head | undefined {
  const end = bytes.indexOf('\r\n\r\n');
  if (end === -1) return undefined;
  const [statusLine = '', ...lines] = bytes.subarray(0, end).toString('latin1').split('\r\n');
  const status = Number(STATUS_LINE.exec(statusLine)?.[1]);
  if (!status) throw new Error(`no status line: ${JSON.stringify(statusLine)}`);
  const headers = new Headers();
  for (const line of lines) {
    const [, name, value] = HEADER_LINE.exec(line) ?? [];
    if (name === undefined) throw new Error(`no header line: ${JSON.stringify(line)}`);
    headers.append(name, value!);
  }
  return { status, headers, start: end + 4 };
}

/** Whether the connection's end is the end of the body (RFC 9112 section 6.3). */
const isUnframed = ({ headers }: Head) =>
  headers.get('connection') === 'close' && !headers.has('content-length') && !headers.has('transfer-encoding');

/** Returns the response that the end of the connection has completed. */
function takeUnframedResponse(bytes: Buffer): RawResponse | undefined {
  const head = takeHead(bytes);
  if (!head || !isUnframed(head)) return undefined;
  const text = bytes.subarray(head.start).toString();
  return { status: head.status, headers: head.headers, text, body: parsed(text) };
}

/** Returns the first complete response in the bytes, and the rest. Throws if the bytes are not HTTP/1.1. */
function takeResponse(bytes: Buffer, isHead: boolean): { response: RawResponse; rest: Buffer } | undefined {
  const head = takeHead(bytes);
  if (!head) return undefined;
  const { status, headers, start } = head;
  const bodiless = isHead || status < 200 || status === 204 || status === 304;
  const length = bodiless ? 0 : Number(headers.get('content-length') ?? Number.NaN);
  if (Number.isNaN(length) && isUnframed(head)) return undefined;
  if (Number.isNaN(length)) throw new Error(`no length: ${JSON.stringify([...headers])}`);
  if (bytes.length < start + length) return undefined;
  const text = bytes.subarray(start, start + length).toString();
  return { response: { status, headers, text, body: parsed(text) }, rest: bytes.subarray(start + length) };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
