// A TCP connection that can be held up, as a frozen process holds up what its socket has received.
import { connect, createServer } from 'node:net';
import type { AddressInfo, Socket } from 'node:net';
import { once } from 'node:events';
import { FLAG, FRAME } from './raw-http2.ts';

export interface Relay {
  /** What a client takes for its target. */
  readonly address: string;
  /** Nothing that clients send arrives any more. */
  hold(): void;
  /** How many complete requests have come since then. */
  heldRequests(): number;
  /** Everything arrives that was held. */
  release(): void;
  close(): void;
}

/** Listens, and connects whoever comes to `host:port`. */
export async function relayTo(target: string): Promise<Relay> {
  const [host, port] = target.split(':');
  /** The sockets of clients, and what of theirs is held. */
  const incoming = new Map<Socket, { readonly upstream: Socket; held: Buffer[] }>();
  let isHeld = false;
  const server = createServer({ noDelay: true }, (client) => {
    const upstream = connect({ host: host!, port: Number(port), noDelay: true });
    const connection = { upstream, held: [] as Buffer[] };
    incoming.set(client, connection);
    client.on('data', (bytes: Buffer) => (isHeld ? connection.held.push(bytes) : upstream.write(bytes)));
    upstream.on('data', (bytes) => client.write(bytes));
    for (const socket of [client, upstream]) {
      socket.on('error', () => {});
      socket.on('close', () => {
        client.destroy();
        upstream.destroy();
        incoming.delete(client);
      });
    }
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return {
    address: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    hold: () => void (isHeld = true),
    heldRequests: () => [...incoming.values()].reduce((sum, { held }) => sum + countRequests(Buffer.concat(held)), 0),
    release() {
      isHeld = false;
      for (const connection of incoming.values())
        for (const bytes of connection.held.splice(0)) connection.upstream.write(bytes);
    },
    close() {
      for (const socket of incoming.keys()) socket.destroy();
      server.close();
    },
  };
}

/** Counts the frames of HTTP/2 that end a request. */
function countRequests(bytes: Buffer): number {
  let count = 0;
  for (let at = 0; at + 9 <= bytes.length; at += 9 + bytes.readUIntBE(at, 3)) {
    const [type, flags] = [bytes.readUInt8(at + 3), bytes.readUInt8(at + 4)];
    if ((type === FRAME.data || type === FRAME.headers) && (flags & FLAG.endStream) !== 0) count += 1;
  }
  return count;
}
