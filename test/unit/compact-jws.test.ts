// JWS in the compact serialization: what signs it, and which texts are read.
import { sign, type KeyObject } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { readCompact, signCompact, signCompactInPool } from '../../src/auth/keys/compact-jws.ts';
import { PAIRS, type Algorithm } from './access-token-fixture.ts';

const ALGORITHMS = Object.keys(PAIRS) as Algorithm[];
const CLAIMS = { iss: 'shop', number: 7 };

const signed = (algorithm: Algorithm = 'ES256') =>
  signCompact({ kid: 'key-1', algorithm, privateKey: PAIRS[algorithm].privateKey }, 'head+jwt', CLAIMS);
const keyOf =
  (algorithm: string, { publicKey }: { readonly publicKey: KeyObject } = PAIRS.ES256) =>
  (kid: string) =>
    kid === 'key-1' ? { algorithm, publicKey } : undefined;
const read = (jws: string, algorithm: Algorithm = 'ES256') => readCompact(jws, keyOf(algorithm, PAIRS[algorithm]));
const encoded = (text: string) => Buffer.from(text).toString('base64url');
const signOf = (key: KeyObject, text: string) =>
  sign('sha256', Buffer.from(text), { key, dsaEncoding: 'ieee-p1363' }).toString('base64url');
const partsOf = (jws: string) => jws.split('.') as [string, string, string];

describe('readCompact', () => {
  it.each(ALGORITHMS)('reads the type and the claims, and verifies the signature: %s', (algorithm) => {
    expect(read(signed(algorithm), algorithm)).toEqual({ type: 'head+jwt', claims: CLAIMS, isVerified: true });
  });

  it.each(ALGORITHMS)('reads what was signed in the thread pool: %s', async (algorithm) => {
    const { privateKey } = PAIRS[algorithm];
    const jws = await signCompactInPool({ kid: 'key-1', algorithm, privateKey }, 'head+jwt', CLAIMS);
    expect(read(jws, algorithm)).toEqual({ type: 'head+jwt', claims: CLAIMS, isVerified: true });
  });

  it.each(ALGORITHMS)('finds that another text was signed: %s', (algorithm) => {
    const [header, , signature] = partsOf(signed(algorithm));
    const claims = { iss: 'shop', number: 8 };
    const changed = `${header}.${encoded(JSON.stringify(claims))}.${signature}`;
    expect(read(changed, algorithm)).toEqual({ type: 'head+jwt', claims, isVerified: false });
  });

  it('does not verify without a signature, or with one of another key', () => {
    const [header, payload] = partsOf(signed());
    expect(read(`${header}.${payload}.`)?.isVerified).toBe(false);
    expect(read(`${header}.${payload}`)?.isVerified).toBe(false);
    expect(readCompact(signed('RS256'), keyOf('RS256'))?.isVerified).toBe(false);
  });

  it('does not verify if the header names another algorithm than that of the key', () => {
    const { privateKey } = PAIRS.ES256;
    expect(readCompact(signed(), keyOf('RS256'))?.isVerified).toBe(false);
    // The signature itself is right.
    const [header] = partsOf(signed('RS256'));
    const payload = encoded(JSON.stringify(CLAIMS));
    const signature = signOf(privateKey, `${header}.${payload}`);
    expect(read(`${header}.${payload}.${signature}`)?.isVerified).toBe(false);
  });

  it('says nothing of the signature if the key is not known, or its algorithm is not', () => {
    expect(readCompact(signed(), () => undefined)).toEqual({ type: 'head+jwt', claims: CLAIMS, isVerified: undefined });
    expect(readCompact(signed(), keyOf('HS256'))?.isVerified).toBeUndefined();
  });

  it.each([
    ['nothing', ''],
    ['no payload', encoded('{}')],
    ['a header that is not JSON', `${encoded('{')}.${encoded('{}')}.`],
    ['a payload that is not JSON', `${encoded('{}')}.${encoded('x')}.`],
    ['a header that is null', `${encoded('null')}.${encoded('{}')}.`],
    ['a payload that is null', `${encoded('{}')}.${encoded('null')}.`],
    ['a header that is a text', `${encoded('"a"')}.${encoded('{}')}.`],
    ['a payload that is a number', `${encoded('{}')}.${encoded('1')}.`],
    ['a fourth part', `${signed()}.x`],
  ])('does not read a text with %s', (_, text) => {
    expect(read(text)).toBeUndefined();
  });

  it('asks for the key of the header', () => {
    const asked: string[] = [];
    readCompact(signed(), (kid) => void asked.push(kid));
    expect(asked).toEqual(['key-1']);
  });
});
