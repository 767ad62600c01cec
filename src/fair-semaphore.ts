export interface FairSemaphoreOptions {
  /** How many works run at once. */
  readonly maxConcurrent: number;
  /** How many works may wait, of all keys together. */
  readonly maxQueued: number;
  /** How many works of one key may wait. */
  readonly maxQueuedPerKey: number;
  /** Creates the error for a work that finds no place in the queue, or loses its place to another key. */
  readonly queueFull: () => Error;
  /** Creates the error for a work whose signal aborts before it starts. */
  readonly aborted: () => Error;
}

export interface FairSemaphore {
  /** Runs `work` as soon as a slot is free. Waiting keys take turns; the works of one key run in order of arrival. */
  run<T>(key: string, signal: AbortSignal, work: () => Promise<T>): Promise<T>;
}

interface Waiter {
  start(): void;
  reject(error: Error): void;
}

/**
 * Bounds how many works run at once and shares the slots fairly among keys (networks, tenants): a key with many waiting
 * works delays another key by one work per turn. If the queue is full, the key with most waiting works loses its last one
 * to a key with fewer.
 */
export function createFairSemaphore(options: FairSemaphoreOptions): FairSemaphore {
  const { maxConcurrent, maxQueued, maxQueuedPerKey, queueFull, aborted } = options;
  /** Waiting works by key, never an empty list. The first key has the next turn. */
  const queues = new Map<string, Waiter[]>();
  let queued = 0;
  let running = 0;

  return {
    async run(key, signal, work) {
      if (signal.aborted) throw aborted();
      if (running < maxConcurrent) running += 1;
      else await waitForSlot(key, signal);
      try {
        if (signal.aborted) throw aborted();
        return await work();
      } finally {
        running -= 1;
        startNext();
      }
    },
  };

  function waitForSlot(key: string, signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      makeRoom(key);
      const abort = () => {
        remove(key, waiter);
        waiter.reject(aborted());
      };
      const waiter: Waiter = {
        start() {
          signal.removeEventListener('abort', abort);
          running += 1;
          resolve();
        },
        reject(error) {
          signal.removeEventListener('abort', abort);
          reject(error);
        },
      };
      signal.addEventListener('abort', abort);
      const queue = queues.get(key);
      if (queue) queue.push(waiter);
      else queues.set(key, [waiter]);
      queued += 1;
    });
  }

  /** Makes room for one more waiting work of this key. Throws if there is none for it. */
  function makeRoom(key: string): void {
    const length = queues.get(key)?.length ?? 0;
    if (length >= maxQueuedPerKey) throw queueFull();
    if (queued < maxQueued) return;
    const [longestKey, longest] = [...queues].reduce(
      (a, b) => (b[1].length > a[1].length ? b : a),
      ['', [] as Waiter[]],
    );
    if (longest.length <= length + 1) throw queueFull();
    const last = longest.at(-1)!;
    remove(longestKey, last);
    last.reject(queueFull());
  }

  function startNext(): void {
    const [next] = queues;
    if (!next) return;
    const [key, queue] = next;
    const waiter = queue[0]!;
    remove(key, waiter);
    // The key goes to the end of the turns.
    if (queues.delete(key)) queues.set(key, queue);
    waiter.start();
  }

  function remove(key: string, waiter: Waiter): void {
    const queue = queues.get(key)!;
    queue.splice(queue.indexOf(waiter), 1);
    if (queue.length === 0) queues.delete(key);
    queued -= 1;
  }
}
