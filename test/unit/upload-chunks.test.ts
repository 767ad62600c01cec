// Chunks of uploads: the core rejects short ones that others follow, and accepts all chunks that the gateway makes of a slow
// body.
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import fc from 'fast-check';
import { readChunks } from '../../gateway/http/upload.ts';
import { createChunkCheck } from '../../src/business/files/parts.ts';

const CHUNK = 65_536;

describe('a chunk', () => {
  const check = (...chunks: readonly (readonly [atSecond: number, bytes: number])[]) => {
    let now = 0;
    const checkChunk = createChunkCheck(() => now);
    return chunks.findIndex(([atSecond, bytes]) => {
      now = atSecond * 1_000;
      try {
        checkChunk(Buffer.alloc(bytes));
        return false;
      } catch {
        return true;
      }
    });
  };

  it('may be short at the end', () => {
    expect(check([0, CHUNK], [0, CHUNK], [0, 1])).toBe(-1);
    expect(check([0, 1])).toBe(-1);
  });

  it('may be short once per second of the upload, also if read late', () => {
    expect(check([4, 5], [8, 5], [8.1, 5])).toBe(-1);
    expect(check([9, 5], [9, 5], [9, 5])).toBe(-1);
    expect(check([1, 5], [1, CHUNK], [2, 5], [2, 5])).toBe(-1);
  });

  it('is rejected if too many earlier ones were short', () => {
    expect(check([0, 1], [0, CHUNK])).toBe(1);
    expect(check([0, 1], [0.9, 1])).toBe(1);
    expect(check([2, 1], [2, 1], [2, 1], [2, 1])).toBe(3);
  });

  it('is rejected if it is empty or too long', () => {
    expect(check([9, 0])).toBe(0);
    expect(check([0, 1_048_577])).toBe(0);
  });
});

describe('a slow body', () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['performance'] });
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  it('becomes chunks that the core accepts, for any timing of both sides', async () => {
    const piece = fc.record({ afterMs: fc.nat(6_000), bytes: fc.integer({ min: 1, max: 70_000 }) });
    await fc.assert(
      fc.asyncProperty(fc.array(piece, { maxLength: 20 }), fc.nat(10_000), async (pieces, stallMs) => {
        async function* body() {
          for (const { afterMs, bytes } of pieces) {
            vi.advanceTimersByTime(afterMs);
            yield Buffer.alloc(bytes);
          }
        }
        const checkAtOnce = createChunkCheck();
        const checkLater = createChunkCheck();
        const chunks: Buffer[] = [];
        for await (const chunk of readChunks(body(), (chunk) => chunk)) {
          checkAtOnce(chunk);
          chunks.push(chunk);
        }
        vi.advanceTimersByTime(stallMs);
        for (const chunk of chunks) checkLater(chunk);
      }),
    );
  });
});
