// The decision on a presented authorization code, by example and by property.
import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decideExchange, type ExchangeFacts, type StoredCode } from '../../../src/auth/oauth/codes/decide-exchange.ts';
import { isVerifierOf } from '../../../src/auth/oauth/pkce.ts';

const NOW = 1_000_000;
const VERIFIER = 'v'.repeat(43);
const challengeOf = (verifier: string) => createHash('sha256').update(verifier).digest('base64url');
const CODE: StoredCode = {
  applicationId: 'a',
  redirectUri: 'https://app.example.com/callback',
  challenge: challengeOf(VERIFIER),
  expiresAt: NOW + 1,
  usedAt: undefined,
};

const decide = (code: Partial<StoredCode> | undefined, facts: Partial<ExchangeFacts> = {}) =>
  decideExchange({
    code: code && { ...CODE, ...code },
    application: { id: 'a', type: 'WEB' },
    redirectUri: CODE.redirectUri,
    verifier: VERIFIER,
    refusal: undefined,
    now: NOW,
    ...facts,
  }).kind;

it('redeems a code', () => {
  expect(decide({})).toBe('redeem');
  expect(decide({ challenge: undefined }, { verifier: undefined })).toBe('redeem');
});

it('needs the redirect URI of a web application alone', () => {
  expect(decide({}, { redirectUri: undefined })).toBe('refuse');
  for (const type of ['SPA', 'NATIVE'] as const)
    expect(decide({}, { redirectUri: undefined, application: { id: 'a', type } })).toBe('redeem');
});

it.each<[string, Partial<StoredCode> | undefined, Partial<ExchangeFacts>]>([
  ['an unknown code', undefined, {}],
  ['a code of another client', { applicationId: 'b' }, {}],
  ['another redirect URI', {}, { redirectUri: `${CODE.redirectUri}/` }],
  ['another verifier', {}, { verifier: 'w'.repeat(43) }],
  ['no verifier', {}, { verifier: undefined }],
  ['a verifier without a challenge', { challenge: undefined }, {}],
  ['an expired code', { expiresAt: NOW }, {}],
  ['a refused account', {}, { refusal: 'the account is disabled' }],
])('refuses %s', (_name, code, facts) => {
  expect(decide(code, facts)).toBe('refuse');
});

it.each<[string, Partial<StoredCode> | undefined, Partial<ExchangeFacts>]>([
  ['the code is unknown', undefined, {}],
  ['the code was issued to another client', { applicationId: 'b' }, {}],
  ['redirect_uri differs from that of the authorization request', {}, { redirectUri: 'https://evil.example/' }],
  ['code_verifier was sent, but the authorization request had no challenge', { challenge: undefined }, {}],
  ['code_verifier does not match the challenge', {}, { verifier: 'w'.repeat(43) }],
  ['the code has expired', { expiresAt: NOW }, {}],
  ['the account is disabled', {}, { refusal: 'the account is disabled' }],
])('says why: %s', (detail, code, facts) => {
  expect(
    decideExchange({
      code: code && { ...CODE, ...code },
      application: { id: 'a', type: 'WEB' },
      redirectUri: CODE.redirectUri,
      verifier: VERIFIER,
      refusal: undefined,
      now: NOW,
      ...facts,
    }),
  ).toEqual({ kind: 'refuse', detail });
});

describe('a used code', () => {
  it('is a replay, also after its end and of a refused account', () => {
    expect(decide({ usedAt: 1 })).toBe('replay');
    expect(decide({ usedAt: 1, expiresAt: 2 })).toBe('replay');
    expect(decide({ usedAt: 1 }, { refusal: 'the account is disabled' })).toBe('replay');
  });

  it('is refused without a change for all who cannot present it', () => {
    for (const facts of [
      { verifier: 'w'.repeat(43) },
      { verifier: undefined },
      { redirectUri: 'https://evil.example/' },
      { application: { id: 'b', type: 'WEB' } },
    ] as const)
      expect(decide({ usedAt: 1 }, facts)).toBe('refuse');
  });
});

it('never redeems or revokes unless client, URI and verifier fit', () => {
  fc.assert(
    fc.property(
      fc.record({
        client: fc.constantFrom('a', 'b'),
        type: fc.constantFrom('WEB', 'SPA', 'NATIVE'),
        redirectUri: fc.constantFrom(CODE.redirectUri, 'https://evil.example/', undefined),
        verifier: fc.constantFrom(VERIFIER, 'w'.repeat(43), 'short', '', undefined),
        challenge: fc.constantFrom(CODE.challenge, undefined),
        usedAt: fc.constantFrom(undefined, 1),
        expiresAt: fc.integer({ min: NOW - 2, max: NOW + 2 }),
        refusal: fc.constantFrom(undefined, 'refused'),
      }),
      ({ client, type, redirectUri, verifier, refusal, ...code }) => {
        const kind = decide(code, {
          application: { id: client, type },
          redirectUri,
          verifier,
          refusal,
        });
        const fits =
          client === 'a' &&
          (redirectUri === CODE.redirectUri || (redirectUri === undefined && type !== 'WEB')) &&
          (code.challenge === undefined ? verifier === undefined : verifier === VERIFIER);
        if (!fits) expect(kind).toBe('refuse');
        else if (code.usedAt !== undefined) expect(kind).toBe('replay');
        else expect(kind).toBe(code.expiresAt > NOW && refusal === undefined ? 'redeem' : 'refuse');
      },
    ),
  );
});

describe('a verifier', () => {
  // RFC 7636 appendix B.
  it('is that of the RFC', () => {
    const verifier = 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk';
    expect(isVerifierOf(verifier, 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM')).toBe(true);
  });

  it.each(['v'.repeat(42), 'v'.repeat(129), `${'v'.repeat(42)}ä`, `${'v'.repeat(42)}=`, ''])(
    'is not %j',
    (verifier) => {
      expect(isVerifierOf(verifier, challengeOf(verifier))).toBe(false);
    },
  );
});
