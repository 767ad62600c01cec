// Random messages of all types of the protos, as ts-proto represents them, with their codecs.
import { globSync, readFileSync } from 'node:fs';
import { createFileRegistry, fromBinary, ScalarType, type DescField, type DescMessage } from '@bufbuild/protobuf';
import { FileDescriptorSetSchema } from '@bufbuild/protobuf/wkt';
import type { BinaryReader } from '../../proto/wire/reader.ts';
import type { BinaryWriter } from '../../proto/wire/writer.ts';
import { isMask } from '../../src/platform/rpc/contract/values.ts';

/** The codec that ts-proto generates. */
export interface Codec {
  encode(message: unknown, writer?: BinaryWriter): BinaryWriter;
  decode(bytes: Uint8Array | BinaryReader): unknown;
}

/** Returns a number from 0 up to, but not including, 1. */
export type Random = () => number;

const ROOT = new URL('../../', import.meta.url);
const MAX_DEPTH = 4;

/** Returns a reproducible sequence of numbers (mulberry32). */
export function seeded(seed: number): Random {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Loads the generated code of all messages. */
export async function loadCodecs(): Promise<{ readonly type: DescMessage; readonly codec: Codec }[]> {
  const descriptors = readFileSync(new URL('proto/gen/descriptors.binpb', ROOT));
  const registry = createFileRegistry(fromBinary(FileDescriptorSetSchema, descriptors));
  const files = globSync('proto/gen/**/*.ts', { cwd: ROOT });
  const modules = await Promise.all(
    files.map(async (file) => [file.slice('proto/gen/'.length, -'.ts'.length), await import(new URL(file, ROOT).href)]),
  );
  const byFile = new Map(modules as [string, Record<string, Codec>][]);
  return [...registry].flatMap((type) => {
    if (type.kind !== 'message') return [];
    const prefix = type.file.proto.package === '' ? 0 : type.file.proto.package.length + 1;
    const codec = byFile.get(type.file.name)?.[type.typeName.slice(prefix).replaceAll('.', '_')];
    return codec === undefined ? [] : [{ type, codec }];
  });
}

/** Creates a random message. */
export function randomMessage(type: DescMessage, random: Random, depth = 0): Record<string, unknown> {
  const message: Record<string, unknown> = {};
  for (const field of type.fields) {
    if (field.oneof === undefined) message[field.localName] = randomField(field, random, depth);
    else if (random() < 0.5) {
      message[field.oneof.localName] = { $case: field.localName, value: randomValue(field, random, depth) };
    }
  }
  return message;
}

function randomField(field: DescField, random: Random, depth: number): unknown {
  const count = depth < MAX_DEPTH ? Math.floor(random() * 4) : 0;
  const some = () => Array.from({ length: count }, () => randomValue(field, random, depth));
  if (field.fieldKind === 'list') return some();
  if (field.fieldKind === 'map') return Object.fromEntries(some().map((value, index) => [`key-${index}`, value]));
  const isOptional = field.fieldKind === 'message' || field.proto.proto3Optional;
  if (isOptional && (random() < 0.4 || depth >= MAX_DEPTH)) return undefined;
  return randomValue(field, random, depth);
}

function randomValue(field: DescField, random: Random, depth: number): unknown {
  if (isMask(field)) return ['name', 'price'].slice(0, Math.floor(random() * 3));
  if (field.message?.typeName === 'google.protobuf.Timestamp') return new Date(Math.floor((random() - 0.2) * 4e12));
  if (field.message) return randomMessage(field.message, random, depth + 1);
  if (field.enum) return field.enum.values[Math.floor(random() * field.enum.values.length)]!.number;
  return SCALARS[field.scalar]!(random);
}

const SCALARS: Readonly<Partial<Record<ScalarType, (random: Random) => unknown>>> = {
  [ScalarType.STRING]: randomText,
  [ScalarType.BYTES]: (random) => Buffer.alloc(randomLength(random), Math.floor(random() * 256)),
  [ScalarType.BOOL]: (random) => random() < 0.5,
  [ScalarType.INT32]: (random) => randomInteger(random, 31),
  [ScalarType.UINT32]: (random) => Math.abs(randomInteger(random, 31)),
  [ScalarType.INT64]: (random) => randomInteger(random, 53),
};

/** Small and great numbers alike, and the greatest. */
function randomInteger(random: Random, bits: number): number {
  const greatest = 2 ** bits - 1;
  const value = random() < 0.1 ? greatest : Math.floor(random() * 2 ** Math.floor(random() * (bits + 1)));
  return random() < 0.7 ? value : -value;
}

/** Mostly short. Around 127 and 128, the length takes one and two bytes; 70,000 bytes exceed the shared buffer. */
function randomLength(random: Random): number {
  if (random() < 0.0005) return 70_000;
  return random() < 0.1 ? 120 + Math.floor(random() * 20) : Math.floor(random() * 40);
}

const ALPHABETS = ['abcXYZ019 -', 'aä', 'a€\u{feff}', '\u{1f512}b', '\ud800c\udc00'];

function randomText(random: Random): string {
  const letters = ALPHABETS[random() < 0.7 ? 0 : Math.floor(random() * ALPHABETS.length)]!;
  return Array.from({ length: randomLength(random) }, () => letters[Math.floor(random() * letters.length)]).join('');
}
