// Images are written anew: whatever else a file held beside the picture (places, names, comments, a document behind its end) is
// gone, and what is served is what libvips wrote.
import type { Metadata, Sharp, SharpOptions } from 'sharp';
import { ServiceError } from '../errors.ts';
import { createFairSemaphore, type FairSemaphore } from '../fair-semaphore.ts';
import type { ImageType } from './image-type.ts';
import type { OpenFile } from './objects.ts';
import { compressedTextBytes } from './png-texts.ts';
import { descriptorPath } from './uploads.ts';

/** Why an image was refused. */
export class UnreadableImageError extends Error {
  override readonly name = 'UnreadableImageError';
  /** The rule that the image breaks. */
  readonly params: Readonly<Record<string, unknown>>;

  constructor(message: string, params: Readonly<Record<string, unknown>>, options?: ErrorOptions) {
    super(message, options);
    this.params = params;
  }
}

export interface ImageToClean {
  /** Whose image it is: tenants take turns. */
  readonly tenantId: string;
  readonly source: OpenFile;
  /** Creates the empty file for the result, when its turn has come. */
  readonly createTarget: () => Promise<OpenFile>;
  readonly type: ImageType;
}

export interface Images {
  /**
   * Writes the picture of an image to a new file: upright, in sRGB, without metadata. Rejects with UnreadableImageError for
   * an image that cannot be decoded whole, has too many pixels, frames or texts, or takes too long; with SERVICE_UNAVAILABLE
   * if too many wait.
   */
  clean(image: ImageToClean, signal: AbortSignal): Promise<OpenFile>;
}

/** Of all frames together. Upright, an image of as many is held in memory whole: 150-200 MB. */
const MAX_PIXELS = 50_000_000;
/** Of all frames together: GIF and WebP take ten times as long as JPEG. */
const MAX_SLOW_PIXELS = 16_777_216;
/** Of one frame of a GIF, whose colours are chosen in one go that nothing interrupts: about a second. */
const MAX_GIF_FRAME_PIXELS = 4_194_304;
const MAX_FRAMES = 500;
/** Of a PNG, before they are unpacked. */
const MAX_COMPRESSED_TEXT_BYTES = 65_536;
/** For one image, in seconds. A large image waits for one other large image at most, if its tenant has the next turn. */
const MAX_SECONDS = 2;
/** At once. They take threads of libuv's pool, which password hashes need too. */
const MAX_CONCURRENT = 2;
/** Large images run one at a time, so that smaller ones, which take tenths of a second, never wait for them. */
const LARGE_PIXELS = 4_194_304;
const LARGE_SLOW_PIXELS = 1_048_576;
const MAX_QUEUED = 32;
const MAX_QUEUED_PER_TENANT = 8;

const OPTIONS: SharpOptions = { failOn: 'error', limitInputPixels: MAX_PIXELS, animated: true };

type Encoder = (image: Sharp) => Sharp;

const ENCODERS: Readonly<Record<ImageType, Encoder>> = {
  // Twice as fast as by default, and a tenth larger.
  'image/png': (image) => image.png({ compressionLevel: 3 }),
  // Optimised coding would hold all coefficients of the image in memory.
  'image/jpeg': (image) => image.jpeg({ quality: 90, optimiseCoding: false }),
  'image/webp': (image) => image.webp({ quality: 90, effort: 2 }),
  'image/gif': (image) => image.gif(),
};

/** The only decoders that a file can reach. */
const DECODERS = ['Jpeg', 'Png', 'Webp', 'Nsgif'].map((name) => `VipsForeignLoad${name}File`);

/** @param maxSeconds For one image. */
export function createImages(maxSeconds = MAX_SECONDS): Images {
  const all = createImageSemaphore(MAX_CONCURRENT);
  const large = createImageSemaphore(1);
  let library: ReturnType<typeof loadSharp> | undefined;

  async function read({ source, type }: ImageToClean): Promise<ImageSize> {
    if (type === 'image/png') await checkTexts(source);
    const sharp = await (library ??= loadSharp());
    try {
      return sizeOf(await sharp(descriptorPath(source), OPTIONS).metadata());
    } catch (error) {
      throw unreadable(type, error);
    }
  }

  async function encode({ source, createTarget, type }: ImageToClean, { frames }: ImageSize): Promise<OpenFile> {
    const sharp = await (library ??= loadSharp());
    const target = await createTarget();
    const startedAt = performance.now();
    try {
      const image = sharp(descriptorPath(source), OPTIONS).timeout({ seconds: maxSeconds });
      // libvips cannot turn several frames.
      await ENCODERS[type](frames === 1 ? image.autoOrient() : image).toFile(descriptorPath(target));
      return target;
    } catch (error) {
      const isLate = performance.now() - startedAt >= maxSeconds * 1000;
      throw isLate ? tooSlow(maxSeconds, error) : unreadable(type, error);
    }
  }

  return {
    async clean(image, signal) {
      const size = await read(image);
      checkSize(image.type, size);
      const { tenantId } = image;
      const run = () => all.run(tenantId, signal, () => encode(image, size));
      return isLarge(image.type, size) ? large.run(tenantId, signal, run) : run();
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

interface ImageSize {
  readonly frames: number;
  readonly framePixels: number;
}

function sizeOf({ pages: frames = 1, width, height, pageHeight = height }: Metadata): ImageSize {
  return { frames, framePixels: width * pageHeight };
}

function isSlow(type: ImageType): boolean {
  return type === 'image/gif' || type === 'image/webp';
}

function isLarge(type: ImageType, { frames, framePixels }: ImageSize): boolean {
  return frames * framePixels > (isSlow(type) ? LARGE_SLOW_PIXELS : LARGE_PIXELS);
}

/** Rejects with UnreadableImageError for texts that take too long to unpack. */
async function checkTexts({ handle }: OpenFile): Promise<void> {
  if ((await compressedTextBytes(handle)) <= MAX_COMPRESSED_TEXT_BYTES) return;
  const params = { maxCompressedTextBytes: MAX_COMPRESSED_TEXT_BYTES };
  throw new UnreadableImageError(`more than ${MAX_COMPRESSED_TEXT_BYTES} bytes of compressed texts`, params);
}

/** Throws UnreadableImageError. */
function checkSize(type: ImageType, { frames, framePixels }: ImageSize): void {
  if (frames > MAX_FRAMES) throw new UnreadableImageError(`more than ${MAX_FRAMES} frames`, { maxFrames: MAX_FRAMES });
  if (isSlow(type) && frames * framePixels > MAX_SLOW_PIXELS) throw tooManyPixels(MAX_SLOW_PIXELS);
  if (type === 'image/gif' && framePixels > MAX_GIF_FRAME_PIXELS) throw tooManyPixels(MAX_GIF_FRAME_PIXELS);
}

function busy(detail: string): ServiceError {
  return new ServiceError('SERVICE_UNAVAILABLE', { detail, retryAfterMs: 2_000 });
}

/** Not before the first image: it costs a start 50 ms and 15 MB. */
async function loadSharp() {
  const { default: sharp } = await import('sharp');
  sharp.cache(false);
  sharp.concurrency(1);
  sharp.block({ operation: ['VipsForeignLoad'] });
  sharp.unblock({ operation: DECODERS });
  return sharp;
}

/** libvips' messages may quote paths and what the file says of itself, or belong to another image that ended at the same time. */
function unreadable(type: ImageType, cause: unknown): UnreadableImageError {
  const tooLarge = cause instanceof Error && cause.message.includes('pixel limit');
  if (tooLarge) return tooManyPixels(MAX_PIXELS, cause);
  return new UnreadableImageError('it cannot be decoded', { contentType: type }, { cause });
}

function tooSlow(maxSeconds: number, cause: unknown): UnreadableImageError {
  return new UnreadableImageError(`it takes more than ${maxSeconds} s to encode`, { maxSeconds }, { cause });
}

function tooManyPixels(maximum: number, cause?: unknown): UnreadableImageError {
  return new UnreadableImageError(`more than ${maximum} pixels`, { maxPixels: maximum }, { cause });
}
