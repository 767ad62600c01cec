import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { findKeySetProblem } from '../../../src/auth/oauth/applications/key-set.ts';

describe('findKeySetProblem', () => {
  it.each(['', ' ', '{', 'null', '[]', '"keys"', '1'])('leaves %j to the rule of the field', (text) => {
    expect(findKeySetProblem(text)).toBeUndefined();
  });

  it('finds a problem in any object without public keys', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.constantFrom('keys', 'key', '__proto__'), fc.jsonValue()), (value) => {
        expect(findKeySetProblem(JSON.stringify(value))).toMatch(/^must have/);
      }),
    );
  });
});
