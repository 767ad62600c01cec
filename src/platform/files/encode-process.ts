// Encodes one image in its own process, which can be killed at once. libvips cannot interrupt the encoding of WebP and
// the colour reduction of GIF frames.
import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { ImageType } from './image-type.ts';
import type { OpenFile } from './object-store.ts';

const PROGRAM = fileURLToPath(new URL('encode-program.ts', import.meta.url));
/** The exit code of the program for an image that cannot be decoded. */
const UNREADABLE = 3;

interface ProcessOfImage {
  readonly type: ImageType;
  readonly frames: number;
  readonly source: OpenFile;
  readonly target: OpenFile;
}

/** Why encoding failed: the image itself, the time limit, or the machine. */
type EncodingFailure = 'unreadable' | 'late' | 'failed';

/**
 * Returns undefined if the image was encoded, else the reason. The process is killed after `maxMs` milliseconds, or
 * when the signal aborts.
 */
export async function encodeInProcess(
  { type, frames, source, target }: ProcessOfImage,
  maxMs: number,
  signal: AbortSignal,
): Promise<EncodingFailure | undefined> {
  const program = [PROGRAM, type, String(frames), String(UNREADABLE)];
  const late = AbortSignal.timeout(maxMs);
  const exitCode = await new Promise<number | null>((resolve) => {
    const child = spawn(process.execPath, program, {
      // The process decodes untrusted files and needs no secrets.
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
