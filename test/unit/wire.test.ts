// proto/wire beside the library that it replaces below the generated code.
import { globSync, readFileSync } from 'node:fs';
import { isDeepStrictEqual } from 'node:util';
import { BinaryReader as LibraryReader, BinaryWriter as LibraryWriter } from '@bufbuild/protobuf/wire';
import { beforeAll, describe, expect, it } from 'vitest';
import { BinaryReader } from '../../proto/wire/reader.ts';
import { BinaryWriter } from '../../proto/wire/writer.ts';
import { loadCodecs, randomMessage, seeded, type Codec } from '../support/random-messages.ts';

const ROOT = new URL('../../', import.meta.url);
const MESSAGES = Number(process.env['WIRE_MESSAGES'] ?? 4_000);
const SEED = Number(process.env['WIRE_SEED'] ?? 1);

const INTEGERS = [0, -0, 1, -1, 127, 128, 2 ** 31 - 1, 2 ** 31, 2 ** 32, 2 ** 53 - 1, 2 ** 53, 2 ** 63];
const OTHERS = [1.5, NaN, Infinity, '7', '', 'x', '-12', null, undefined, true, {}, []];
const VALUES: readonly unknown[] = [...INTEGERS, ...INTEGERS.map((value) => -value), ...OTHERS];

/** Reads as the library and ts-proto do, behind the type that generated code checks. */
class ReferenceReader extends BinaryReader {
  override string(): string {
    return LibraryReader.prototype.string.call(this);
  }

  override safeInt64(): number {
    const value = Number(this.int64().toString());
    if (value > Number.MAX_SAFE_INTEGER) throw new Error('Value is larger than Number.MAX_SAFE_INTEGER');
    if (value < Number.MIN_SAFE_INTEGER) throw new Error('Value is smaller than Number.MIN_SAFE_INTEGER');
    return value;
  }
}

/** The error of a function as text, or its result. */
function outcomeOf(run: () => unknown): unknown {
  try {
    return run();
  } catch (error) {
    return String(error);
  }
}

let codecs: Awaited<ReturnType<typeof loadCodecs>>;
beforeAll(async () => {
  codecs = await loadCodecs();
});

/** Returns random messages of all types with their bytes by the library. */
function* messages(count: number): Generator<{ codec: Codec; message: unknown; bytes: Buffer; name: string }> {
  const random = seeded(SEED);
  for (let index = 0; index < count; index += 1) {
    const { type, codec } = codecs[index % codecs.length]!;
    const message = randomMessage(type, random);
    const bytes = codec.encode(message, new LibraryWriter() as unknown as BinaryWriter).finish();
    yield { codec, message, bytes: Buffer.from(bytes), name: type.typeName };
  }
}

it('is used by all generated code', () => {
  const files = globSync('{proto,test/proto}/gen/**/*.ts', { cwd: ROOT });
  expect(files.length).toBeGreaterThan(30);
  const others = files.filter((file) => readFileSync(new URL(file, ROOT), 'utf8').includes('@bufbuild/protobuf/wire'));
  expect(others).toEqual([]);
});

it('covers the messages of all protos', () => {
  expect(codecs.length).toBeGreaterThan(300);
});

describe('the bytes of a random message', () => {
  it('are those of the library', () => {
    for (const { codec, message, bytes, name } of messages(MESSAGES)) {
      if (!codec.encode(message).finish().equals(bytes)) expect.fail(`${name}: ${JSON.stringify(message)}`);
    }
  });

  it('are read as the library reads them', () => {
    for (const { codec, bytes, name } of messages(MESSAGES / 2)) {
      if (!isDeepStrictEqual(codec.decode(bytes), codec.decode(new ReferenceReader(bytes)))) expect.fail(name);
    }
  });

  it('are read or refused as the library does, if they are cut or changed', () => {
    const random = seeded(SEED);
    for (const { codec, bytes, name } of messages(MESSAGES)) {
      const hostile = Buffer.from(bytes.subarray(0, Math.ceil(random() * bytes.length)));
      for (let change = 0; change < 3 && hostile.length > 0; change += 1) {
        hostile[Math.floor(random() * hostile.length)] = Math.floor(random() * 256);
      }
      const own = outcomeOf(() => codec.decode(hostile));
      const library = outcomeOf(() => codec.decode(new ReferenceReader(hostile)));
      if (!isDeepStrictEqual(own, library)) expect.fail(`${name} ${hostile.toString('hex')}`);
    }
  });
});

describe.each(['uint32', 'int32', 'int64', 'bool', 'string'] as const)('the writer of %s', (method) => {
  it('treats values of all types and ranges as the library does', () => {
    const written = (value: unknown, writer: BinaryWriter) =>
      outcomeOf(() => Buffer.from(writer[method](value as never).finish()).toString('hex'));
    const library = VALUES.map((value) => written(value, new LibraryWriter() as unknown as BinaryWriter));
    expect(VALUES.map((value) => written(value, new BinaryWriter()))).toEqual(library);
  });
});

it('writers that are used at the same time do not share their bytes', () => {
  const [first, second] = [new BinaryWriter(), new BinaryWriter()];
  first.string('first');
  second.string('second');
  expect([first.finish().toString('latin1', 1), second.finish().toString('latin1', 1)]).toEqual(['first', 'second']);
  const results = [new BinaryWriter().string('third').finish(), new BinaryWriter().string('fourth').finish()];
  expect(results.map((bytes) => bytes.toString('latin1', 1))).toEqual(['third', 'fourth']);
});

it('a nested message keeps its length while another writer begins and ends nested messages', () => {
  const nested = (between: () => void, text: string) => {
    const writer = new BinaryWriter().uint32(10).fork();
    between();
    return writer.string(text).join().finish();
  };
  const [short, long] = ['s', 'l'.repeat(300)];
  const expected = (text: string) => new LibraryWriter().uint32(10).fork().string(text).join().finish();
  for (const [own, other] of [
    [short, long],
    [long, short],
    [short, short],
  ] as const)
    expect(nested(() => void nested(() => {}, other), own)).toEqual(Buffer.from(expected(own)));
});
