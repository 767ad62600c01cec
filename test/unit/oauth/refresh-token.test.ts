// Refresh tokens of applications, by example and by property.
import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createRefreshTokens, newSelector } from '../../../src/auth/oauth/grants/refresh-token.ts';
import { anyText } from '../../support/texts.ts';

const KEY = Buffer.alloc(32, 7);
const tokens = createRefreshTokens(KEY);
const SELECTOR = Buffer.alloc(16, 1);
const TOKEN = tokens.issue({ selector: SELECTOR, generation: 12 });

const presented = fc.record({
  selector: fc.uint8Array({ minLength: 16, maxLength: 16 }).map((bytes) => Buffer.from(bytes)),
  generation: fc.integer({ min: 1, max: 999_999_999 }),
});

it('is the same one for a selector and a generation', () => {
  expect(tokens.issue({ selector: SELECTOR, generation: 12 })).toBe(TOKEN);
  expect(createRefreshTokens(KEY).issue({ selector: SELECTOR, generation: 12 })).toBe(TOKEN);
  expect(TOKEN).toMatch(/^AQEBAQEBAQEBAQEBAQEBAQ\.12\.[\w-]{43}$/);
});

it('has a selector that cannot be guessed', () => {
  expect(newSelector()).toHaveLength(16);
  expect(newSelector()).not.toEqual(newSelector());
});

it('is parsed to what it was issued for', () => {
  fc.assert(
    fc.property(presented, (token) => {
      expect(tokens.parse(tokens.issue(token))).toEqual(token);
    }),
  );
});

it('differs by selector, generation and key', () => {
  fc.assert(
    fc.property(presented, presented, (one, other) => {
      const isSame = one.selector.equals(other.selector) && one.generation === other.generation;
      expect(tokens.issue(one) === tokens.issue(other)).toBe(isSame);
      expect(createRefreshTokens(randomBytes(32)).parse(tokens.issue(one))).toBeUndefined();
    }),
  );
});

it('is refused after a change of any character', () => {
  const characters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.=+/ \n\0ä';
  fc.assert(
    fc.property(fc.nat(TOKEN.length - 1), fc.constantFrom(...characters), (at, character) => {
      const changed = TOKEN.slice(0, at) + character + TOKEN.slice(at + 1);
      expect(tokens.parse(changed) === undefined).toBe(changed !== TOKEN);
    }),
    { numRuns: 1_000 },
  );
});

it('is not any other text', () => {
  fc.assert(
    fc.property(fc.oneof(anyText(), fc.stringMatching(/^[\w-]{22}\.\d{1,9}\.[\w-]{43}$/)), (text) => {
      expect(tokens.parse(text)).toBeUndefined();
    }),
  );
});

describe('the generation of a token', () => {
  const [selector, , mac] = TOKEN.split('.');

  it.each(['11', '13', '012', '12.0', '+12', '-12', '1e1', '', '0', '1234567890'])(
    'cannot be changed to %j',
    (text) => {
      expect(tokens.parse(`${selector}.${text}.${mac}`)).toBeUndefined();
    },
  );
});

it.each([
  ['nothing before it', ` ${TOKEN}`],
  ['nothing after it', `${TOKEN} `],
  ['no line end after it', `${TOKEN}\n`],
  ['no further part', `${TOKEN}.x`],
  ['all three parts', TOKEN.slice(0, TOKEN.lastIndexOf('.'))],
  ['the whole MAC', TOKEN.slice(0, -1)],
])('has %s', (_name, text) => {
  expect(tokens.parse(text)).toBeUndefined();
});

it('has one spelling: no other last character of a part has the same bytes', () => {
  const [selector, generation, mac] = TOKEN.split('.') as [string, string, string];
  expect(selector.endsWith('Q')).toBe(true);
  expect(Buffer.from(`${selector.slice(0, -1)}R`, 'base64url')).toEqual(SELECTOR);
  expect(tokens.parse(`${selector.slice(0, -1)}R.${generation}.${mac}`)).toBeUndefined();
  const others = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_']
    .map((last) => mac.slice(0, -1) + last)
    .filter((text) => text !== mac && Buffer.from(text, 'base64url').equals(Buffer.from(mac, 'base64url')));
  expect(others).toHaveLength(3);
  for (const other of others) expect(tokens.parse(`${selector}.${generation}.${other}`)).toBeUndefined();
});
