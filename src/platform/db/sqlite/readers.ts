// Runs long SELECTs in other threads. A statement blocks its thread until it ends, which must not be the event loop.
import { Worker } from 'node:worker_threads';
import type { Logger } from 'pino';
import { timedOut, toSafeError, unavailable } from '../errors.ts';
import { LOCK_TIMEOUT_MS, SERVER_STATEMENT_TIMEOUT_MS } from '../limits.ts';
import type { Reader, StoredValue } from '../types.ts';
import type { ReaderCommand, ReaderResult, ReaderThreadData } from './reader-thread.ts';

/** The number of threads, each with 10 to 20 MB once it is used. */
export const MAX_READERS = 2;

/** For the rows of one page, each with texts of at most 64 kB. */
const RESOURCE_LIMITS = { maxYoungGenerationSizeMb: 4, maxOldGenerationSizeMb: 64 };

interface Thread {
  run(command: Omit<ReaderCommand, 'number'>, signal: AbortSignal): Promise<ReaderResult>;
  stop(): Promise<void>;
}

/** Creates the readers of one file. A thread starts when it is needed first. */
export function createReaders(filename: string, log: Logger) {
  const idle: Thread[] = [];
  const threads = new Set<Thread>();

  function start(): Thread {
    const thread = startThread(filename, (error) => {
      threads.delete(thread);
      if (error !== undefined) log.warn({ err: error }, 'A thread that reads lists from SQLite failed');
    });
    threads.add(thread);
    return thread;
  }

  return {
    /** Runs a SELECT that sees all commits until now. At most MAX_READERS may run at once. */
    async read(sql: string, values: readonly StoredValue[], { deadline }: Reader): Promise<unknown[]> {
      const thread = idle.pop() ?? start();
      const limit = Date.now() + SERVER_STATEMENT_TIMEOUT_MS;
      const until = Math.min(limit, deadline.at);
      // A Buffer can be a part of a larger memory, which would be copied completely.
      const copies = values.map((value) => (value instanceof Uint8Array ? new Uint8Array(value) : value));
      const { rows, errcode } = await thread.run({ sql, values: copies, until }, deadline.signal);
      if (threads.has(thread)) idle.push(thread);
      if (rows !== undefined) return rows;
      if (errcode !== undefined) throw toSafeError({ errcode });
      throw Date.now() >= limit ? timedOut(SERVER_STATEMENT_TIMEOUT_MS) : unavailable('the caller no longer waits');
    },
    /** Ends the threads. Must be called before the last connection is closed. */
    async close(): Promise<void> {
      await Promise.all([...threads].map((thread) => thread.stop()));
    },
  };
}

function startThread(filename: string, onExit: (error: unknown) => void): Thread {
  const unwanted = new Int32Array(new SharedArrayBuffer(4));
  const workerData: ReaderThreadData = { filename, lockTimeoutMs: LOCK_TIMEOUT_MS, unwanted };
  const file = new URL('reader-thread.ts', import.meta.url);
  const worker = new Worker(file, { workerData, resourceLimits: RESOURCE_LIMITS });
  // A statement keeps the process running, an idle thread does not.
  worker.unref();
  let number = 0;
  let running: PromiseWithResolvers<ReaderResult> | undefined;
  let failure: unknown;
  const exit = Promise.withResolvers<void>();

  worker.on('message', (result: ReaderResult) => running?.resolve(result));
  worker.on('error', (error) => (failure = error));
  worker.on('exit', () => {
    onExit(failure);
    running?.reject(unavailable('the thread that reads lists has ended'));
    exit.resolve();
  });

  const post = (message: ReaderCommand | 'stop') => {
    worker.ref();
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- for windows, not for threads
    worker.postMessage(message);
  };
  return {
    async run(command, signal) {
      number += 1;
      const own = number;
      const abandon = () => void Atomics.store(unwanted, 0, own);
      running = Promise.withResolvers();
      signal.addEventListener('abort', abandon, { once: true });
      post({ ...command, number });
      try {
        return await running.promise;
      } finally {
        running = undefined;
        signal.removeEventListener('abort', abandon);
        worker.unref();
      }
    },
    async stop() {
      Atomics.store(unwanted, 0, number);
      post('stop');
      await exit.promise;
    },
  };
}
