// A balancer of TCP connections that asks its servers whether they are ready, as those of clouds and of Kubernetes do.
import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

const POLL_MS = 50;

interface Server {
  readonly port: number;
  /** URL of its health check. */
  readonly health: string;
}

export interface Balancer {
  readonly url: string;
  /** Adds a server, and waits until it is ready. */
  add(server: Server): Promise<void>;
  remove(server: Server): void;
  close(): void;
}

export async function startBalancer(): Promise<Balancer> {
  const states = new Map<Server, boolean>();
  let turn = 0;
  const listener = createServer({ allowHalfOpen: true }, (client) => {
    const ready = [...states].flatMap(([server, isReady]) => (isReady ? [server] : []));
    // On a busy machine, a check can fail without a reason. Then the newest one is used.
    const server = ready[(turn += 1) % ready.length] ?? [...states.keys()].at(-1)!;
    join(client, connect({ port: server.port, host: '127.0.0.1', allowHalfOpen: true }));
  });
  listener.listen(0, '127.0.0.1');
  await once(listener, 'listening');

  const poll = async (server: Server): Promise<void> => {
    for (; states.has(server); await sleep(POLL_MS)) {
      const isUp = await fetch(server.health, { headers: { connection: 'close' } }).then(
        ({ ok }) => ok,
        () => false,
      );
      if (states.has(server)) states.set(server, isUp);
    }
  };
  return {
    url: `http://127.0.0.1:${(listener.address() as AddressInfo).port}`,
    async add(server) {
      states.set(server, false);
      void poll(server);
      while (!states.get(server)) await sleep(POLL_MS);
    },
    remove: (server) => void states.delete(server),
    close: () => void listener.close(),
  };
}

/** Passes on all bytes, ends and resets. */
function join(one: Socket, other: Socket): void {
  for (const [from, to] of [
    [one, other],
    [other, one],
  ] as const) {
    from.setNoDelay().once('error', () => to.resetAndDestroy());
    from.pipe(to);
  }
}
