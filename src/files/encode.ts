// How an image is written anew. libvips does it, by decoders of four formats only.
import type { Sharp, SharpOptions } from 'sharp';
import type { ImageType } from './image-type.ts';

/** Of all frames together. Upright, an image of as many is held in memory whole: 150-200 MB. */
export const MAX_PIXELS = 50_000_000;

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

/** For one image, in seconds, as far as libvips interrupts what it does. */
export const TIMEOUT_SECONDS = 2;

export interface ImageSize {
  readonly frames: number;
  readonly framePixels: number;
}

export interface Encoding {
  readonly type: ImageType;
  readonly frames: number;
  /** Paths. */
  readonly source: string;
  readonly target: string;
}

let library: ReturnType<typeof loadSharp> | undefined;

/** Reads the header of an image. Rejects with an Error if it has none or names too many pixels. */
export async function readImageSize(source: string): Promise<ImageSize> {
  const sharp = await (library ??= loadSharp());
  const { pages = 1, width, height, pageHeight = height } = await sharp(source, OPTIONS).metadata();
  return { frames: pages, framePixels: width * pageHeight };
}

/** Writes the picture of an image over a file. Rejects with an Error if it cannot be decoded whole. */
export async function encodeImage({ type, frames, source, target }: Encoding): Promise<void> {
  const sharp = await (library ??= loadSharp());
  const image = sharp(source, OPTIONS).timeout({ seconds: TIMEOUT_SECONDS });
  // libvips cannot turn several frames.
  await ENCODERS[type](frames === 1 ? image.autoOrient() : image).toFile(target);
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
