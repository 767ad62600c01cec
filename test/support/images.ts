// Images for uploads, created once. Each contains a secret in its metadata.
import { writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { randomBytes, randomUUID } from 'node:crypto';
import { crc32 } from 'node:zlib';
import sharp, { type Sharp } from 'sharp';

/** The secret in the metadata of every image. */
export const SECRET = 'Secret of 51.5033N 0.1195W';

/** Wider than high, with an orientation tag: upright, it is 30 wide and 40 high. */
const WIDTH = 40;
const HEIGHT = 30;
const FRAMES = 3;

export interface Images {
  readonly png: Buffer;
  /** With an orientation tag of 90 degrees. */
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

/**
 * An animated GIF of random pixels, whose re-encoding takes seconds. It is written without an encoder, which would take as long: with
 * codes of 8 bits and a dictionary that is cleared before it grows.
 */
export function slowGif(frames = 20, width = 300, height = 200): Buffer {
  const le = (...values: number[]) => Buffer.from(values.flatMap((value) => [value & 255, value >> 8]));
  const header = [Buffer.from('GIF89a'), le(width, height), Buffer.from([0xf6, 0, 0]), randomBytes(128 * 3)];
  const frame = () => {
    const pixels = randomBytes(width * height);
    const codes = Buffer.alloc(pixels.length + Math.ceil(pixels.length / 126) + 1);
    let size = 0;
    for (let index = 0; index < pixels.length; index += 1) {
      if (index % 126 === 0) codes[size++] = 0x80;
      codes[size++] = pixels[index]! & 0x7f;
    }
    codes[size] = 0x81;
    const blocks: Buffer[] = [];
    for (let at = 0; at < codes.length; at += 255) {
      const block = codes.subarray(at, at + 255);
      blocks.push(Buffer.from([block.length]), block);
    }
    const descriptor = Buffer.concat([Buffer.from([0x2c]), le(0, 0, width, height), Buffer.from([0, 7])]);
    return [Buffer.from([0x21, 0xf9, 4, 0, 10, 0, 0, 0]), descriptor, ...blocks, Buffer.from([0])];
  };
  const body = Array.from({ length: frames }, frame).flat();
  return Buffer.concat([...header, ...body, Buffer.from([0x3b])]);
}

const bombs = new Map<string, Promise<Buffer>>();

/** A valid image with very many pixels in a few kilobytes, created once. */
export function pixelBomb(type: 'png' | 'gif', width: number, height: number): Promise<Buffer> {
  const name = `${type} ${width} ${height}`;
  const image = () => sharp({ create: { width, height, channels: 3, background: '#fff' }, limitInputPixels: false });
  const bomb = bombs.get(name) ?? image()[type]().toBuffer();
  bombs.set(name, bomb);
  return bomb;
}

/** Returns libvips' metadata of an image. */
export async function metadataOf(bytes: Buffer) {
  // From a file, because the service allows sharp to read only files in its process.
  const path = join(tmpdir(), randomUUID());
  await writeFile(path, bytes);
  return sharp(path, { animated: true }).metadata();
}

/** A PNG with more chunks before its picture. */
export function withChunks(png: Buffer, chunks: readonly Buffer[]): Buffer {
  const at = png.indexOf('IDAT') - 4;
  return Buffer.concat([png.subarray(0, at), ...chunks, png.subarray(at)]);
}

export function pngChunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type), data]);
  const chunk = Buffer.alloc(body.length + 8);
  chunk.writeUInt32BE(data.length, 0);
  body.copy(chunk, 4);
  chunk.writeUInt32BE(crc32(body), body.length + 4);
  return chunk;
}
