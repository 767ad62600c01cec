// Copies the write-ahead log into the database file in another thread. SQLite would do it during a commit, which blocks the
// event loop while many pages are written and the whole file is flushed.
import { Worker } from 'node:worker_threads';
import type { Logger } from 'pino';
import type { CheckpointCommand, CheckpointThreadData } from './checkpoint-thread.ts';
import type { SqliteConnection } from './connection.ts';

/** Pages of the log at which copying begins; SQLite's default. */
const MAX_PAGES = 1_000;
/** Reading the length of the log costs 5 µs. */
const COMMITS_PER_CHECK = 8;
/** For a few statements, without which V8 would reserve more. */
const RESOURCE_LIMITS = { maxYoungGenerationSizeMb: 1, maxOldGenerationSizeMb: 16 };

/** Creates the checkpoints of one file. Starts the thread when the log is long for the first time. */
export function createCheckpoints(filename: string, log: Logger) {
  let state: 'idle' | 'copying' | 'copied' | 'ended' = 'idle';
  let commits = 0;
  let thread: Worker | undefined;
  const exit = Promise.withResolvers<void>();

  function startThread(): Worker {
    const workerData: CheckpointThreadData = { filename };
    const file = new URL('checkpoint-thread.ts', import.meta.url);
    const worker = new Worker(file, { workerData, resourceLimits: RESOURCE_LIMITS });
    worker.unref();
    worker.on('message', () => (state = state === 'copying' ? 'copied' : state));
    worker.on('error', (error) => {
      state = 'ended';
      log.warn({ err: error }, 'The thread for checkpoints of SQLite failed, commits copy the log instead');
    });
    worker.on('exit', () => exit.resolve());
    return worker;
  }

  function send(command: CheckpointCommand): Worker {
    thread ??= startThread();
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- for windows, not for threads
    thread.postMessage(command);
    return thread;
  }

  function advance(connection: SqliteConnection): void {
    if (state === 'copied') {
      state = 'idle';
      // SQLite overwrites the log from its start only if the file has all of it. No commit comes between this and the next one.
      connection.db.exec('PRAGMA wal_checkpoint(PASSIVE)');
    } else if (state === 'idle' && ++commits % COMMITS_PER_CHECK === 0 && logPages(connection) >= MAX_PAGES) {
      send('copy');
      state = 'copying';
    }
  }

  return {
    /** Must be called after each commit, outside of transactions. Never fails. */
    afterCommit(connection: SqliteConnection): void {
      try {
        advance(connection);
      } catch {
        // For example, the disk is full or no thread can be created. The log keeps everything, and a later commit tries again.
      }
    },
    /** Ends the thread. Must be called before the last connection is closed, which then copies the rest. */
    async close(): Promise<void> {
      state = 'ended';
      if (thread === undefined) return;
      send('stop').ref();
      await exit.promise;
    },
  };
}

function logPages({ prepare }: SqliteConnection): number {
  const [{ log }] = prepare('PRAGMA wal_checkpoint(NOOP)').rows([]) as [{ readonly log: number }];
  return log;
}
