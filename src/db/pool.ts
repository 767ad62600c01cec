import { unavailable } from './errors.ts';

/** How connections of one engine are made and judged. */
export interface PoolOptions<Connection> {
  readonly max: number;
  /** How long a caller waits for a connection, its making included, in milliseconds. */
  readonly acquireTimeoutMs: number;
  /** Makes a connection; bounded in time by itself. Rejects with a safe error. */
  create(): Promise<Connection>;
  isUsable(connection: Connection): boolean;
  destroy(connection: Connection): void;
}

/** A bounded set of connections. An idle one is acquired without a timer or a promise. */
export interface Pool<Connection> {
  /** An idle connection at once, if there is one. */
  tryAcquire(): Connection | undefined;
  /** An idle or a new connection. Rejects with DependencyUnavailableError when none came in time. */
  acquire(): Promise<Connection>;
  /** Gives a connection back; one that is not usable any more is destroyed. */
  release(connection: Connection): void;
  /** Refuses further acquires, waits for the connections in use and destroys all. */
  close(): Promise<void>;
}

interface Waiter<Connection> {
  resolve(connection: Connection): void;
  reject(error: Error): void;
  timer: NodeJS.Timeout;
}

/** Makes a pool. Connections are made on demand and the one used last is taken first. */
export function createPool<Connection>(options: PoolOptions<Connection>): Pool<Connection> {
  const idle: Connection[] = [];
  const used = new Set<Connection>();
  const waiters = new Set<Waiter<Connection>>();
  let creating = 0;
  let closed: PromiseWithResolvers<void> | undefined;

  function tryAcquire(): Connection | undefined {
    if (closed) return undefined;
    for (let connection = idle.pop(); connection !== undefined; connection = idle.pop()) {
      if (options.isUsable(connection)) {
        used.add(connection);
        return connection;
      }
      options.destroy(connection);
    }
    return undefined;
  }

  function acquire(): Promise<Connection> {
    const connection = tryAcquire();
    if (connection !== undefined) return Promise.resolve(connection);
    if (closed) return Promise.reject(unavailable('closed'));
    return new Promise((resolve, reject) => {
      const waiter = {
        resolve,
        reject,
        timer: setTimeout(() => {
          waiters.delete(waiter);
          reject(unavailable(`no connection within ${options.acquireTimeoutMs} ms`));
        }, options.acquireTimeoutMs),
      };
      waiters.add(waiter);
      createForWaiters();
    });
  }

  function takeWaiter(): Waiter<Connection> | undefined {
    const [waiter] = waiters;
    if (waiter) {
      waiters.delete(waiter);
      clearTimeout(waiter.timer);
    }
    return waiter;
  }

  function createForWaiters(): void {
    while (!closed && creating < waiters.size && used.size + idle.length + creating < options.max) {
      creating += 1;
      options.create().then(
        (connection) => {
          creating -= 1;
          offer(connection);
        },
        (error: Error) => {
          creating -= 1;
          // A server that refuses is worth telling at once: nobody waits for a connection that cannot come.
          takeWaiter()?.reject(error);
          createForWaiters();
          finishClosing();
        },
      );
    }
  }

  function offer(connection: Connection): void {
    if (closed || !options.isUsable(connection)) {
      options.destroy(connection);
      createForWaiters();
      finishClosing();
      return;
    }
    const waiter = takeWaiter();
    if (!waiter) {
      idle.push(connection);
      return;
    }
    used.add(connection);
    waiter.resolve(connection);
  }

  function release(connection: Connection): void {
    if (used.delete(connection)) offer(connection);
  }

  function finishClosing(): void {
    if (closed && used.size + creating === 0) closed.resolve();
  }

  function close(): Promise<void> {
    if (closed) return closed.promise;
    closed = Promise.withResolvers<void>();
    for (let waiter = takeWaiter(); waiter; waiter = takeWaiter()) waiter.reject(unavailable('closed'));
    for (const connection of idle.splice(0)) options.destroy(connection);
    finishClosing();
    return closed.promise;
  }

  return { tryAcquire, acquire, release, close };
}
