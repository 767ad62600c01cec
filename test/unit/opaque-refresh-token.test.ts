import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createOpaqueRefreshTokens } from '../../src/auth/session/transport/cookie-transport.ts';

const credentials = createOpaqueRefreshTokens(Buffer.alloc(32, 1));

describe('refresh tokens', () => {
  it('parses its issued tokens', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 999_999_999 }), (generation) => {
        const issued = credentials.issue(generation, randomBytes(16));
        const { value, ...facts } = issued;
        expect(credentials.parse(value)).toEqual(facts);
      }),
    );
  });

  it('rejects every text that differs in one character, also if base64url decodes to the same bytes', () => {
    const { value } = credentials.issue(7);
    const alphabet = fc.constantFrom(...'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.=+/ \u0000é');
    fc.assert(
      fc.property(fc.nat(value.length - 1), alphabet, (index, character) => {
        fc.pre(value[index] !== character);
        expect(credentials.parse(value.slice(0, index) + character + value.slice(index + 1))).toBeUndefined();
      }),
      { numRuns: 2_000 },
    );
  });

  it('rejects any other text', () => {
    fc.assert(fc.property(fc.string({ maxLength: 300 }), (text) => credentials.parse(text) === undefined));
    const { value } = credentials.issue(1);
    for (const text of [
      `${value} `,
      ` ${value}`,
      `${value}\n`,
      `${value}.`,
      value.slice(0, -1),
      value.replace('.1.', '.01.'),
    ]) {
      expect(credentials.parse(text)).toBeUndefined();
    }
  });

  it('rejects tokens under another key', () => {
    const { value } = createOpaqueRefreshTokens(Buffer.alloc(32, 2)).issue(1);
    expect(credentials.parse(value)).toBeUndefined();
  });

  it('never issues a token twice', () => {
    const values = new Set(Array.from({ length: 1_000 }, () => credentials.issue(1).value));
    expect(values.size).toBe(1_000);
  });
});
