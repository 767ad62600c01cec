// Images to upload, made once. Each hides a secret beside its picture.
import { writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { randomUUID } from 'node:crypto';
import sharp, { type Sharp } from 'sharp';

/** Stands in the metadata of every image. */
export const SECRET = 'Secret of 51.5033N 0.1195W';

/** Wider than high, but to be turned: upright it is 30 wide and 40 high. */
const WIDTH = 40;
const HEIGHT = 30;
const FRAMES = 3;

export interface Images {
  readonly png: Buffer;
  /** To be turned by 90 degrees. */
  readonly jpeg: Buffer;
  readonly webp: Buffer;
  /** Three frames. */
  readonly gif: Buffer;
}

let made: Promise<Images> | undefined;

export function testImages(): Promise<Images> {
  return (made ??= makeImages());
}

async function makeImages(): Promise<Images> {
  const hiding = (image: Sharp) =>
    image
      .withExif({ IFD0: { Copyright: SECRET }, IFD3: { GPSLatitude: '51/1 30/1 12/1' } })
      .withXmp(`<x:xmpmeta xmlns:x="adobe:ns:meta/">${SECRET}</x:xmpmeta>`);
  const still = () => hiding(sharp({ create: { width: WIDTH, height: HEIGHT, channels: 3, background: '#c03' } }));
  return {
    png: await still().png().toBuffer(),
    jpeg: await still().withMetadata({ orientation: 6 }).jpeg().toBuffer(),
    webp: await still().webp().toBuffer(),
    gif: withComment(await animated().gif({ delay: 100, loop: 0 }).toBuffer()),
  };
}

/** Frames of different colours. */
export function animated(frames = FRAMES, width = WIDTH, height = HEIGHT): Sharp {
  const pixels = Buffer.concat(
    Array.from({ length: frames }, (_, frame) =>
      Buffer.alloc(width * height * 4, Buffer.from([frame * 9, 0, 99, 255])),
    ),
  );
  return sharp(pixels, { raw: { width, height: height * frames, channels: 4, pageHeight: height } });
}

/** A comment extension before the trailer. */
function withComment(gif: Buffer): Buffer {
  const text = Buffer.from(SECRET);
  const comment = Buffer.concat([Buffer.from([0x21, 0xfe, text.length]), text, Buffer.from([0])]);
  return Buffer.concat([gif.subarray(0, -1), comment, gif.subarray(-1)]);
}

const bombs = new Map<string, Promise<Buffer>>();

/** A valid picture of so many pixels in a few kilobytes, made once. */
export function pixelBomb(type: 'png' | 'gif', width: number, height: number): Promise<Buffer> {
  const name = `${type} ${width} ${height}`;
  const image = () => sharp({ create: { width, height, channels: 3, background: '#fff' }, limitInputPixels: false });
  const bomb = bombs.get(name) ?? image()[type]().toBuffer();
  bombs.set(name, bomb);
  return bomb;
}

/** What libvips knows of an image. */
export async function metadataOf(bytes: Buffer) {
  // By way of a file: the service lets sharp read nothing else in its process.
  const path = join(tmpdir(), randomUUID());
  await writeFile(path, bytes);
  return sharp(path, { animated: true }).metadata();
}
