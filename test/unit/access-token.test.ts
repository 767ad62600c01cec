// Access tokens with keys in memory: signed, decoded and cached.
import { createPublicKey, verify, type KeyObject } from 'node:crypto';
import { decodeJwt, decodeProtectedHeader } from 'jose';
import { describe, expect, it } from 'vitest';
import type { AccessTokenSubject } from '../../src/auth/token/access-token.ts';
import { signCompact } from '../../src/auth/keys/compact-jws.ts';
import { invalid, open, PAIRS, SUBJECT, thrownBy, type Algorithm } from './access-token-fixture.ts';

const WITHOUT_OPTIONS: AccessTokenSubject = { accountId: 'account-2', tenantId: undefined, roles: [] };

describe('sign', () => {
  it('writes every claim of the subject, and times in seconds', async () => {
    const { tokens, seconds } = await open();
    const authentication = { authenticatedAt: (seconds - 1) * 1000 + 999, methods: ['pwd', 'otp', 'mfa'] as const };
    const { token, expiresAt } = await tokens.sign({ ...SUBJECT, clientId: 'machine', authentication }, 900_999);
    expect(expiresAt).toBe((seconds + 900) * 1000);
    expect(decodeProtectedHeader(token)).toEqual({ alg: 'ES256', typ: 'at+jwt', kid: 'key-1' });
    expect(decodeJwt(token)).toEqual({
      sub: 'account-1',
      client_id: 'machine',
      email: 'ann@acme.test',
      tenantId: 'acme',
      roles: ['ROLE_SALES'],
      sid: 'session-1',
      iss: 'shop',
      aud: 'api',
      iat: seconds,
      exp: seconds + 900,
      auth_time: seconds - 1,
      amr: ['pwd', 'otp', 'mfa'],
      jti: expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f-]{27}$/),
    });
  });

  it('omits the claims that the subject lacks, and writes the default client', async () => {
    const { tokens, seconds } = await open();
    const { token } = await tokens.sign(WITHOUT_OPTIONS, 60_000);
    const { jti, ...claims } = decodeJwt(token);
    expect(claims).toEqual({
      sub: 'account-2',
      client_id: 'web',
      roles: [],
      iss: 'shop',
      aud: 'api',
      iat: seconds,
      exp: seconds + 60,
    });
    expect(decodeJwt((await tokens.sign(WITHOUT_OPTIONS, 60_000)).token).jti).not.toBe(jti);
  });

  it('writes whether the address is verified only if the service is to, and knows it', async () => {
    const emailVerifiedIn = async (withEmailVerified: boolean | undefined, subject: AccessTokenSubject) => {
      const { tokens } = await open('ES256', withEmailVerified === undefined ? {} : { withEmailVerified });
      return decodeJwt((await tokens.sign(subject, 60_000)).token)['emailVerified'];
    };
    const known = { ...SUBJECT, emailVerified: true };
    expect(await emailVerifiedIn(true, known)).toBe(true);
    expect(await emailVerifiedIn(true, { ...SUBJECT, emailVerified: false })).toBe(false);
    expect(await emailVerifiedIn(true, SUBJECT)).toBeUndefined();
    expect(await emailVerifiedIn(false, known)).toBeUndefined();
    expect(await emailVerifiedIn(undefined, known)).toBeUndefined();
  });
});

describe.each(['ES256', 'RS256', 'EdDSA'] as const)('a token by %s', (algorithm) => {
  it('verifies, and its claims are returned', async () => {
    const { tokens, seconds } = await open(algorithm);
    const authentication = { authenticatedAt: seconds * 1000, methods: ['pwd'] as const };
    const { token } = await tokens.sign({ ...SUBJECT, authentication }, 900_000);
    expect(await tokens.verify(token)).toEqual({
      authentication,
      kid: 'key-1',
      sub: 'account-1',
      tenantId: 'acme',
      sid: 'session-1',
      jti: decodeJwt(token).jti,
      clientId: 'web',
      iss: 'shop',
      iat: seconds,
      exp: seconds + 900,
      aud: 'api',
      gid: undefined,
      scope: undefined,
    });
  });

  it('carries the signature of its own algorithm', () => {
    const { privateKey, publicKey } = PAIRS[algorithm];
    const token = signCompact({ kid: 'k', algorithm, privateKey }, 'at+jwt', { a: 1 });
    const [header, payload, signature] = token.split('.') as [string, string, string];
    expect(JSON.parse(Buffer.from(header, 'base64url').toString())).toEqual({
      alg: algorithm,
      typ: 'at+jwt',
      kid: 'k',
    });
    expect(JSON.parse(Buffer.from(payload, 'base64url').toString())).toEqual({ a: 1 });
    expect(isSignedBy(publicKey, algorithm, `${header}.${payload}`, signature)).toBe(true);
    expect(isSignedBy(publicKey, algorithm, `${header}.x${payload}`, signature)).toBe(false);
  });
});

it('signCompact throws for an unknown algorithm', () => {
  const { privateKey } = PAIRS.ES256;
  expect(() => signCompact({ kid: 'k', algorithm: 'HS256', privateKey }, 'at+jwt', {})).toThrow(
    new TypeError('Unsupported signature algorithm HS256'),
  );
});

describe('decode', () => {
  it.each([
    [
      { auth_time: 7, amr: ['pwd', 'face', 7] },
      { authenticatedAt: 7_000, methods: ['pwd'] },
    ],
    [{ auth_time: '7', amr: ['pwd'] }, undefined],
    [{ auth_time: 7 }, undefined],
    [{ auth_time: 7, amr: 'pwd' }, undefined],
  ])('reads the authentication of %j', async (claims, authentication) => {
    const { tokens, sign } = await open();
    expect(tokens.decode(sign(claims)).authentication).toEqual(authentication);
  });

  it('returns the claims of an unverified token', async () => {
    const { tokens, sign, seconds } = await open();
    const foreign = sign({ iss: 'other' }).replace(/.{20}$/, 'A'.repeat(20));
    expect(tokens.decode(foreign)).toEqual({
      kid: 'key-1',
      sub: 'account-1',
      tenantId: undefined,
      sid: undefined,
      jti: 'token-1',
      clientId: undefined,
      iss: 'other',
      iat: seconds,
      exp: seconds + 900,
      authentication: undefined,
      aud: 'api',
      gid: undefined,
      scope: undefined,
    });
  });

  it.each([
    ['no JWT', () => 'a.b.c', 'the token is not a JWT'],
    ['a word', () => 'garbage', 'the token is not a JWT'],
    ['more than 8,192 characters', () => 'x'.repeat(8_193), 'the token is too long'],
    ['exactly 8,192 characters that are no JWT', () => 'x'.repeat(8_192), 'the token is not a JWT'],
  ])('throws TOKEN_INVALID for %s', async (_what, make, message) => {
    const { tokens } = await open();
    expect(await thrownBy(() => tokens.decode(make()))).toEqual(invalid(message));
  });

  it.each([{ sub: undefined }, { sub: 7 }, { jti: undefined }, { jti: 7 }, { exp: undefined }, { exp: 'later' }])(
    'throws TOKEN_INVALID if a claim is missing or of another type: %j',
    async (changes) => {
      const { tokens, sign } = await open();
      expect(await thrownBy(() => tokens.decode(sign(changes)))).toEqual(invalid('the token lacks a claim'));
    },
  );

  it('omits optional claims of another type', async () => {
    const { tokens, sign } = await open();
    const token = sign({ iat: 'now', client_id: 7, sid: 7, tenantId: ['acme'] });
    expect(tokens.decode(token)).toMatchObject({
      iat: undefined,
      clientId: undefined,
      sid: undefined,
      tenantId: undefined,
    });
  });
});

describe('verified', () => {
  it('returns the claims of the same text after it was verified', async () => {
    const { tokens, sign } = await open();
    const token = sign();
    expect(tokens.verified(token)).toBeUndefined();
    const claims = await tokens.verify(token);
    expect(tokens.verified(token)).toBe(claims);
    expect(tokens.verified(`${token}=`)).toBeUndefined();
    expect(tokens.verified(sign())).toBeUndefined();
  });

  it('returns undefined for a rejected token', async () => {
    const { tokens, sign } = await open();
    const token = sign({ iss: 'other' });
    await thrownBy(() => tokens.verify(token));
    expect(tokens.verified(token)).toBeUndefined();
  });

  it('returns undefined from the expiry of the token on', async () => {
    const { tokens, sign, clock, seconds } = await open();
    const token = sign();
    await tokens.verify(token);
    clock.advance((seconds + 900) * 1000 - 1 - clock.now());
    expect(tokens.verified(token)).toBeDefined();
    clock.advance(1);
    expect(tokens.verified(token)).toBeUndefined();
  });

  it('returns undefined after the key is retired', async () => {
    const { tokens, sign, verifying } = await open();
    const token = sign();
    await tokens.verify(token);
    verifying.delete('key-1');
    expect(tokens.verified(token)).toBeUndefined();
  });

  it('caches the last tokens, up to its size', async () => {
    const { tokens, sign } = await open('ES256', { cachedTokens: 3 });
    const first = sign({ jti: 'first' });
    const second = sign({ jti: 'second' });
    await tokens.verify(first);
    await tokens.verify(second);
    await tokens.verify(sign({ jti: 'third' }));
    expect(tokens.verified(first)).toBeDefined();
    await tokens.verify(sign({ jti: 'last' }));
    expect(tokens.verified(first)).toBeUndefined();
    expect(tokens.verified(second)).toBeDefined();
  });
});

function isSignedBy(key: KeyObject, algorithm: Algorithm, input: string, signature: string): boolean {
  const digest = algorithm === 'EdDSA' ? null : 'sha256';
  const options = { key: createPublicKey(key.export({ type: 'spki', format: 'pem' })), dsaEncoding: 'ieee-p1363' };
  return verify(digest, Buffer.from(input), options as never, Buffer.from(signature, 'base64url'));
}
