// A TCP proxy that adds a delay to the way back, as a network between two machines does to a round trip.
import { once } from 'node:events';
import { type AddressInfo, connect, createServer } from 'node:net';

/** Listens on a free port for a server of this machine. Each response arrives `delayMs` later; nothing waits for another. */
export async function startDelayedProxy(
  serverPort: number,
  delayMs: number,
): Promise<{ readonly port: number; readonly stop: () => Promise<void> }> {
  const proxy = createServer((caller) => {
    const server = connect({ port: serverPort, host: '127.0.0.1', noDelay: true });
    caller.setNoDelay(true);
    caller.pipe(server);
    // Timers of the same delay end in the order in which they began.
    server.on('data', (chunk) => setTimeout(() => caller.write(chunk), delayMs));
    server.on('close', () => setTimeout(() => caller.destroy(), delayMs));
    caller.on('close', () => server.destroy());
    for (const socket of [caller, server]) socket.on('error', () => socket.destroy());
  });
  proxy.listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  return {
    port: (proxy.address() as AddressInfo).port,
    async stop() {
      proxy.close();
    },
  };
}
