// Encodes images again. All data beside the pixels (places, names, comments, appended documents) is removed, and only
// output of libvips is served.
import type { FileHandle } from 'node:fs/promises';
import { type FairSemaphore, createFairSemaphore } from '../concurrency/fair-semaphore.ts';
import { ServiceError } from '../errors.ts';
import { encodeInProcess } from './encode-process.ts';
import { type ImageSize, MAX_PIXELS, TIMEOUT_SECONDS, encodeImage, readImageSize } from './encode.ts';
import type { ImageType } from './image-type.ts';
import type { OpenFile } from './object-store.ts';
import { descriptorPath } from './uploads.ts';

// Measures the compressed texts of a PNG. Before the pixels, the decoder decompresses each text, to up to a thousand
// times its size. It cannot be interrupted.

const SIGNATURE_BYTES = 8;
/** Bytes of a chunk around its data: length and type before it, checksum after it. */
const PREFIX_BYTES = 8;
const CHECKSUM_BYTES = 4;
/** The bytes of a chunk to read: a keyword of at most 79 bytes, its terminator, and the compression flag. */
const HEAD_BYTES = PREFIX_BYTES + 81;
const BLOCK_BYTES = 65_536;

/** Returns the total size of all compressed texts in a PNG file, in bytes. */
async function compressedTextBytes(file: FileHandle): Promise<number> {
  const buffer = Buffer.allocUnsafe(BLOCK_BYTES);
  let block = buffer.subarray(0, 0);
  let blockAt = 0;
  let total = 0;
  for (let at = SIGNATURE_BYTES; ;) {
    if (at + HEAD_BYTES > blockAt + block.length) {
      const { bytesRead } = await file.read(buffer, 0, BLOCK_BYTES, at);
      block = buffer.subarray(0, bytesRead);
      blockAt = at;
    }
    const head = block.subarray(at - blockAt, at - blockAt + HEAD_BYTES);
    if (head.length < PREFIX_BYTES) return total;
    const length = head.readUInt32BE(0);
    if (isCompressedText(head)) total += length;
    at += PREFIX_BYTES + length + CHECKSUM_BYTES;
  }
}

function isCompressedText(head: Buffer): boolean {
  const type = head.toString('latin1', 4, PREFIX_BYTES);
  if (type === 'zTXt') return true;
  if (type !== 'iTXt') return false;
  const keywordEnd = head.indexOf(0, PREFIX_BYTES);
  return keywordEnd === -1 || head[keywordEnd + 1] !== 0;
}

/** An image was refused. The message says why. */
export class UnreadableImageError extends Error {
  override readonly name = 'UnreadableImageError';
  /** The parameters of the violated rule. */
  readonly params: Readonly<Record<string, unknown>>;

  constructor(message: string, params: Readonly<Record<string, unknown>>, options?: ErrorOptions) {
    super(message, options);
    this.params = params;
  }
}

interface ImageToClean {
  /** The tenant of the image. Waiting tenants take turns. */
  readonly tenantId: string;
  readonly source: OpenFile;
  /** Creates the empty file for the result. Called when the image's turn has come. */
  readonly createTarget: () => Promise<OpenFile>;
  readonly type: ImageType;
}

export interface Images {
  /**
   * Writes the pixels of an image to a new file: upright, in sRGB, without metadata. Rejects with UnreadableImageError
   * if the image cannot be decoded, is too large (pixels, frames, texts), or takes too long. Rejects with
   * SERVICE_UNAVAILABLE if too many images wait.
   */
  clean(image: ImageToClean, signal: AbortSignal): Promise<OpenFile>;
}

/** Maximum pixels of all frames together. GIF and WebP take ten times as long as JPEG. */
const MAX_SLOW_PIXELS = 16_777_216;
const MAX_FRAMES = 500;
/** Maximum size of a PNG's compressed texts, before decompression. */
const MAX_COMPRESSED_TEXT_BYTES = 65_536;
/** Time limit for one large image, in seconds. An image waits for at most one other if its tenant has the next turn. */
const MAX_SECONDS = 1.6;
/** Maximum number of concurrent images. They use threads of libuv's pool, which password hashes need too. */
const MAX_CONCURRENT = 2;
/**
 * Large images run one at a time, each in a process that can be killed. Smaller images take tenths of a second and
 * never wait for them.
 */
const LARGE_PIXELS = 4_194_304;
const LARGE_SLOW_PIXELS = 1_048_576;
const MAX_QUEUED = 32;
const MAX_QUEUED_PER_TENANT = 8;

/**
 * @param maxSeconds Time limit for one large image.
 * @param encode Encodes a large image. Tests decide when it ends.
 */
export function createImages(maxSeconds = MAX_SECONDS, encode = encodeInProcess): Images {
  const small = createImageSemaphore(MAX_CONCURRENT);
  const large = createImageSemaphore(1);

  async function read({ source, type }: ImageToClean): Promise<ImageSize> {
    if (type === 'image/png') await checkTexts(source);
    return readImageSize(descriptorPath(source)).catch((error: unknown) => {
      throw unreadable(type, error);
    });
  }

  async function encodeSmall({ source, createTarget, type }: ImageToClean, { frames }: ImageSize): Promise<OpenFile> {
    const target = await createTarget();
    const paths = { source: descriptorPath(source), target: descriptorPath(target) };
    const startedAt = performance.now();
    await encodeImage({ type, frames, ...paths }).catch((error: unknown) => {
      const isLate = performance.now() - startedAt >= TIMEOUT_SECONDS * 1000;
      throw isLate ? tooSlow(TIMEOUT_SECONDS, error) : unreadable(type, error);
    });
    return target;
  }

  async function encodeLarge(image: ImageToClean, { frames }: ImageSize, signal: AbortSignal): Promise<OpenFile> {
    const { source, createTarget, type } = image;
    const target = await createTarget();
    const failure = await encode({ type, frames, source, target }, maxSeconds * 1000, signal);
    if (failure === undefined) return target;
    if (failure === 'late') throw tooSlow(maxSeconds);
    throw failure === 'unreadable' ? unreadable(type) : busy('the process that encodes an image ended');
  }

  return {
    async clean(image, signal) {
      const size = await read(image);
      checkSize(image.type, size);
      const { tenantId } = image;
      if (!isLarge(image.type, size)) return small.run(tenantId, { signal }, () => encodeSmall(image, size));
      return large.run(tenantId, { signal }, () => encodeLarge(image, size, signal));
    },
  };
}

function createImageSemaphore(maxConcurrent: number): FairSemaphore {
  return createFairSemaphore({
    maxConcurrent,
    maxQueued: MAX_QUEUED,
    maxQueuedPerKey: MAX_QUEUED_PER_TENANT,
    queueFull: () => busy('too many images wait to be encoded'),
    aborted: () => busy('the call ended while its image waited to be encoded'),
  });
}

function isSlow(type: ImageType): boolean {
  return type === 'image/gif' || type === 'image/webp';
}

function isLarge(type: ImageType, { frames, framePixels }: ImageSize): boolean {
  return frames * framePixels > (isSlow(type) ? LARGE_SLOW_PIXELS : LARGE_PIXELS);
}

/** Rejects with UnreadableImageError if the texts would take too long to decompress. */
async function checkTexts({ handle }: OpenFile): Promise<void> {
  if ((await compressedTextBytes(handle)) <= MAX_COMPRESSED_TEXT_BYTES) return;
  const params = { maxCompressedTextBytes: MAX_COMPRESSED_TEXT_BYTES };
  throw new UnreadableImageError(`more than ${MAX_COMPRESSED_TEXT_BYTES} bytes of compressed texts`, params);
}

/** Throws UnreadableImageError. */
function checkSize(type: ImageType, { frames, framePixels }: ImageSize): void {
  if (frames > MAX_FRAMES) throw new UnreadableImageError(`more than ${MAX_FRAMES} frames`, { maxFrames: MAX_FRAMES });
  if (isSlow(type) && frames * framePixels > MAX_SLOW_PIXELS) throw tooManyPixels(MAX_SLOW_PIXELS);
}

function busy(detail: string): ServiceError {
  return new ServiceError('SERVICE_UNAVAILABLE', { detail, retryAfterMs: 2_000 });
}

/** The error hides libvips' message, which may quote paths and the file's content, or belong to another image. */
function unreadable(type: ImageType, cause?: unknown): UnreadableImageError {
  const tooLarge = cause instanceof Error && cause.message.includes('pixel limit');
  if (tooLarge) return tooManyPixels(MAX_PIXELS, cause);
  return new UnreadableImageError('it cannot be decoded', { contentType: type }, { cause });
}

function tooSlow(maxSeconds: number, cause?: unknown): UnreadableImageError {
  return new UnreadableImageError(`it takes more than ${maxSeconds} s to encode`, { maxSeconds }, { cause });
}

function tooManyPixels(maximum: number, cause?: unknown): UnreadableImageError {
  return new UnreadableImageError(`more than ${maximum} pixels`, { maxPixels: maximum }, { cause });
}
