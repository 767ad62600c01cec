// Images are written anew: whatever else a file held beside the picture (places, names, comments, a document behind its end) is
// gone, and what is served is what libvips wrote.
import { availableParallelism } from 'node:os';
import type { Sharp, SharpOptions } from 'sharp';
import type { ImageType } from './image-type.ts';
import { createTurns } from './turns.ts';

/** Why an image was refused. */
export class UnreadableImageError extends Error {
  override readonly name = 'UnreadableImageError';
}

export interface Images {
  /**
   * Writes the picture of an image to a new file: upright, in sRGB, without metadata. Rejects with UnreadableImageError for
   * what cannot be decoded whole, and for too many pixels or frames; with SERVICE_UNAVAILABLE where too many wait.
   */
  clean(source: string, target: string, type: ImageType, signal: AbortSignal): Promise<void>;
}

/** Of all frames together. Upright, an image of as many is held in memory whole: 150-200 MB. */
const MAX_PIXELS = 50_000_000;
/** Of one frame where an encoder holds it whole, more than once: for 200-300 MB. */
const MAX_FRAME_PIXELS: Readonly<Partial<Record<ImageType, number>>> = {
  'image/gif': 16_777_216,
  'image/webp': 16_777_216,
};
const MAX_FRAMES = 500;
/** For one image, in seconds. */
const MAX_SECONDS = 60;
/** At once. They take threads of libuv's pool, which password hashes need too. */
const MAX_CONCURRENT = Math.min(2, Math.max(1, Math.floor(availableParallelism() / 2)));
const MAX_QUEUED = 32;

const OPTIONS: SharpOptions = { failOn: 'error', limitInputPixels: MAX_PIXELS, animated: true };

type Encoder = (image: Sharp) => Sharp;

const ENCODERS: Readonly<Record<ImageType, Encoder>> = {
  'image/png': (image) => image.png(),
  // Optimised coding would hold all coefficients of the image in memory.
  'image/jpeg': (image) => image.jpeg({ quality: 90, optimiseCoding: false }),
  'image/webp': (image) => image.webp({ quality: 90 }),
  'image/gif': (image) => image.gif(),
};

/** The only decoders that a file can reach. */
const DECODERS = ['Jpeg', 'Png', 'Webp', 'Nsgif'].map((name) => `VipsForeignLoad${name}File`);

export function createImages(): Images {
  const inTurn = createTurns({ maxConcurrent: MAX_CONCURRENT, maxQueued: MAX_QUEUED });
  let library: ReturnType<typeof loadSharp> | undefined;
  return {
    clean: (source, target, type, signal) =>
      inTurn(signal, async () => {
        const sharp = await (library ??= loadSharp());
        try {
          const { pages: frames = 1, width, height, pageHeight = height } = await sharp(source, OPTIONS).metadata();
          if (frames > MAX_FRAMES) throw new UnreadableImageError(`more than ${MAX_FRAMES} frames`);
          const maxPixels = MAX_FRAME_PIXELS[type] ?? MAX_PIXELS;
          if (width * pageHeight > maxPixels) throw tooManyPixels(maxPixels);
          // libvips cannot turn several frames.
          const image = sharp(source, OPTIONS).timeout({ seconds: MAX_SECONDS });
          await ENCODERS[type](frames === 1 ? image.autoOrient() : image).toFile(target);
        } catch (error) {
          throw error instanceof UnreadableImageError ? error : unreadable(error);
        }
      }),
  };
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

/** libvips' messages may quote paths and what the file says of itself. */
function unreadable(cause: unknown): UnreadableImageError {
  const tooLarge = cause instanceof Error && cause.message.includes('pixel limit');
  return tooLarge ? tooManyPixels(MAX_PIXELS, cause) : new UnreadableImageError('it cannot be decoded', { cause });
}

function tooManyPixels(maximum: number, cause?: Error): UnreadableImageError {
  return new UnreadableImageError(`more than ${maximum} pixels`, { cause });
}
