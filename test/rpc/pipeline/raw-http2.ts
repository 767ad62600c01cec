// HTTP/2 by the frame (RFC 9113), for what no client library would send.
import { connect, type Socket } from 'node:net';

export const FRAME = { data: 0, headers: 1, resetStream: 3, settings: 4, ping: 6, continuation: 9 } as const;
export const FLAG = { endStream: 1, ack: 1, endHeaders: 4 } as const;

/** The client's first bytes, with an empty SETTINGS frame. */
export const PREFACE = Buffer.concat([
  Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'),
  frame(FRAME.settings, 0, 0, Buffer.alloc(0)),
]);

export function frame(type: number, flags: number, stream: number, payload: Buffer): Buffer {
  const head = Buffer.alloc(9);
  head.writeUIntBE(payload.length, 0, 3);
  head.writeUInt8(type, 3);
  head.writeUInt8(flags, 4);
  head.writeUInt32BE(stream, 5);
  return Buffer.concat([head, payload]);
}

/** A header block of literals without indexing (RFC 7541 section 6.2.2). */
export function headerBlock(headers: Readonly<Record<string, string>>): Buffer {
  const text = (value: string) => Buffer.concat([length(value.length), Buffer.from(value, 'latin1')]);
  return Buffer.concat(Object.entries(headers).flatMap(([name, value]) => [Buffer.from([0]), text(name), text(value)]));
}

/** An integer with a prefix of 7 bits (RFC 7541 section 5.1). */
function length(value: number): Buffer {
  if (value < 127) return Buffer.from([value]);
  const bytes = [127];
  let rest = value - 127;
  for (; rest >= 128; rest = Math.floor(rest / 128)) bytes.push((rest % 128) + 128);
  return Buffer.from([...bytes, rest]);
}

export const callHeaders = (path: string): Record<string, string> => ({
  ':method': 'POST',
  ':scheme': 'http',
  ':path': path,
  ':authority': 'core',
  'content-type': 'application/grpc',
  te: 'trailers',
});

/** A message as gRPC frames it. */
export function grpcMessage(bytes: Buffer, compressed = false): Buffer {
  const head = Buffer.alloc(5);
  head.writeUInt8(compressed ? 1 : 0, 0);
  head.writeUInt32BE(bytes.length, 1);
  return Buffer.concat([head, bytes]);
}

export interface RawConnection {
  readonly socket: Socket;
  /** Resolves once the server has ended the connection. */
  readonly closed: Promise<void>;
  /** Whether it has. */
  isClosed(): boolean;
  /** The types of the frames that came so far. */
  frames(): number[];
  /** Resolves when the socket has taken the bytes, or when the connection is closed. */
  send(...bytes: Buffer[]): Promise<void>;
}

/** Connects to `host:port` and sends the preface, unless told otherwise. */
export async function rawConnection(address: string, { preface = true } = {}): Promise<RawConnection> {
  const [host, port] = address.split(':');
  const socket = connect({ host: host!, port: Number(port) });
  let received: Buffer = Buffer.alloc(0);
  let isClosed = false;
  socket.on('data', (chunk: Buffer) => {
    received = Buffer.concat([received, chunk]);
  });
  socket.on('error', () => {});
  const closed = new Promise<void>((resolve) => {
    socket.once('close', () => {
      isClosed = true;
      resolve();
    });
  });
  await new Promise((resolve) => socket.once('connect', resolve));
  const send = (...bytes: Buffer[]): Promise<void> =>
    Promise.race([closed, new Promise<void>((resolve) => socket.write(Buffer.concat(bytes), () => resolve()))]);
  if (preface) await send(PREFACE);
  return {
    socket,
    closed,
    isClosed: () => isClosed,
    frames() {
      const types: number[] = [];
      for (let at = 0; at + 9 <= received.length; at += 9 + received.readUIntBE(at, 3)) {
        types.push(received.readUInt8(at + 3));
      }
      return types;
    },
    send,
  };
}
