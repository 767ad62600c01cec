import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decideRotation } from '../../src/auth/session/rotation/rotate.ts';
import { slidingExpiry } from '../../src/auth/session/session.ts';

const NOW = 1_000_000;
const LIVE = { generation: 5, revokedAt: undefined, expiresAt: NOW + 1 };

describe('decideRotation', () => {
  it.each([
    ['the current credential', LIVE, { generation: 5, current: true }, { kind: 'advance' }, { kind: 'advance' }],
    ['the previous one', LIVE, { generation: 4, current: false }, { kind: 'revoke-session', age: 1 }, { kind: 'keep' }],
    ['the first one', LIVE, { generation: 1, current: false }, { kind: 'revoke-session', age: 4 }, { kind: 'keep' }],
    ['a generation of the future', LIVE, { generation: 6, current: false }, REJECT('unknown'), REJECT('unknown')],
    [
      'another verifier of this generation',
      LIVE,
      { generation: 5, current: false },
      REJECT('unknown'),
      REJECT('unknown'),
    ],
    [
      'one at the end of its window',
      { ...LIVE, expiresAt: NOW },
      { generation: 5, current: true },
      REJECT('expired'),
      REJECT('expired'),
    ],
    [
      'one of a revoked session',
      { ...LIVE, revokedAt: 1 },
      { generation: 5, current: true },
      REJECT('revoked'),
      REJECT('revoked'),
    ],
    [
      'an old one of a revoked session',
      { ...LIVE, revokedAt: 1 },
      { generation: 1, current: false },
      REJECT('revoked'),
      REJECT('revoked'),
    ],
  ] as const)('%s', (_name, state, presented, strict, reusable) => {
    expect(decideRotation(state, presented, 'strict', NOW)).toEqual(strict);
    expect(decideRotation(state, presented, 'reusable', NOW)).toEqual(reusable);
  });

  it('never renews a revoked or expired session, and detects every replay in strict mode', () => {
    const state = fc.record({
      generation: fc.integer({ min: 1, max: 1e9 }),
      revokedAt: fc.option(fc.nat(), { nil: undefined }),
      expiresAt: fc.nat(),
    });
    const presented = fc.record({ generation: fc.integer({ min: 1, max: 1e9 }), current: fc.boolean() });
    fc.assert(
      fc.property(
        state,
        presented,
        fc.constantFrom('strict', 'reusable'),
        fc.nat(),
        (session, credential, mode, now) => {
          const { kind } = decideRotation(session, credential, mode, now);
          const alive = session.revokedAt === undefined && session.expiresAt > now;
          if (!alive) expect(kind).toBe('reject');
          if (kind === 'advance') expect(credential.current).toBe(true);
          if (kind === 'keep') expect(mode).toBe('reusable');
          if (alive && mode === 'strict' && !credential.current && credential.generation < session.generation) {
            expect(kind).toBe('revoke-session');
          }
        },
      ),
    );
  });
});

describe('slidingExpiry', () => {
  it('is extended by use, but never beyond the absolute end', () => {
    expect(slidingExpiry(100, 50, undefined)).toBe(150);
    expect(slidingExpiry(100, 50, 200)).toBe(150);
    expect(slidingExpiry(100, 50, 120)).toBe(120);
  });
});

function REJECT(cause: 'revoked' | 'expired' | 'unknown') {
  return { kind: 'reject', cause } as const;
}
