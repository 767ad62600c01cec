// Runs in a thread of its own: executes SELECTs on a read-only connection of one file, one at a time.
import { DatabaseSync } from 'node:sqlite';
import { parentPort, workerData } from 'node:worker_threads';
import type { StoredValue } from '../types.ts';
import { IS_WANTED } from './interruption.ts';
import { statementCache } from './statement-cache.ts';

/** The input of the thread at its start. */
export interface ReaderThreadData {
  readonly filename: string;
  /** How long a statement waits for a file that another process has locked, in milliseconds. */
  readonly lockTimeoutMs: number;
  /** The number of the last statement that is no longer wanted. */
  readonly unwanted: Int32Array<SharedArrayBuffer>;
}

/** A statement for the thread. */
export interface ReaderCommand {
  readonly number: number;
  readonly sql: string;
  readonly values: readonly StoredValue[];
  /** When the statement is interrupted, Unix milliseconds. */
  readonly until: number;
}

/** The rows, SQLite's result code, or neither if the statement was interrupted. */
export interface ReaderResult {
  readonly rows?: unknown[];
  readonly errcode?: number;
}

const port = parentPort!;
const { filename, lockTimeoutMs, unwanted } = workerData as ReaderThreadData;
const db = new DatabaseSync(filename, { readOnly: true, timeout: lockTimeoutMs });
const prepare = statementCache(db);
let until = 0;
let number = 0;

db.function(IS_WANTED, () => {
  if (Atomics.load(unwanted, 0) === number || Date.now() >= until) throw new Error('no longer wanted');
  return 1;
});

port.on('message', (command: ReaderCommand | 'stop') => {
  if (command === 'stop') {
    db.close();
    port.close();
  } else {
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- for windows, not for threads
    port.postMessage(run(command));
  }
});

function run(command: ReaderCommand): ReaderResult {
  ({ until, number } = command);
  try {
    return { rows: prepare(command.sql).rows(command.values) };
  } catch (error) {
    const { errcode } = error as { readonly errcode?: number };
    return errcode === undefined ? {} : { errcode };
  }
}
