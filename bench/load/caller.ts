// Unary gRPC calls over node:http2. A gRPC library would be the bottleneck instead of the core.
import { readFileSync } from 'node:fs';
import { connect, constants, type ClientHttp2Session, type OutgoingHttpHeaders } from 'node:http2';

export interface CallerOptions {
  /** `http://127.0.0.1:50051`, or `https://…` for TLS. */
  readonly target: string;
  /** File of the CA that signed the server's certificate. Default: the CAs that Node trusts. */
  readonly ca?: string | undefined;
  /** File of the certificate to present. */
  readonly cert?: string | undefined;
  /** File of its key. */
  readonly key?: string | undefined;
  /** Number of HTTP/2 connections. */
  readonly connections: number;
  /** `/package.Service/Method`. */
  readonly path: string;
  /** The encoded request. */
  readonly message: Uint8Array;
  readonly metadata: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
}

/** The outcome of a call: the value of grpc-status, or the reason why there is none. */
export type Outcome = number | 'no response' | `HTTP ${number}`;

export interface Caller {
  /** Sends one call. Never rejects. */
  call(): Promise<Outcome>;
  close(): Promise<void>;
}

/** Opens the connections. Rejects if the server cannot be reached. */
export async function openCaller(options: CallerOptions): Promise<Caller> {
  const { target, ca, cert, key, connections, path, message, metadata, timeoutMs } = options;
  const files = Object.entries({ ca, cert, key }).filter((entry): entry is [string, string] => entry[1] !== undefined);
  const tls = Object.fromEntries(files.map(([name, file]) => [name, readFileSync(file)]));
  const sessions = await Promise.all(Array.from({ length: connections }, () => openSession(target, tls)));
  const frame = framed(message);
  const headers: OutgoingHttpHeaders = {
    ':method': 'POST',
    ':path': path,
    te: 'trailers',
    'content-type': 'application/grpc',
    'grpc-timeout': `${timeoutMs}m`,
    ...metadata,
  };
  let next = 0;
  return {
    call() {
      const session = sessions[next]!;
      next = (next + 1) % sessions.length;
      return callOnce(session, headers, frame, timeoutMs);
    },
    async close() {
      await Promise.all(sessions.map((session) => new Promise<void>((resolve) => session.close(resolve))));
    },
  };
}

function openSession(target: string, options: object): Promise<ClientHttp2Session> {
  return new Promise((resolve, reject) => {
    const session = connect(target, options);
    session.once('error', reject);
    session.once('connect', () => {
      session.off('error', reject);
      // The calls of the connection report the error.
      session.on('error', () => {});
      resolve(session);
    });
  });
}

function callOnce(
  session: ClientHttp2Session,
  headers: OutgoingHttpHeaders,
  frame: Buffer,
  timeoutMs: number,
): Promise<Outcome> {
  return new Promise((resolve) => {
    if (session.destroyed || session.closed) return resolve('no response');
    const stream = session.request(headers);
    let outcome: Outcome = 'no response';
    // An error without a message sends its trailers as headers.
    const read = (received: Readonly<Record<string, unknown>>) => {
      const status = received['grpc-status'];
      if (status !== undefined) outcome = Number(status);
      else if (received[':status'] !== undefined && received[':status'] !== 200) {
        outcome = `HTTP ${Number(received[':status'])}`;
      }
    };
    // A server that ignores the deadline must not block the run.
    stream.setTimeout(timeoutMs + 1_000, () => stream.close(constants.NGHTTP2_CANCEL));
    stream.on('response', read);
    stream.on('trailers', read);
    stream.on('error', () => {});
    stream.once('close', () => resolve(outcome));
    stream.resume();
    stream.end(frame);
  });
}

/** Frames a gRPC message: the flag "not compressed", the length, the bytes. */
function framed(message: Uint8Array): Buffer {
  const frame = Buffer.alloc(5 + message.length);
  frame.writeUInt32BE(message.length, 1);
  frame.set(message, 5);
  return frame;
}
