import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { GatewayError } from '../../gateway/errors/gateway-error.ts';
import { parseJson } from '../../gateway/http/json-parser.ts';

const bytes = (text: string): Buffer => Buffer.from(text, 'utf8');

const FORBIDDEN = new Set(['__proto__', 'constructor']);
const MAX_DEPTH = 64;

/** What the parser must refuse although JSON.parse accepts it, told recursively from the parsed value. */
function isForbidden(value: unknown, depth = 0): boolean {
  if (typeof value === 'string') return !value.isWellFormed();
  if (typeof value !== 'object' || value === null) return false;
  if (depth >= MAX_DEPTH) return true;
  const entries = Object.entries(value);
  return entries.some(([key, member]) => FORBIDDEN.has(key) || !key.isWellFormed() || isForbidden(member, depth + 1));
}

describe('parseJson', () => {
  it('parses every JSON value without a forbidden key like JSON.parse', () => {
    fc.assert(
      fc.property(fc.json({ maxDepth: 6 }), (text) => {
        const value: unknown = JSON.parse(text);
        fc.pre(!isForbidden(value));
        expect(parseJson(bytes(text))).toEqual(value);
      }),
    );
  });

  it('rejects all texts that JSON.parse rejects, always with GatewayError', () => {
    const fragment = fc.constantFrom(
      '{',
      '}',
      '[',
      ']',
      ':',
      ',',
      '"',
      '"a"',
      '\\',
      '\\u',
      'd800',
      '1',
      '-',
      'e',
      'null',
      ' ',
      ':"',
      '":',
    );
    fc.assert(
      fc.property(fc.array(fragment, { maxLength: 12 }), (fragments) => {
        const text = fragments.join('');
        let accepted = true;
        try {
          parseJson(bytes(text));
        } catch (error) {
          expect(error).toBeInstanceOf(GatewayError);
          accepted = false;
        }
        if (accepted) expect(() => JSON.parse(text)).not.toThrow();
      }),
      { numRuns: 2000 },
    );
  });

  it('rejects a duplicate key in any object, with any escapes and surroundings', () => {
    const key = fc.string().filter((text) => !FORBIDDEN.has(text));
    const escaped = (text: string): string =>
      `"${[...text].map((c) => [...Array(c.length).keys()].map((i) => `\\u${c.charCodeAt(i).toString(16).padStart(4, '0')}`).join('')).join('')}"`;
    fc.assert(
      fc.property(key, fc.json({ maxDepth: 2 }), fc.boolean(), (name, value, inArray) => {
        const twice = `{${JSON.stringify(name)}:${value},${escaped(name)}:1}`;
        expect(() => parseJson(bytes(inArray ? `[0,${twice}]` : twice))).toThrow(GatewayError);
      }),
    );
  });

  it('accepts the same key in different objects, and colons and quotes inside strings', () => {
    const text = '{"a":{"a":[{"a":":\\":\\\\"},{"a":"\\u003a"}]},"b:":"c\\"d\\":e"}';
    expect(parseJson(bytes(text))).toEqual(JSON.parse(text));
  });

  it.each([
    ['a __proto__ key', '{"__proto__":{"admin":true}}'],
    ['an escaped __proto__ key', '{"\\u005f_proto__":1}'],
    ['a nested constructor key', '{"a":[{"constructor":{"prototype":1}}]}'],
    ['a lone surrogate', '{"a":"\\ud800"}'],
    ['a lone surrogate in a key', '{"\\udc00":1}'],
    ['a byte order mark', '\ufeff{}'],
    ['white space alone', ' \n'],
    ['two values', '{} {}'],
    ['a comment', '{/**/}'],
    ['NaN', '[NaN]'],
    ['an array of 65 levels', '['.repeat(65) + ']'.repeat(65)],
    ['an array of 30,000 levels', '['.repeat(30_000) + ']'.repeat(30_000)],
    ['30,000 open objects', '{"a":'.repeat(30_000)],
  ])('rejects %s', (_what, text) => {
    expect(() => parseJson(bytes(text))).toThrow(GatewayError);
  });

  it('accepts 64 levels and a surrogate pair', () => {
    expect(parseJson(bytes('['.repeat(64) + '1' + ']'.repeat(64)))).toBeDefined();
    expect(parseJson(bytes('"\\ud83d\\ude00"'))).toBe('😀');
  });

  it.each([
    ['a lone continuation byte', [0x22, 0x80, 0x22]],
    ['an overlong encoding', [0x22, 0xc0, 0xaf, 0x22]],
    ['a truncated sequence', [0x22, 0xe2, 0x82]],
    ['an encoded surrogate', [0x22, 0xed, 0xa0, 0x80, 0x22]],
    ['UTF-16', [0xff, 0xfe, 0x7b, 0x00, 0x7d, 0x00]],
  ])('rejects %s', (_what, raw) => {
    expect(() => parseJson(Buffer.from(raw))).toThrow('Malformed JSON: not UTF-8');
  });

  it('never quotes the rejected text', () => {
    expect(() => parseJson(bytes('{"password":"hunter2'))).toThrow(/^Malformed JSON: syntax error$/);
  });
});
