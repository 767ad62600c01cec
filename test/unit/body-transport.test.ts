import { decodeJwt } from 'jose';
import { describe, expect, it } from 'vitest';
import { newId } from '../../src/platform/db/ids.ts';
import { createBodyTransport } from '../../src/auth/session/transport/body-transport.ts';
import { createSecretJwts } from '../../src/auth/token/secret-jwt.ts';

const KEY = Buffer.alloc(32, 1);
const jwts = (options: Partial<Parameters<typeof createSecretJwts>[0]> = {}) =>
  createSecretJwts({ key: KEY, type: 'rt+jwt', issuer: 'service', ...options });

describe('secret JWTs', () => {
  const claims = { sid: 's', exp: 1 };

  it('verifies the tokens that it signed, at any time', async () => {
    const { sign, read } = await jwts();
    expect(await read(await sign(claims))).toEqual({ ...claims, iss: 'service', aud: 'service' });
  });

  it.each([
    ['key', { key: Buffer.alloc(32, 2) }],
    ['type', { type: 'at+jwt' }],
    ['issuer', { issuer: 'other' }],
  ])('rejects a token of another %s', async (_what, other) => {
    const token = await (await jwts(other)).sign(claims);
    expect(await (await jwts()).read(token)).toBeUndefined();
  });

  it('accepts one encoding of a token only', async () => {
    const { sign, read } = await jwts();
    const token = await sign(claims);
    const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
    const results = await Promise.all([...alphabet].map((last) => read(token.slice(0, -1) + last)));
    expect(results.filter(Boolean)).toHaveLength(1);
    for (const text of [` ${token}`, `${token} `, `${token}=`, `${token}.`, token.replace('.', '. '), '', '.', '..'])
      expect(await read(text)).toBeUndefined();
  });

  it('does not parse a token above the maximum length', async () => {
    const { sign, read } = await jwts();
    expect(await read(await sign({ long: 'x'.repeat(4_000) }))).toBeUndefined();
  });
});

describe('the body transport', () => {
  const session = { id: newId(), expiresAt: 1_800_000_000_999 };

  it('issues and parses refresh tokens with different verifiers', async () => {
    const form = createBodyTransport(await jwts());
    const first = await form.issue(session, 1);
    const second = await form.issue(session, 2, first.selector);
    for (const { value, ...credential } of [first, second])
      expect(await form.parse(value)).toEqual({ ...credential, expiresAt: 1_800_000_000_000 });
    expect(second.selector).toEqual(first.selector);
    expect(second.verifierHash).not.toEqual(first.verifierHash);
    expect((await form.issue(session, 1)).selector).not.toEqual(first.selector);
    expect(decodeJwt(first.value)).toMatchObject({ sid: session.id, gen: 1, exp: 1_800_000_000 });
  });

  it('is strict with fixed lifetimes of 900 seconds and 7 days', async () => {
    const form = createBodyTransport(await jwts());
    const week = 7 * 24 * 3600_000;
    expect(form).toMatchObject({
      stored: 'BODY',
      rotationMode: 'strict',
      accessTokenTtlMs: 900_000,
      absoluteLifetimeMs: week,
    });
    for (const rememberMe of [true, false]) expect(form.idleWindowMs(rememberMe)).toBe(week);
    expect(form.carry('v', { rememberMe: true, remainingMs: 1, listedOrigin: undefined })).toEqual({
      refreshCookie: undefined,
      refreshToken: 'v',
    });
  });
});
