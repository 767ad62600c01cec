// HTTP as bytes on a socket, for what no well-behaved client would send.
import { once } from 'node:events';
import { connect } from 'node:net';
import type { AddressInfo, Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';

export interface RawResponse {
  readonly status: number;
  /** By lower-case name. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** Splits what a connection has answered into its whole responses; all must carry Content-Length. */
export function responsesIn(received: string): RawResponse[] {
  const responses: RawResponse[] = [];
  let rest = received;
  while (rest.includes('\r\n\r\n')) {
    const [head = '', ...after] = rest.split('\r\n\r\n');
    const [statusLine = '', ...lines] = head.split('\r\n');
    const headers = Object.fromEntries(
      lines
        .map((line) => line.split(/: ?(.*)/s).slice(0, 2))
        .map(([name = '', value = '']) => [name.toLowerCase(), value]),
    );
    const text = after.join('\r\n\r\n');
    const length = Number(headers['content-length'] ?? 0);
    if (text.length < length) break;
    responses.push({ status: Number(statusLine.split(' ')[1]), headers, body: text.slice(0, length) });
    rest = text.slice(length);
  }
  return responses;
}

export interface RawConnection {
  readonly socket: Socket;
  /** Waits until the connection has given so many answers. */
  responses(count: number): Promise<RawResponse[]>;
  /** Waits until the server has closed the connection; then, all responses. */
  closed(): Promise<RawResponse[]>;
}

/** Opens a connection to a listening app. */
export async function open(app: FastifyInstance): Promise<RawConnection> {
  const socket = connect((app.server.address() as AddressInfo).port, '127.0.0.1');
  let received = '';
  socket.setEncoding('latin1');
  socket.on('data', (chunk: string) => (received += chunk));
  socket.on('error', () => undefined);
  // A reset is an end too: `once` of node:events would reject.
  const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()));
  await once(socket, 'connect');
  return {
    socket,
    responses: async (count) => {
      while (responsesIn(received).length < count) {
        if (socket.destroyed) throw new Error(`closed after: ${received}`);
        await Promise.race([once(socket, 'data'), closed]);
      }
      return responsesIn(received);
    },
    closed: async () => {
      await closed;
      return responsesIn(received);
    },
  };
}

/** Sends bytes on a connection of their own and waits until the server closes it. */
export async function exchange(app: FastifyInstance, request: string): Promise<RawResponse[]> {
  const { socket, closed } = await open(app);
  socket.write(request, 'latin1');
  return closed();
}

/** A request without a body. */
export const request = (line: string, ...headers: string[]): string =>
  [`${line} HTTP/1.1`, 'Host: h', ...headers, '', ''].join('\r\n');

/** A request after which the connection closes. */
export const lastly = (line: string, ...headers: string[]): string => request(line, ...headers, 'Connection: close');
