import { describe, expect, it } from 'vitest';
import { createCanaries } from '../support/canaries.ts';

describe('the search for secrets', () => {
  const secret = 'canary-pässwörd %41+&="\\ ✓';
  it.each<[what: string, trace: string | Buffer]>([
    ['as it is', `x${secret}y`],
    ['in JSON', JSON.stringify({ secret })],
    ['in a URL', `?p=${encodeURIComponent(secret)}`],
    ['in a form', new URLSearchParams({ secret }).toString()],
    ['in hex', Buffer.from(`x${secret}y`).toString('hex')],
    ['in base64', Buffer.from(`${secret}y`).toString('base64')],
    ['in base64 behind one character', Buffer.from(`x${secret}yy`).toString('base64')],
    ['in base64url behind two characters', Buffer.from(`xx${secret}y`).toString('base64url')],
  ])('finds a secret %s', (_what, trace) => {
    const canaries = createCanaries();
    canaries.keep('it', secret);
    expect(canaries.foundIn(trace)).toEqual(['it 0']);
    expect(canaries.foundIn('nothing of the kind')).toEqual([]);
  });

  it('finds the bytes of encoded text, and the secret part of a credential', () => {
    const canaries = createCanaries();
    const random = Buffer.from('0123456789abcdef0123456789abcdef').toString('base64url');
    canaries.keep('it', `selector.1.${random}`);
    for (const trace of [random, Buffer.from(random, 'base64url')]) expect(canaries.foundIn(trace)).toEqual(['it 0']);
  });
});
