// Access tokens with keys in memory: signed, decoded, verified and cached.
import { createPublicKey, generateKeyPairSync, verify, type KeyObject } from 'node:crypto';
import { decodeJwt, decodeProtectedHeader, importJWK, type CryptoKey } from 'jose';
import { describe, expect, it } from 'vitest';
import { ServiceError } from '../../src/errors.ts';
import { createAccessTokens, type AccessTokenSubject } from '../../src/token/access-token.ts';
import { signCompact } from '../../src/token/compact-jws.ts';
import { inspectAccessToken } from '../../src/token/inspect-access-token.ts';
import type { SigningKeys } from '../../src/token/signing-keys.ts';
import { testClock } from '../support/clock.ts';

const PAIRS = {
  ES256: generateKeyPairSync('ec', { namedCurve: 'P-256' }),
  RS256: generateKeyPairSync('rsa', { modulusLength: 2048 }),
  EdDSA: generateKeyPairSync('ed25519'),
} as const;
type Algorithm = keyof typeof PAIRS;

const SUBJECT: AccessTokenSubject = {
  accountId: 'account-1',
  email: 'ann@acme.test',
  tenantId: 'acme',
  roles: ['ROLE_SALES'],
  sessionId: 'session-1',
};
const WITHOUT_OPTIONS: AccessTokenSubject = { accountId: 'account-2', tenantId: undefined, roles: [] };

async function open(algorithm: Algorithm = 'ES256') {
  const clock = testClock();
  const { privateKey, publicKey } = PAIRS[algorithm];
  const verifying = new Set(['key-1']);
  const cryptoKey = (await importJWK(publicKey.export({ format: 'jwk' }), algorithm)) as CryptoKey;
  let lookUps = 0;
  const keys = {
    signer: async () => ({ kid: 'key-1', algorithm, privateKey }),
    async find(kid: string) {
      lookUps += 1;
      return kid === 'key-1' ? { kid, algorithm, publicKey: cryptoKey } : undefined;
    },
    verifies: (kid: string) => verifying.has(kid),
  } as unknown as SigningKeys;
  const tokens = createAccessTokens({ keys, issuer: 'shop', audience: 'api', clientId: 'web', clock: clock.now });
  const seconds = Math.floor(clock.now() / 1000);
  const claims = (changes: Record<string, unknown> = {}) => ({
    sub: 'account-1',
    iss: 'shop',
    aud: 'api',
    iat: seconds,
    exp: seconds + 900,
    jti: 'token-1',
    ...changes,
  });
  const sign = (changes?: Record<string, unknown>, type = 'at+jwt', kid = 'key-1') =>
    signCompact({ kid, algorithm, privateKey }, type, claims(changes));
  return { tokens, clock, seconds, sign, verifying, lookUps: () => lookUps };
}

const invalid = (message: string | RegExp) => expect.objectContaining({ reason: 'TOKEN_INVALID', message });
const thrownBy = async (work: () => unknown): Promise<unknown> => {
  try {
    await work();
  } catch (error) {
    return error;
  }
  throw new Error('nothing was thrown');
};

describe('sign', () => {
  it('writes every claim of the subject, and times in seconds', async () => {
    const { tokens, seconds } = await open();
    const { token, expiresAt } = await tokens.sign({ ...SUBJECT, clientId: 'machine' }, 900_999);
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
});

describe.each(['ES256', 'RS256', 'EdDSA'] as const)('a token by %s', (algorithm) => {
  it('verifies, and its claims are returned', async () => {
    const { tokens, seconds } = await open(algorithm);
    const { token } = await tokens.sign(SUBJECT, 900_000);
    expect(await tokens.verify(token)).toEqual({
      sub: 'account-1',
      tenantId: 'acme',
      sid: 'session-1',
      jti: decodeJwt(token).jti,
      clientId: 'web',
      iat: seconds,
      exp: seconds + 900,
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
  it('returns the claims of an unverified token', async () => {
    const { tokens, sign, seconds } = await open();
    const foreign = sign({ iss: 'other' }).replace(/.{20}$/, 'A'.repeat(20));
    expect(tokens.decode(foreign)).toEqual({
      sub: 'account-1',
      tenantId: undefined,
      sid: undefined,
      jti: 'token-1',
      clientId: undefined,
      iat: seconds,
      exp: seconds + 900,
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

describe('verify', () => {
  it.each<[what: string, changes: Record<string, unknown>, code: string]>([
    ['another issuer', { iss: 'other' }, 'ERR_JWT_CLAIM_VALIDATION_FAILED'],
    ['another audience', { aud: 'other' }, 'ERR_JWT_CLAIM_VALIDATION_FAILED'],
    ['no subject', { sub: undefined }, 'ERR_JWT_CLAIM_VALIDATION_FAILED'],
    ['no issue time', { iat: undefined }, 'ERR_JWT_CLAIM_VALIDATION_FAILED'],
    ['no end', { exp: undefined }, 'ERR_JWT_CLAIM_VALIDATION_FAILED'],
    ['no id', { jti: undefined }, 'ERR_JWT_CLAIM_VALIDATION_FAILED'],
  ])('rejects %s', async (_what, changes, code) => {
    const { tokens, sign } = await open();
    expect(await thrownBy(() => tokens.verify(sign(changes)))).toEqual(
      invalid(`the token failed verification: ${code}`),
    );
  });

  it('rejects another type of token', async () => {
    const { tokens, sign } = await open();
    expect(await thrownBy(() => tokens.verify(sign({}, 'JWT')))).toEqual(
      invalid('the token failed verification: ERR_JWT_CLAIM_VALIDATION_FAILED'),
    );
  });

  it('rejects an unknown key, and an algorithm other than that of the key', async () => {
    const { tokens, sign } = await open();
    const message = 'the token was not signed by a key of this service';
    expect(await thrownBy(() => tokens.verify(sign({}, 'at+jwt', 'key-2')))).toEqual(invalid(message));
    const other = await open('RS256');
    expect(await thrownBy(() => tokens.verify(other.sign()))).toEqual(invalid(message));
  });

  it('does not look up a kid that is not a string', async () => {
    const { tokens, sign, lookUps } = await open();
    const [, payload, signature] = sign().split('.');
    const header = Buffer.from(JSON.stringify({ alg: 'ES256', typ: 'at+jwt', kid: 7 })).toString('base64url');
    const message = 'the token was not signed by a key of this service';
    expect(await thrownBy(() => tokens.verify(`${header}.${payload}.${signature}`))).toEqual(invalid(message));
    expect(lookUps()).toBe(0);
  });

  it('rejects a signature in another encoding or of other claims', async () => {
    const { tokens, sign } = await open();
    const token = sign();
    const spelling = 'the signature is not canonical base64url';
    expect(await thrownBy(() => tokens.verify(`${token}=`))).toEqual(invalid(spelling));
    expect(await thrownBy(() => tokens.verify(`${token} `))).toEqual(invalid(spelling));
    const [header, payload] = token.split('.');
    const [, , signature] = sign({ sub: 'account-2' }).split('.');
    expect(await thrownBy(() => tokens.verify(`${header}.${payload}.${signature}`))).toEqual(
      invalid('the token failed verification: ERR_JWS_SIGNATURE_VERIFICATION_FAILED'),
    );
  });

  it('accepts a token until its expiry', async () => {
    const { tokens, sign, clock, seconds } = await open();
    const token = sign();
    clock.advance((seconds + 900) * 1000 - 1 - clock.now());
    expect(await tokens.verify(token)).toMatchObject({ sub: 'account-1' });
    clock.advance(1);
    const error = await thrownBy(() => tokens.verify(token));
    expect(error).toEqual(invalid('the token failed verification: ERR_JWT_EXPIRED'));
    expect((error as Error).cause).toMatchObject({ code: 'ERR_JWT_EXPIRED' });
  });

  it('accepts a token that was issued at most 5 seconds ahead', async () => {
    const { tokens, sign, clock, seconds } = await open();
    clock.advance(seconds * 1000 - clock.now());
    expect(await tokens.verify(sign({ iat: seconds + 5 }))).toMatchObject({ iat: seconds + 5 });
    expect(await thrownBy(() => tokens.verify(sign({ iat: seconds + 6 })))).toEqual(
      invalid('the token was issued in the future'),
    );
  });

  it('throws the error of the key lookup', async () => {
    const failing = { find: () => Promise.reject(new Error('no database')) } as unknown as SigningKeys;
    const { sign, clock } = await open();
    const tokens = createAccessTokens({
      keys: failing,
      issuer: 'shop',
      audience: 'api',
      clientId: 'web',
      clock: clock.now,
    });
    await expect(tokens.verify(sign())).rejects.toThrow(new Error('no database'));
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

  it('caches the last 10,000 tokens', async () => {
    const { tokens, sign } = await open();
    const first = sign({ jti: 'first' });
    const second = sign({ jti: 'second' });
    await tokens.verify(first);
    await tokens.verify(second);
    for (let i = 2; i < 10_000; i += 1) await tokens.verify(sign({ jti: String(i) }));
    expect(tokens.verified(first)).toBeDefined();
    await tokens.verify(sign({ jti: 'last' }));
    expect(tokens.verified(first)).toBeUndefined();
    expect(tokens.verified(second)).toBeDefined();
  });
});

describe('inspectAccessToken', () => {
  it('returns the claims of a valid token', async () => {
    const { tokens, sign } = await open();
    expect(await inspectAccessToken(tokens, sign())).toMatchObject({
      kind: 'genuine',
      expired: false,
      claims: { jti: 'token-1' },
    });
  });

  it('returns the claims of a token that has only expired', async () => {
    const { tokens, sign, seconds } = await open();
    expect(await inspectAccessToken(tokens, sign({ exp: seconds - 1 }))).toMatchObject({
      kind: 'genuine',
      expired: true,
      claims: { jti: 'token-1', exp: seconds - 1 },
    });
  });

  it('rejects an expired token whose issuer is wrong too', async () => {
    const { tokens, sign, seconds } = await open();
    expect(await inspectAccessToken(tokens, sign({ exp: seconds - 1, iss: 'other' }))).toEqual({
      kind: 'rejected',
      detail: "the token's iss has an invalid value",
    });
  });

  it.each<[Record<string, unknown>, string]>([
    [{ jti: undefined }, 'the token lacks jti'],
    [{ aud: 'other' }, "the token's aud has an invalid value"],
  ])('returns the reason for the claims %j', async (changes, detail) => {
    const { tokens, sign } = await open();
    expect(await inspectAccessToken(tokens, sign(changes))).toEqual({ kind: 'rejected', detail });
  });

  it('returns the reason for a wrong signature', async () => {
    const { tokens, sign } = await open();
    const [header, payload] = sign().split('.');
    const [, , signature] = sign({ sub: 'account-2' }).split('.');
    expect(await inspectAccessToken(tokens, `${header}.${payload}.${signature}`)).toEqual({
      kind: 'rejected',
      detail: 'the signature is not that of the named key',
    });
  });

  it('returns the reason of any other rejection', async () => {
    const { tokens, sign } = await open();
    expect(await inspectAccessToken(tokens, sign({}, 'at+jwt', 'key-2'))).toEqual({
      kind: 'rejected',
      detail: 'the token was not signed by a key of this service',
    });
  });

  it('throws any other error', async () => {
    const verifyFails = { decode: () => expect.fail(), verify: () => Promise.reject(new Error('no database')) };
    await expect(inspectAccessToken(verifyFails, 'x')).rejects.toThrow(new Error('no database'));
    const refused = { ...verifyFails, verify: () => Promise.reject(new ServiceError('TOKEN_INVALID')) };
    expect(await inspectAccessToken(refused, 'x')).toEqual({ kind: 'rejected', detail: 'TOKEN_INVALID' });
  });
});

function isSignedBy(key: KeyObject, algorithm: Algorithm, input: string, signature: string): boolean {
  const digest = algorithm === 'EdDSA' ? null : 'sha256';
  const options = { key: createPublicKey(key.export({ type: 'spki', format: 'pem' })), dsaEncoding: 'ieee-p1363' };
  return verify(digest, Buffer.from(input), options as never, Buffer.from(signature, 'base64url'));
}
