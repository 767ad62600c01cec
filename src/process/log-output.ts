// Standard output that never blocks the process: if its reader stops, lines wait in a bounded queue, and then they are dropped.
import { constants, fstatSync, openSync, writeSync } from 'node:fs';
import { isatty } from 'node:tty';

/** The destination of a logger. */
export interface LogOutput {
  /** Whether a terminal shows the lines. */
  readonly isTerminal: boolean;
  /** Writes a line, queues it, or drops it; never waits and never throws. */
  write(line: string): void;
  /** Waits until the queue is written, at most for this many milliseconds: only for a process that ends. */
  flush(limitMs: number): void;
  /** The lines that were dropped since the start. */
  readonly droppedLines: number;
}

/** About 3,000 lines. */
const MAX_QUEUED_BYTES = 1024 * 1024;
/** The delay between two attempts to write; it doubles as long as no byte is accepted. */
const SHORTEST_RETRY_MS = 5;
const LONGEST_RETRY_MS = 250;

/**
 * Opens standard output for log lines.
 *
 * @param onResume Called with the number of dropped lines, once lines can be written again.
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

  /** Writes the queue as far as the reader takes it. */
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
        // Nobody reads any more, or the disk is full. The next line tries again.
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

/** Returns the bytes that were not accepted, undefined if all were. Throws if the descriptor is broken. */
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
  // Creating Node's stream sets O_NONBLOCK on a pipe or a socket. The listener keeps a reader that goes away from ending the process.
  process.stdout.on('error', () => {});
  // A file has no reader to wait for.
  if (fstatSync(1).isFile()) return 1;
  try {
    // Other processes with the same standard output share its flags and set them back as they start and end. A pipe or terminal
    // that is opened again has flags of its own.
    return openSync('/proc/self/fd/1', constants.O_WRONLY | constants.O_NONBLOCK | constants.O_NOCTTY);
  } catch {
    // A socket, which cannot be opened, or no permission.
    return 1;
  }
}
