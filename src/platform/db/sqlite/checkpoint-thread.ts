// Runs in a thread of its own: copies the write-ahead log of one file into the file on command.
import { DatabaseSync } from 'node:sqlite';
import { parentPort, workerData } from 'node:worker_threads';

/** The input of the thread at its start. */
export interface CheckpointThreadData {
  readonly filename: string;
}

/** A command to the thread. After `copy` it sends one message; after `stop` it exits. */
export type CheckpointCommand = 'copy' | 'stop';

const port = parentPort!;
const db = new DatabaseSync((workerData as CheckpointThreadData).filename);
// Otherwise a power failure could leave pages in the file whose log is lost.
db.exec('PRAGMA synchronous = FULL');

port.on('message', (command: CheckpointCommand) => {
  if (command === 'copy') {
    copyLog();
    port.postMessage('done');
  } else {
    db.close();
    port.close();
  }
});

function copyLog(): void {
  try {
    db.exec('PRAGMA wal_checkpoint(PASSIVE)');
  } catch {
    // For example, the disk is full. The log keeps everything, and the next command tries again.
  }
}
