// Challenges of passkeys: valid in their context only, for five minutes, and in one spelling.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  CEREMONY_MS,
  createPasskeyChallenges,
  type PasskeyContext,
} from '../../src/auth/factors/passkeys/passkey-challenges.ts';

const CONTEXT: PasskeyContext = { purpose: 'login', boundTo: 'https://shop.test' };

function start() {
  let now = 1_700_000_000_000;
  const challenges = createPasskeyChallenges({ macKey: Buffer.alloc(32, 1), clock: () => now });
  return { challenges, advance: (ms: number) => (now += ms) };
}

describe('a challenge', () => {
  it('is valid until its expiry', () => {
    const { challenges, advance } = start();
    const text = challenges.create(CONTEXT).toString('base64url');
    advance(CEREMONY_MS - 1);
    expect(challenges.read(text, CONTEXT)).toEqual({ hash: expect.any(Buffer), expiresAt: 1_700_000_300_000 });
    advance(1);
    expect(challenges.read(text, CONTEXT)).toBeUndefined();
  });

  it.each<PasskeyContext>([
    { purpose: 'second-factor', boundTo: 'https://shop.test' },
    { purpose: 'login', boundTo: '' },
    { purpose: 'login', boundTo: 'https://shop.test\0' },
  ])('is not valid for %j', (other) => {
    const { challenges } = start();
    expect(challenges.read(challenges.create(CONTEXT).toString('base64url'), other)).toBeUndefined();
  });

  it('of another deployment is not valid', () => {
    const other = createPasskeyChallenges({ macKey: Buffer.alloc(32, 2), clock: () => 1_700_000_000_000 });
    expect(start().challenges.read(other.create(CONTEXT).toString('base64url'), CONTEXT)).toBeUndefined();
  });

  it('has a hash of its own', () => {
    const { challenges } = start();
    const hashes = [1, 2].map(() => challenges.read(challenges.create(CONTEXT).toString('base64url'), CONTEXT)?.hash);
    expect(hashes[0]).not.toEqual(hashes[1]);
  });

  it('is not valid after any change of its text', () => {
    const { challenges } = start();
    const text = challenges.create(CONTEXT).toString('base64url');
    const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_='.split('');
    fc.assert(
      fc.property(fc.nat(text.length - 1), fc.constantFrom(...alphabet), (at, character) => {
        const changed = text.slice(0, at) + character + text.slice(at + 1);
        expect(challenges.read(changed, CONTEXT) === undefined).toBe(changed !== text);
      }),
    );
    for (const changed of ['', `${text}=`, ` ${text}`, text.slice(0, -1), `${text}A`])
      expect(challenges.read(changed, CONTEXT)).toBeUndefined();
  });
});
