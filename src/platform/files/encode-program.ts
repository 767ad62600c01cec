// The program of a process that encodes one image: encode-process.ts.
import { encodeImage } from './encode.ts';
import type { ImageType } from './image-type.ts';

/** The descriptors of the two files in the process, after standard input, output and error. */
const SOURCE = '/dev/fd/3';
const TARGET = '/dev/fd/4';
/** In milliseconds. A process whose parent has exited ends too. */
const ORPHAN_MS = 30_000;

const [, , type, frames, unreadable] = process.argv;
setTimeout(() => process.exit(1), ORPHAN_MS).unref();
const encoding = { type: type as ImageType, frames: Number(frames), source: SOURCE, target: TARGET };
await encodeImage(encoding).catch(() => process.exit(Number(unreadable)));
