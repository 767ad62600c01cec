import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { bytesToId, hexToId, idToBytes, isId, newId } from '../../src/platform/db/ids.ts';

describe('an id', () => {
  it('is stored as the bytes of its digits, and read from them', () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 16, maxLength: 16 }), (bytes) => {
        const id = bytesToId(bytes);
        expect(isId(id)).toBe(true);
        expect(hexToId(id.replaceAll('-', ''))).toBe(id);
        expect(idToBytes(id).equals(bytes)).toBe(true);
      }),
    );
  });

  it.each(['', 'acme', newId().toUpperCase(), `${newId()}0`, newId().replaceAll('-', ''), `{${newId()}}`])(
    'is not %j',
    (text) => expect(() => idToBytes(text)).toThrow(TypeError),
  );

  it.each([0, 15, 17])('has no %i bytes', (size) => expect(() => bytesToId(Buffer.alloc(size))).toThrow(TypeError));
});
