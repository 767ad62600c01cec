// Standard output that never blocks the process. If its reader stops, lines wait in a bounded queue; when it is full,
// they are dropped.
import { constants, fstatSync, openSync, writeSync } from 'node:fs';
import { isatty } from 'node:tty';

/** The destination of a logger. */
export interface LogOutput {
  /** Whether standard output is a terminal. */
  readonly isTerminal: boolean;
  /**
   * Writes, queues or drops a line. Never waits and never throws. The lines of one turn of the event loop are written together, at its
   * end: those of a group of requests cost one system call.
   */
  write(line: string): void;
  /** Blocks until all lines are written, at most for this many milliseconds. Only for a process that is exiting. */
  flush(limitMs: number): void;
  /** The number of lines dropped since the start. */
  readonly droppedLines: number;
}

/** About 3,000 lines. */
const MAX_QUEUED_BYTES = 1024 * 1024;
/** A pipe takes so many bytes at once (PIPE_BUF): the lines of the processes that share it do not mix. */
const MAX_TOGETHER = 4_096;
/** Lines to write. */
interface Lines {
  readonly bytes: Buffer;
  readonly count: number;
}

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
  const queue: Lines[] = [];
  let turn = '';
  let turnLines = 0;
  let queuedBytes = 0;
  let droppedLines = 0;
  let unreportedLines = 0;
  let retryMs = SHORTEST_RETRY_MS;

  function drop(lines: number): void {
    droppedLines += lines;
    unreportedLines += lines;
  }

  function enqueue(lines: Lines): void {
    queue.push(lines);
    queuedBytes += lines.bytes.length;
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
        const { bytes, count } = queue[0]!;
        const rest = writeSome(descriptor, bytes);
        queuedBytes -= bytes.length - (rest?.length ?? 0);
        if (rest !== undefined) {
          queue[0] = { bytes: rest, count };
          return;
        }
        queue.shift();
      }
    } catch {
      drop(queue.reduce((sum, { count }) => sum + count, 0));
      queue.length = 0;
      queuedBytes = 0;
      return;
    }
    reportDrops();
  }

  /** Writes, queues or drops the lines of the turn. */
  function endTurn(): void {
    const [text, count] = [turn, turnLines];
    turn = '';
    turnLines = 0;
    if (count === 0) return;
    if (queue.length > 0) {
      const bytes = Buffer.from(text);
      if (queuedBytes + bytes.length > MAX_QUEUED_BYTES) drop(count);
      else enqueue({ bytes, count });
      return;
    }
    try {
      const rest = writeSome(descriptor, text);
      if (rest === undefined) return reportDrops();
      enqueue({ bytes: rest, count });
      retryLater();
    } catch {
      // The reader is gone, or the disk is full. The next turn tries again.
      drop(count);
    }
  }

  return {
    isTerminal: isatty(1),
    write(line) {
      if (turn.length + line.length > MAX_TOGETHER) endTurn();
      if (turnLines === 0) setImmediate(endTurn);
      turn += line;
      turnLines += 1;
    },
    flush(limitMs) {
      const giveUpAt = performance.now() + limitMs;
      for (;;) {
        drain();
        // Also the line about dropped ones.
        endTurn();
        if ((queue.length === 0 && turnLines === 0) || performance.now() >= giveUpAt) return;
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
