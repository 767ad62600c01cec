import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { MessageCollector, frameMessage } from '../../src/platform/rpc/grpc/message-frame.ts';

const MAX_BYTES = 10_000;

/** Cuts bytes at places. Each part is a view of more memory, as those of a connection are. */
function cut(bytes: Buffer, places: readonly number[]): Buffer[] {
  const cuts = [0, ...places.map((place) => Math.min(place, bytes.length)), bytes.length].toSorted((a, b) => a - b);
  return cuts.slice(1).map((end, index) => {
    const start = cuts[index]!;
    const memory = Buffer.alloc(bytes.length);
    bytes.copy(memory, 0, start, end);
    return memory.subarray(0, end - start);
  });
}

const messages = fc.uint8Array({ maxLength: MAX_BYTES }).map((bytes) => Buffer.from(bytes));
const places = fc.array(fc.nat(MAX_BYTES), { maxLength: 50 });

describe('a message in a stream', () => {
  it('is the same however it is cut', () => {
    fc.assert(
      fc.property(messages, places, (message, at) => {
        const collector = new MessageCollector(MAX_BYTES);
        for (const part of cut(frameMessage(message), at)) expect(collector.add(part)).toBeUndefined();
        expect(collector.take()!.equals(message)).toBe(true);
      }),
    );
  });

  it('is refused as soon as a byte follows it, and incomplete without its last byte', () => {
    fc.assert(
      fc.property(messages, places, (message, at) => {
        const framed = frameMessage(message);
        const [long, short] = [new MessageCollector(MAX_BYTES), new MessageCollector(MAX_BYTES)];
        const refusals = cut(Buffer.concat([framed, Buffer.alloc(1)]), at).map((part) => long.add(part));
        expect(refusals.some((refusal) => refusal?.reason === 'VALIDATION_ERROR')).toBe(true);
        for (const part of cut(framed.subarray(0, -1), at)) short.add(part);
        expect(short.take()).toBeUndefined();
      }),
    );
  });

  it('is refused by its length, before it arrives', () => {
    const prefix = frameMessage(Buffer.alloc(MAX_BYTES + 1)).subarray(0, 5);
    const collector = new MessageCollector(MAX_BYTES);
    const refusals = [...prefix].map((byte) => collector.add(Buffer.from([byte])));
    expect(refusals.map((refusal) => refusal?.reason)).toEqual([...Array(4), 'MESSAGE_TOO_LARGE']);
  });

  it('keeps no memory of the connection if it arrives in parts', () => {
    const collector = new MessageCollector(MAX_BYTES);
    const parts = cut(frameMessage(Buffer.alloc(MAX_BYTES, 'x')), [1_000, 5_000]);
    for (const part of parts) collector.add(part);
    const { buffer } = collector.take()!;
    expect(parts.some((part) => part.buffer === buffer)).toBe(false);
  });

  it.each([
    ['a part', 1],
    ['all of it', 105],
  ])('keeps no memory of the connection for longer if %s has arrived', (_name, length) => {
    const framed = frameMessage(Buffer.alloc(100, 'x'));
    const memory = Buffer.concat([framed, Buffer.alloc(64 * 1024)]);
    for (const isDetachedFirst of [true, false]) {
      const collector = new MessageCollector(MAX_BYTES);
      if (isDetachedFirst) collector.detach();
      collector.add(memory.subarray(0, length));
      collector.detach();
      collector.add(memory.subarray(length, framed.length));
      expect(collector.take()!.equals(framed.subarray(5))).toBe(true);
      expect(collector.take()!.buffer.byteLength).toBeLessThan(3 * framed.length);
    }
  });
});
