// Encodes one image in a process of its own: libvips interrupts neither the colours of a GIF frame nor WebP, a process ends
// at once.
import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { encodeImage } from './encode.ts';
import type { ImageType } from './image-type.ts';
import type { OpenFile } from './object-store.ts';

/** Where the process finds its two files: behind standard input, output and error. */
const SOURCE = '/dev/fd/3';
const TARGET = '/dev/fd/4';
/** In milliseconds: a process whose parent is gone ends too. */
const ORPHAN_MS = 30_000;

export interface ProcessOfImage {
  readonly type: ImageType;
  readonly frames: number;
  readonly source: OpenFile;
  readonly target: OpenFile;
}

/** Why there is no encoded image: the image itself, the time, or the machine. */
export type EncodingFailure = 'unreadable' | 'late' | 'failed';

/** Undefined if the image was encoded. The process is killed after `maxMs`, and if the signal aborts. */
export async function encodeInProcess(
  { type, frames, source, target }: ProcessOfImage,
  maxMs: number,
  signal: AbortSignal,
): Promise<EncodingFailure | undefined> {
  const program = [fileURLToPath(import.meta.url), type, String(frames)];
  const late = AbortSignal.timeout(maxMs);
  const exitCode = await new Promise<number | null>((resolve) => {
    const child = spawn(process.execPath, program, {
      // It decodes what strangers send, and needs no secrets for that.
      env: {},
      stdio: ['ignore', 'ignore', 'ignore', source.handle.fd, target.handle.fd],
      signal: AbortSignal.any([late, signal]),
      killSignal: 'SIGKILL',
    });
    child.once('error', () => child.pid === undefined && resolve(null));
    child.once('close', resolve);
  });
  if (exitCode === 0) return undefined;
  if (late.aborted) return 'late';
  return exitCode === UNREADABLE ? 'unreadable' : 'failed';
}

const UNREADABLE = 3;

if (import.meta.main) {
  const [, , type, frames] = process.argv;
  setTimeout(() => process.exit(1), ORPHAN_MS).unref();
  const encoding = { type: type as ImageType, frames: Number(frames), source: SOURCE, target: TARGET };
  await encodeImage(encoding).catch(() => process.exit(UNREADABLE));
}
