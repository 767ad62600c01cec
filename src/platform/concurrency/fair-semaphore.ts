// Limits of work that runs at the same time. Pure: no I/O, no domain.
/** The caller of a task. */
interface TaskCaller {
  /** Aborts when the task is no longer needed. Read only if the task waits, or if there is no `isAborted`. */
  readonly signal: AbortSignal;
  readonly isAborted?: () => boolean;
}

export interface FairSemaphore {
  /** The number of tasks that run. */
  readonly running: number;
  /** The number of tasks that wait. */
  readonly queued: number;
  /**
   * Runs `task` as soon as a slot is free and its weight fits. Waiting keys take turns; the tasks of one key run in order
   * of arrival. No task overtakes one that waits for its weight.
   */
  run<T>(key: string, caller: TaskCaller, task: () => Promise<T>, weight?: number): Promise<T>;
}

interface Waiter {
  readonly weight: number;
  start(): void;
  reject(error: Error): void;
}

/** The waiting tasks of a key; never empty. */
interface Queue {
  readonly waiters: Waiter[];
  /** The lowest has the next turn. A key that is running has had its turn. */
  turn: number;
}

/**
 * Limits how many tasks run at once and shares the slots fairly among keys (networks, tenants). A key with many waiting
 * tasks delays another key by one task per turn, counting the running one. If the queue is full, the key with the most
 * waiting tasks loses its last one to a key with fewer.
 */
export function createFairSemaphore(options: {
  /** Maximum number of tasks that run at once. */
  readonly maxConcurrent: number;
  /** Maximum weight of all running tasks together. A heavier task runs alone. Default: no maximum. */
  readonly maxWeight?: number;
  /** Maximum number of waiting tasks of all keys together. */
  readonly maxQueued: number;
  /** Maximum number of waiting tasks of one key. */
  readonly maxQueuedPerKey: number;
  /** Maximum number of tasks of one key that run at once. Default: no maximum. */
  readonly maxRunningPerKey?: number;
  /**
   * A key may run only as many tasks as slots are free afterwards, so another key always finds a slot: one key alone runs half of
   * `maxConcurrent`, two run two thirds. Default: false.
   */
  readonly keepsSlotsFree?: boolean;
  /** Creates the error for a task that finds no place in the queue, or loses its place to another key. */
  readonly queueFull: () => Error;
  /** Creates the error for a task whose signal aborts before it starts. */
  readonly aborted: () => Error;
}): FairSemaphore {
  const {
    maxConcurrent,
    maxWeight = Infinity,
    maxRunningPerKey = Infinity,
    maxQueued,
    maxQueuedPerKey,
    keepsSlotsFree = false,
    queueFull,
    aborted,
  } = options;
  const queues = new Map<string, Queue>();
  const runningByKey = new Map<string, number>();
  let queued = 0;
  let running = 0;
  let runningWeight = 0;
  let starts = 0;

  return {
    get running() {
      return running;
    },
    get queued() {
      return queued;
    },
    run(key, caller, task, weight = 0) {
      if (isAborted(caller)) return Promise.reject(aborted());
      if (mustQueue(key) || !hasShare(key) || !fits(weight)) return runLater(key, caller, task, weight);
      occupy(key, weight);
      return runNow(key, weight, task);
    },
  };

  /** Runs a task that has a slot. Not an async function, because every call of a service passes here. */
  function runNow<T>(key: string, weight: number, task: () => Promise<T>): Promise<T> {
    try {
      return task().then(
        (result) => {
          end(key, weight);
          return result;
        },
        (error: unknown) => {
          end(key, weight);
          throw error;
        },
      );
    } catch (error) {
      end(key, weight);
      return Promise.reject(error);
    }
  }

  async function runLater<T>(key: string, caller: TaskCaller, task: () => Promise<T>, weight: number): Promise<T> {
    await waitForSlot(key, caller.signal, weight);
    return runNow(key, weight, () => (isAborted(caller) ? Promise.reject(aborted()) : task()));
  }

  function end(key: string, weight: number): void {
    release(key, weight);
    startWaiting();
  }

  function fits(weight: number): boolean {
    return running < maxConcurrent && (runningWeight === 0 || runningWeight + weight <= maxWeight);
  }

  function hasShare(key: string): boolean {
    const runningOfKey = runningByKey.get(key) ?? 0;
    return runningOfKey < maxRunningPerKey && (!keepsSlotsFree || runningOfKey < maxConcurrent - running);
  }

  /** Whether a task would overtake another one of its key, or one that waits for its weight. */
  function mustQueue(key: string): boolean {
    if (queued === 0) return false;
    return queues.has(key) || (!keepsSlotsFree && [...queues.keys()].some(hasShare));
  }

  function occupy(key: string, weight: number): void {
    running += 1;
    runningWeight += weight;
    starts += 1;
    runningByKey.set(key, (runningByKey.get(key) ?? 0) + 1);
  }

  function release(key: string, weight: number): void {
    running -= 1;
    runningWeight -= weight;
    const left = runningByKey.get(key)! - 1;
    if (left === 0) runningByKey.delete(key);
    else runningByKey.set(key, left);
  }

  function waitForSlot(key: string, signal: AbortSignal, weight: number): Promise<void> {
    return new Promise((resolve, reject) => {
      makeRoom(key);
      const abort = () => {
        remove(key, waiter);
        waiter.reject(aborted());
        startWaiting();
      };
      const waiter: Waiter = {
        weight,
        start() {
          signal.removeEventListener('abort', abort);
          occupy(key, weight);
          resolve();
        },
        reject(error) {
          signal.removeEventListener('abort', abort);
          reject(error);
        },
      };
      signal.addEventListener('abort', abort);
      const queue = queues.get(key);
      if (queue) queue.waiters.push(waiter);
      else queues.set(key, { waiters: [waiter], turn: runningByKey.has(key) ? starts + 1 : starts });
      queued += 1;
    });
  }

  /** Makes room for another waiting task of this key. Throws if there is none. */
  function makeRoom(key: string): void {
    const length = queues.get(key)?.waiters.length ?? 0;
    if (length >= maxQueuedPerKey) throw queueFull();
    if (queued < maxQueued) return;
    const longest = [...queues].toSorted(([, a], [, b]) => b.waiters.length - a.waiters.length)[0];
    if (!longest || longest[1].waiters.length <= length + 1) throw queueFull();
    const last = longest[1].waiters.at(-1)!;
    remove(longest[0], last);
    last.reject(queueFull());
  }

  /** Starts waiting tasks until the next one does not fit. */
  function startWaiting(): void {
    for (;;) {
      let next: [key: string, queue: Queue] | undefined;
      for (const entry of queues) if ((!next || entry[1].turn < next[1].turn) && hasShare(entry[0])) next = entry;
      if (!next) return;
      const [key, queue] = next;
      const waiter = queue.waiters[0]!;
      if (!fits(waiter.weight)) return;
      remove(key, waiter);
      waiter.start();
      queue.turn = starts + 1;
      // Of keys with equal turns, the one that has waited longest comes first.
      if (queues.delete(key)) queues.set(key, queue);
    }
  }

  function remove(key: string, waiter: Waiter): void {
    const { waiters } = queues.get(key)!;
    waiters.splice(waiters.indexOf(waiter), 1);
    if (waiters.length === 0) queues.delete(key);
    queued -= 1;
  }
}

function isAborted(caller: TaskCaller): boolean {
  return caller.isAborted?.() ?? caller.signal.aborted;
}
