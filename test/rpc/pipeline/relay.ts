// A TCP connection that can be held up, as a frozen process holds up what its socket has received.
import { connect, createServer } from 'node:net';
import type { AddressInfo, Socket } from 'node:net';
import { once } from 'node:events';

export interface Relay {
  /** What a client takes for its target. */
  readonly address: string;
  /** Nothing that clients send arrives any more. */
  hold(): void;
  /** Everything arrives that was held. */
  release(): void;
  close(): void;
}

/** Listens, and connects whoever comes to `host:port`. */
export async function relayTo(target: string): Promise<Relay> {
  const [host, port] = target.split(':');
  const incoming = new Set<Socket>();
  const server = createServer({ noDelay: true }, (client) => {
    const upstream = connect({ host: host!, port: Number(port), noDelay: true });
    incoming.add(client);
    client.on('data', (bytes) => upstream.write(bytes));
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
    hold: () => incoming.forEach((socket) => socket.pause()),
    release: () => incoming.forEach((socket) => socket.resume()),
    close() {
      for (const socket of incoming) socket.destroy();
      server.close();
    },
  };
}
