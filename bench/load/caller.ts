// Unary gRPC calls over node:http2 alone: a client of a gRPC library would be the bottleneck before the core is.
import { readFileSync } from 'node:fs';
import { connect, constants, type ClientHttp2Session, type OutgoingHttpHeaders } from 'node:http2';

export interface CallerOptions {
  /** `http://127.0.0.1:50051`, or `https://…` for TLS. */
  readonly target: string;
  /** File of the CA that signed the server's certificate. Default: those that Node trusts. */
  readonly ca?: string | undefined;
  /** HTTP/2 connections that calls are spread over. */
  readonly connections: number;
  /** `/package.Service/Method`. */
  readonly path: string;
  /** The encoded request. */
  readonly message: Uint8Array;
  readonly metadata: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
}

/** What a call came to: the value of grpc-status, or what took its place. */
export type Outcome = number | 'no answer' | `HTTP ${number}`;

export interface Caller {
  /** Makes one call; never rejects. */
  call(): Promise<Outcome>;
  close(): Promise<void>;
}

/** Connects; rejects if the server cannot be reached. */
export async function openCaller(options: CallerOptions): Promise<Caller> {
  const { target, ca, connections, path, message, metadata, timeoutMs } = options;
  const tls = ca === undefined ? {} : { ca: readFileSync(ca) };
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
      // Its calls tell of it.
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
    if (session.destroyed || session.closed) return resolve('no answer');
    const stream = session.request(headers);
    let outcome: Outcome = 'no answer';
    // Status and trailers alone: an error has no message, so that its trailers come as headers.
    const read = (received: Readonly<Record<string, unknown>>) => {
      const status = received['grpc-status'];
      if (status !== undefined) outcome = Number(status);
      else if (received[':status'] !== undefined && received[':status'] !== 200) {
        outcome = `HTTP ${Number(received[':status'])}`;
      }
    };
    // A server that forgets the deadline must not hold up the run.
    stream.setTimeout(timeoutMs + 1_000, () => stream.close(constants.NGHTTP2_CANCEL));
    stream.on('response', read);
    stream.on('trailers', read);
    stream.on('error', () => {});
    stream.once('close', () => resolve(outcome));
    stream.resume();
    stream.end(frame);
  });
}

/** A message as gRPC frames it: not compressed, its length, its bytes. */
function framed(message: Uint8Array): Buffer {
  const frame = Buffer.alloc(5 + message.length);
  frame.writeUInt32BE(message.length, 1);
  frame.set(message, 5);
  return frame;
}
