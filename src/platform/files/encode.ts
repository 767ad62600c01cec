// Encodes images again with libvips, using decoders of four formats only.
import type { Sharp, SharpOptions } from 'sharp';
import type { ImageType } from './image-type.ts';

/** Maximum pixels of all frames together. Rotating an image of this size holds it in memory: 150-200 MB. */
export const MAX_PIXELS = 50_000_000;

const OPTIONS: SharpOptions = { failOn: 'error', limitInputPixels: MAX_PIXELS, animated: true };

type Encoder = (image: Sharp) => Sharp;

const ENCODERS: Readonly<Record<ImageType, Encoder>> = {
  // Twice as fast as the default, with files a tenth larger.
  'image/png': (image) => image.png({ compressionLevel: 3 }),
  // Optimised coding would keep all coefficients of the image in memory.
  'image/jpeg': (image) => image.jpeg({ quality: 90, optimiseCoding: false }),
  'image/webp': (image) => image.webp({ quality: 90, effort: 2 }),
  'image/gif': (image) => image.gif(),
};

/** The only decoders that are enabled. */
const DECODERS = ['Jpeg', 'Png', 'Webp', 'Nsgif'].map((name) => `VipsForeignLoad${name}File`);

/** Time limit for one image, in seconds. libvips checks it only between some of its steps. */
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

/** Reads the header of an image. Rejects with an Error if there is none or the image has too many pixels. */
export async function readImageSize(source: string): Promise<ImageSize> {
  const sharp = await (library ??= loadSharp());
  const { pages = 1, width, height, pageHeight = height } = await sharp(source, OPTIONS).metadata();
  return { frames: pages, framePixels: width * pageHeight };
}

/** Writes the pixels of an image to another file. Rejects with an Error if it cannot be decoded completely. */
export async function encodeImage({ type, frames, source, target }: Encoding): Promise<void> {
  const sharp = await (library ??= loadSharp());
  const image = sharp(source, OPTIONS).timeout({ seconds: TIMEOUT_SECONDS });
  // libvips cannot rotate several frames.
  await ENCODERS[type](frames === 1 ? image.autoOrient() : image).toFile(target);
}

/** Loads sharp at the first image, because it costs 50 ms and 15 MB at the start. */
async function loadSharp() {
  const { default: sharp } = await import('sharp');
  sharp.cache(false);
  sharp.concurrency(1);
  sharp.block({ operation: ['VipsForeignLoad'] });
  sharp.unblock({ operation: DECODERS });
  return sharp;
}
