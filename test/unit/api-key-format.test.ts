import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { apiKeyHash, generateApiKey } from '../../src/auth/api-key/key-format.ts';

describe('API keys', () => {
  it('have a hash', () => {
    const { key, hash, prefix } = generateApiKey();
    expect(apiKeyHash(key)).toEqual(hash);
    expect(hash).toEqual(createHash('sha256').update(key).digest());
    expect(key.startsWith(prefix)).toBe(true);
    expect(prefix).toHaveLength(13);
  });

  it('contain 256 random bits and end with the CRC-32 of the text before', () => {
    const { key } = generateApiKey();
    expect(key).toMatch(/^svckey_[\w-]{49}$/);
    expect(Buffer.from(key.slice(7, 50), 'base64url')).toHaveLength(32);
    expect(generateApiKey().key).not.toBe(key);
  });

  it('have a checksum that does not change between versions', () => {
    const known = 'svckey_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA';
    expect(apiKeyHash(`${known}bgSzlB`)).toBeUndefined();
    expect(apiKeyHash(`${known}bgSzlA`)).toBeDefined();
  });

  it('are invalid with any changed character', () => {
    const { key } = generateApiKey();
    fc.assert(
      fc.property(fc.nat(key.length - 1), fc.string({ minLength: 1, maxLength: 1 }), (at, character) => {
        fc.pre(key[at] !== character);
        expect(apiKeyHash(key.slice(0, at) + character + key.slice(at + 1))).toBeUndefined();
      }),
    );
  });

  it('are rejected in any other format', () => {
    const { key } = generateApiKey();
    for (const text of ['', ' ', key.slice(1), `${key} `, ` ${key}`, `${key}\n`, key + key, key.toUpperCase(), '\0'])
      expect(apiKeyHash(text)).toBeUndefined();
    fc.assert(fc.property(fc.string(), (text) => apiKeyHash(text) === undefined));
  });
});
