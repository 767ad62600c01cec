// Client assertions (RFC 7523): claims, signatures and the choice of the key.
import { createSecretKey, generateKeyPairSync, randomUUID, type KeyObject } from 'node:crypto';
import fc from 'fast-check';
import { SignJWT, UnsecuredJWT, type JWTPayload } from 'jose';
import { describe, expect, it } from 'vitest';
import { checkAssertion, findClaimsProblem } from '../../../src/auth/oauth/tokens/client-assertion.ts';

const NOW = Date.UTC(2026, 0);
const SECONDS = NOW / 1000;
const ISSUER = 'https://auth.example.com';
const ENDPOINT = `${ISSUER}/api/v1/auth/oauth2/token`;
const EXPECTED = { clientId: 'app', audiences: [ISSUER, ENDPOINT], now: NOW };
const CLAIMS = { iss: 'app', sub: 'app', aud: ISSUER, exp: SECONDS + 300, jti: 'j' };

describe('claims', () => {
  it.each<[what: string, claims: object]>([
    ['of the issuer', {}],
    ['of the endpoint', { aud: ENDPOINT }],
    ['that end in a moment', { exp: SECONDS + 0.001 }],
    ['issued and valid from now', { iat: SECONDS, nbf: SECONDS }],
    ['60 s ahead', { iat: SECONDS + 60, nbf: SECONDS + 60 }],
    ['issued long ago', { iat: 1 }],
  ])('authenticate: %s', (_what, claims) => {
    expect(findClaimsProblem({ ...CLAIMS, ...claims }, EXPECTED)).toBeUndefined();
  });

  it.each<[what: string, claims: object]>([
    ['another issuer', { iss: 'other' }],
    ['no issuer', { iss: undefined }],
    ['another subject', { sub: 'other' }],
    ['no subject', { sub: undefined }],
    ['another client', { iss: 'other', sub: 'other' }],
    ['another spelling of the client', { iss: 'App', sub: 'App' }],
    ['no audience', { aud: undefined }],
    ['another audience', { aud: 'https://other.example.com' }],
    ['a list of the audience', { aud: [ISSUER] }],
    ['a longer audience', { aud: `${ISSUER}/` }],
    ['the endpoint of another path', { aud: `${ENDPOINT}/x` }],
    ['no exp', { exp: undefined }],
    ['an exp that is a text', { exp: String(SECONDS + 60) }],
    ['an exp of now', { exp: SECONDS }],
    ['an exp later than in 5 minutes', { exp: SECONDS + 301 }],
    ['an exp that is not a number', { exp: NaN }],
    ['iat 61 s ahead', { iat: SECONDS + 61 }],
    ['an iat that is a text', { iat: String(SECONDS) }],
    ['nbf 61 s ahead', { nbf: SECONDS + 61 }],
    ['an nbf that is null', { nbf: null }],
    ['no jti', { jti: undefined }],
    ['an empty jti', { jti: '' }],
    ['a jti that is a number', { jti: 1 }],
  ])('are refused: %s', (_what, claims) => {
    expect(findClaimsProblem({ ...CLAIMS, ...claims }, EXPECTED)).toEqual(expect.any(String));
  });

  it('are accepted exactly within their times', () => {
    const seconds = fc.double({ min: SECONDS - 400, max: SECONDS + 400, noNaN: true });
    const times = fc.record({ exp: seconds, iat: fc.option(seconds, { nil: undefined }), nbf: seconds });
    fc.assert(
      fc.property(times, ({ exp, iat, nbf }) => {
        const isLive = exp > SECONDS && exp <= SECONDS + 300;
        const isBegun = (iat === undefined || iat <= SECONDS + 60) && nbf <= SECONDS + 60;
        expect(findClaimsProblem({ ...CLAIMS, exp, iat, nbf }, EXPECTED) === undefined).toBe(isLive && isBegun);
      }),
    );
  });

  it('of any other values are refused, and never throw', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.constantFrom(...Object.keys(CLAIMS), 'iat', 'nbf'), fc.jsonValue()), (claims) => {
        expect(findClaimsProblem(claims, EXPECTED)).toEqual(expect.any(String));
      }),
    );
  });
});

interface TestKey {
  readonly privateKey: KeyObject;
  readonly jwk: object;
}

const jwkOf = (publicKey: KeyObject, more: object) => ({ ...publicKey.export({ format: 'jwk' }), ...more });
function ecKey(kid: string, more: object = {}): TestKey {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  return { privateKey, jwk: jwkOf(publicKey, { kid, ...more }) };
}
function edKey(kid: string): TestKey {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519');
  return { privateKey, jwk: jwkOf(publicKey, { kid }) };
}
function rsaKey(kid: string, more: object = {}): TestKey {
  const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  return { privateKey, jwk: jwkOf(publicKey, { kid, ...more }) };
}

const EC = ecKey('ec');
const OTHER_EC = ecKey('other-ec');
const ED = edKey('ed');
const RSA = rsaKey('rsa');
const setOf = (...keys: readonly TestKey[]) => JSON.stringify({ keys: keys.map(({ jwk }) => jwk) });

type Header = { alg: string; kid?: string };

const sign = ({ privateKey }: TestKey, header: Header, claims: JWTPayload = {}) =>
  new SignJWT({ ...CLAIMS, jti: randomUUID(), ...claims }).setProtectedHeader(header).sign(privateKey);
const check = (assertion: string, jwks: string | undefined) => checkAssertion(assertion, jwks, EXPECTED);

describe('a signature', () => {
  it.each<[alg: string, key: TestKey]>([
    ['ES256', EC],
    ['EdDSA', ED],
    ['RS256', RSA],
    ['PS256', RSA],
  ])('by %s is accepted, with the kid and without', async (alg, key) => {
    const jwks = setOf(EC, ED, RSA);
    const kid = (key.jwk as { kid: string }).kid;
    const named = await check(await sign(key, { alg, kid }, { jti: 'named' }), jwks);
    expect(named).toEqual({ kind: 'right', assertion: { jti: 'named', kid, expiresAt: NOW + 300_000 } });
    expect((await check(await sign(key, { alg }), jwks)).kind).toBe('right');
  });

  it.each<[what: string, assertion: () => string | Promise<string>, jwks: string | undefined]>([
    ['by a key of another application', () => sign(OTHER_EC, { alg: 'ES256', kid: 'ec' }), setOf(EC)],
    ['by a key that the set does not name', () => sign(OTHER_EC, { alg: 'ES256', kid: 'other-ec' }), setOf(EC)],
    ['without kid, of two fitting keys', () => sign(EC, { alg: 'ES256' }), setOf(EC, OTHER_EC)],
    ['with the kid of a key of another kind', () => sign(EC, { alg: 'ES256', kid: 'rsa' }), setOf(EC, RSA)],
    ['by an algorithm that the key excludes', () => sign(PS_ONLY, { alg: 'RS256', kid: 'ps' }), setOf(PS_ONLY)],
    ['of an application without keys', () => sign(EC, { alg: 'ES256', kid: 'ec' }), undefined],
    ['by RS512', () => sign(RSA, { alg: 'RS512', kid: 'rsa' }), setOf(RSA)],
    ['by HS256 with a public key', () => hmacWith(EC), setOf(EC)],
    ['without an algorithm', () => new UnsecuredJWT({ ...CLAIMS }).encode(), setOf(EC)],
    ['of changed claims', async () => tamper(await sign(EC, { alg: 'ES256', kid: 'ec' })), setOf(EC)],
    ['of an overlong assertion', () => sign(EC, { alg: 'ES256', kid: 'ec' }, { pad: 'a'.repeat(8_192) }), setOf(EC)],
    ['of wrong claims', () => sign(EC, { alg: 'ES256', kid: 'ec' }, { aud: 'x' }), setOf(EC)],
    ['of a text that is not a JWT', () => 'a.b', setOf(EC)],
    ['of an empty text', () => '', setOf(EC)],
  ])('%s is refused', async (_what, assertion, jwks) => {
    expect(await check(await assertion(), jwks)).toEqual({ kind: 'wrong', detail: expect.any(String) });
  });

  it('with a critical header that is not known is refused', async () => {
    const header = { alg: 'ES256', kid: 'ec', crit: ['x'], x: 1 };
    const assertion = await new SignJWT(CLAIMS).setProtectedHeader(header).sign(EC.privateKey, { crit: { x: true } });
    expect((await check(assertion, setOf(EC))).kind).toBe('wrong');
  });

  it('of any text is refused, and never throws', async () => {
    const part = fc.oneof(
      fc.base64String(),
      fc.string(),
      fc.json().map((json) => Buffer.from(json).toString('base64url')),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(part, { maxLength: 4 }), async (parts) => {
        expect((await check(parts.join('.'), setOf(EC))).kind).toBe('wrong');
      }),
    );
  });
});

const PS_ONLY = rsaKey('ps', { alg: 'PS256' });

/** Signs with the text of a public key as a secret (RFC 8725 section 2.1). */
function hmacWith({ jwk }: TestKey): Promise<string> {
  const secret = createSecretKey(Buffer.from(JSON.stringify(jwk)));
  return new SignJWT(CLAIMS).setProtectedHeader({ alg: 'HS256', kid: 'ec' }).sign(secret);
}

function tamper(assertion: string): string {
  const [header, payload, signature] = assertion.split('.') as [string, string, string];
  const claims = JSON.parse(Buffer.from(payload, 'base64url').toString()) as JWTPayload;
  return [header, Buffer.from(JSON.stringify({ ...claims, jti: 'other' })).toString('base64url'), signature].join('.');
}
