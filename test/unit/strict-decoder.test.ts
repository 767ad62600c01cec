// Decoding of text files, in parts of any size.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createStrictDecoder, decodeText } from '../../src/platform/formats/strict-decoder.ts';

function decodeInParts(bytes: Uint8Array, size: number, encoding?: string): string {
  const decoder = createStrictDecoder(encoding);
  let text = '';
  for (let at = 0; at < bytes.length; at += size) text += decoder.decode(bytes.subarray(at, at + size));
  return text + decoder.end();
}

/** Texts of any characters. The strings of the library would keep a table of all characters in memory. */
const CHARACTERS = fc.oneof(fc.integer({ min: 0, max: 0xd7ff }), fc.integer({ min: 0xe000, max: 0x10ffff }));
const TEXTS = fc.array(CHARACTERS).map((characters) => String.fromCodePoint(...characters));

const ENCODERS = {
  'utf-8': (text: string) => Buffer.from(text),
  'utf-16le': (text: string) => Buffer.from(text, 'utf16le'),
  'utf-16be': (text: string) => Buffer.from(text, 'utf16le').swap16(),
} as const;

describe.each(Object.entries(ENCODERS))('%s', (encoding, encode) => {
  it('returns the text without its byte order mark, whatever the size of the parts', () => {
    fc.assert(
      fc.property(TEXTS, fc.integer({ min: 1, max: 9 }), (text, size) => {
        expect(decodeInParts(encode(`\uFEFF${text}`), size, 'windows-1252')).toBe(text);
        if (!/^[\uFEFF\uFFFE\uBBEF\uEFBB]/.test(text)) expect(decodeInParts(encode(text), size, encoding)).toBe(text);
      }),
    );
  });
});

it.each([
  [[0xe9], 'line 1, column 1'],
  [[0x61, 0xe9, 0x62], 'line 1, column 2'],
  [[0x61, 0x0a, 0xc3, 0xa9, 0xff], 'line 2, column 2'],
  [[0x61, 0x0d, 0x0a, 0x0d, 0x62, 0xc3], 'line 3, column 2'],
  [[0xf0, 0x9f, 0x98, 0x80, 0x80], 'line 1, column 2'],
  [[0xef, 0xbb, 0xbf, 0x80], 'line 1, column 1'],
  [[0xed, 0xa0, 0x80], 'line 1, column 1'],
])('refuses %j with the place of the first byte that is not UTF-8', (bytes, place) => {
  const message = `${place}: not UTF-8`;
  expect(() => decodeText(Uint8Array.from(bytes))).toThrow(message);
  for (const size of [1, 2, 3]) expect(() => decodeInParts(Uint8Array.from(bytes), size)).toThrow(message);
});
