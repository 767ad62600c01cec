// Standard output that never blocks the process. If its reader stops, lines wait in a bounded queue; when it is full,
// they are dropped.
import { constants, fstatSync, openSync, writeSync } from 'node:fs';
import { isatty } from 'node:tty';

/** The destination of a logger. */
export interface LogOutput {
  /** Whether standard output is a terminal. */
  readonly isTerminal: boolean;
  /** Writes, queues or drops a line. Never waits and never throws. */
  write(line: string): void;
  /** Blocks until the queue is written, at most for this many milliseconds. Only for a process that is exiting. */
  flush(limitMs: number): void;
  /** The number of lines dropped since the start. */
  readonly droppedLines: number;
}

/** About 3,000 lines. */
const MAX_QUEUED_BYTES = 1024 * 1024;
/** The delay before the next attempt to write. It doubles while no byte is accepted. */
const SHORTEST_RETRY_MS = 5;
const LONGEST_RETRY_MS = 250;

/**
 * Opens standard output for log lines.
 *
 * @param onResume Called with the number of dropped lines when lines can be written again.
 */
export function createLogOutput(onResume: (droppedLines: number) => void): LogOutput {
  const descriptor = nonBlockingStandardOutput();
  const queue: Buffer[] = [];
  let queuedBytes = 0;
  let droppedLines = 0;
  let unreportedLines = 0;
  let retryMs = SHORTEST_RETRY_MS;

  function drop(lines: number): void {
    droppedLines += lines;
    unreportedLines += lines;
  }

  function enqueue(bytes: Buffer): void {
    queue.push(bytes);
    queuedBytes += bytes.length;
  }

  function reportDrops(): void {
    if (unreportedLines === 0) return;
    const lines = unreportedLines;
    unreportedLines = 0;
    onResume(lines);
  }

  function retryLater(): void {
    setTimeout(retry, retryMs).unref();
  }

  function retry(): void {
    const before = queuedBytes;
    drain();
    retryMs = queuedBytes < before ? SHORTEST_RETRY_MS : Math.min(retryMs * 2, LONGEST_RETRY_MS);
    if (queue.length > 0) retryLater();
  }

  /** Writes as much of the queue as the reader accepts. */
  function drain(): void {
    try {
      while (queue.length > 0) {
        const bytes = queue[0]!;
        const rest = writeSome(descriptor, bytes);
        queuedBytes -= bytes.length - (rest?.length ?? 0);
        if (rest !== undefined) {
          queue[0] = rest;
          return;
        }
        queue.shift();
      }
    } catch {
      drop(queue.length);
      queue.length = 0;
      queuedBytes = 0;
      return;
    }
    reportDrops();
  }

  return {
    isTerminal: isatty(1),
    write(line) {
      if (queue.length > 0) {
        const bytes = Buffer.from(line);
        if (queuedBytes + bytes.length > MAX_QUEUED_BYTES) drop(1);
        else enqueue(bytes);
        return;
      }
      try {
        const rest = writeSome(descriptor, line);
        if (rest === undefined) return reportDrops();
        enqueue(rest);
        retryLater();
      } catch {
        // The reader is gone, or the disk is full. The next line tries again.
        drop(1);
      }
    },
    flush(limitMs) {
      const giveUpAt = performance.now() + limitMs;
      for (drain(); queue.length > 0 && performance.now() < giveUpAt; drain()) {
        Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, SHORTEST_RETRY_MS);
      }
    },
    get droppedLines() {
      return droppedLines;
    },
  };
}

/** Returns the bytes that were not accepted; undefined if all were. Throws if the descriptor is unusable. */
function writeSome(descriptor: number, data: string | Buffer): Buffer | undefined {
  let written = 0;
  try {
    written = typeof data === 'string' ? writeSync(descriptor, data) : writeSync(descriptor, data);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') throw error;
  }
  return written === Buffer.byteLength(data) ? undefined : Buffer.from(data).subarray(written);
}

/** A descriptor on which write returns EAGAIN instead of waiting. */
function nonBlockingStandardOutput(): number {
  // Creating Node's stream sets O_NONBLOCK on a pipe or a socket. The error listener keeps the process running if the
  // reader disconnects.
  process.stdout.on('error', () => {});
  // A file has no reader to wait for.
  if (fstatSync(1).isFile()) return 1;
  try {
    // Other processes that share this standard output also share its flags, and reset them when they start and exit. A
    // pipe or terminal that is opened again has its own flags.
    return openSync('/proc/self/fd/1', constants.O_WRONLY | constants.O_NONBLOCK | constants.O_NOCTTY);
  } catch {
    // Sockets cannot be opened again, or the permission is missing.
    return 1;
  }
}
