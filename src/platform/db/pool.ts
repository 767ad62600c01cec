import { unavailable } from './errors.ts';

/** The connections of a pool at one moment. */
export interface PoolState {
  /** In use by a statement or a transaction. */
  readonly used: number;
  readonly idle: number;
  /** Callers that wait for a connection. */
  readonly waiting: number;
  /** Maximum number of connections. */
  readonly max: number;
}

/** A limited set of connections. Acquiring an idle one needs no timer and no promise. */
export interface Pool<Connection> {
  /** Returns an idle connection; undefined if there is none. */
  tryAcquire(): Connection | undefined;
  /** Returns an idle or a new connection. Rejects with DependencyUnavailableError if none is available in time. */
  acquire(): Promise<Connection>;
  /** Returns a connection to the pool. An unusable one is destroyed. */
  release(connection: Connection): void;
  state(): PoolState;
  /** Refuses further acquires, waits for connections in use, and destroys all. */
  close(): Promise<void>;
}

interface Waiter<Connection> {
  resolve(connection: Connection): void;
  reject(error: Error): void;
  timer: NodeJS.Timeout;
}

/** Creates a pool. Connections are created on demand, and the most recently used one is taken first. */
export function createPool<Connection>(options: {
  readonly max: number;
  /** How long a caller waits for a connection, including its creation, in milliseconds. */
  readonly acquireTimeoutMs: number;
  /** Creates a connection. Has its own time limit. Rejects with a safe error. */
  create(): Promise<Connection>;
  isUsable(connection: Connection): boolean;
  destroy(connection: Connection): void;
}): Pool<Connection> {
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
          // If the server refuses a connection, a waiting caller is told at once.
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

  const state = () => ({ used: used.size, idle: idle.length, waiting: waiters.size, max: options.max });

  return { tryAcquire, acquire, release, state, close };
}
