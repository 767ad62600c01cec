// The verification of access tokens with keys in memory.
import { describe, expect, it } from 'vitest';
import { finding } from '../../src/auth/access/findings.ts';
import { createAccessTokens, inspectAccessToken, RejectedToken } from '../../src/auth/token/access-token.ts';
import type { SigningKeys } from '../../src/auth/keys/signing-keys.ts';
import { invalid, open, thrownBy } from './access-token-fixture.ts';

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
      finding: finding('TOKEN_CLAIM_INVALID', { claim: 'iss' }),
    });
  });

  it.each<[Record<string, unknown>, string]>([
    [{ jti: undefined }, 'the token lacks jti'],
    [{ aud: 'other' }, "the token's aud has an invalid value"],
  ])('returns the reason for the claims %j', async (changes, detail) => {
    const { tokens, sign } = await open();
    expect(await inspectAccessToken(tokens, sign(changes))).toMatchObject({ kind: 'rejected', finding: { detail } });
  });

  it('returns the reason for a wrong signature', async () => {
    const { tokens, sign } = await open();
    const [header, payload] = sign().split('.');
    const [, , signature] = sign({ sub: 'account-2' }).split('.');
    expect(await inspectAccessToken(tokens, `${header}.${payload}.${signature}`)).toEqual({
      kind: 'rejected',
      finding: finding('TOKEN_SIGNATURE_WRONG'),
    });
  });

  it('returns the reason of any other rejection', async () => {
    const { tokens, sign } = await open();
    expect(await inspectAccessToken(tokens, sign({}, 'at+jwt', 'key-2'))).toEqual({
      kind: 'rejected',
      finding: finding('TOKEN_KEY_UNKNOWN'),
    });
  });

  it('throws any other error', async () => {
    const verifyFails = { decode: () => expect.fail(), verify: () => Promise.reject(new Error('no database')) };
    await expect(inspectAccessToken(verifyFails, 'x')).rejects.toThrow(new Error('no database'));
    const refused = { ...verifyFails, verify: () => Promise.reject(new RejectedToken(finding('TOKEN_TOO_LONG'))) };
    expect(await inspectAccessToken(refused, 'x')).toEqual({ kind: 'rejected', finding: finding('TOKEN_TOO_LONG') });
  });
});
