// ID tokens: signatures of both algorithms, and the tokens that come back as hints.
import fc from 'fast-check';
import { createLocalJWKSet, decodeJwt, decodeProtectedHeader, jwtVerify } from 'jose';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { signCompact } from '../../src/auth/keys/compact-jws.ts';
import { createIdTokens, ID_TOKEN_LIFETIME_MS, type IdTokenAlgorithm } from '../../src/auth/keys/id-tokens.ts';
import { createKeyEncryption } from '../../src/auth/keys/key-encryption.ts';
import { SIGNING_KEYS_CLEANUPS, type KeyChain } from '../../src/auth/keys/key-store.ts';
import { ACTIVATION_DELAY_MS } from '../../src/auth/keys/rotation-schedule.ts';
import { createSigningKeys, type SigningKeys } from '../../src/auth/keys/signing-keys.ts';
import { createAccessTokens } from '../../src/auth/token/access-token.ts';
import { UNLIMITED } from '../../src/platform/clock.ts';
import { cleanup } from '../../src/platform/jobs/cleanup.ts';
import { testClock } from '../support/clock.ts';
import { createTestDatabase, type TestDatabase } from '../support/databases.ts';
import { PAIRS } from './access-token-fixture.ts';

const ISSUER = 'https://auth.shop.test';
const CLAIMS = { sub: 'account-1', aud: 'grafana', sid: 'session-1' };
const ALGORITHMS: readonly IdTokenAlgorithm[] = ['RS256', 'ES256'];
const clock = testClock();
let test: TestDatabase;
let idKeys: SigningKeys;
let accessKeys: SigningKeys;

const openKeys = (chain: KeyChain, algorithm: string, database = test.database) =>
  createSigningKeys({
    database,
    chain,
    encryption: createKeyEncryption(Buffer.alloc(32, 7)),
    algorithm,
    longestTokenMs: chain === 'ID' ? ID_TOKEN_LIFETIME_MS : 900_000,
    clock: clock.now,
    log: pino({ level: 'silent' }),
  });
const open = (options: { readonly issuer?: string; readonly otherIssuers?: readonly string[] } = {}) =>
  createIdTokens({ idKeys, accessKeys, issuer: ISSUER, ...options });

/** Claims of a token that is valid now. */
const claims = (changes: object = {}) => {
  const iat = Math.floor(clock.now() / 1000);
  return { ...CLAIMS, iat, exp: iat + ID_TOKEN_LIFETIME_MS / 1000, ...changes };
};

beforeAll(async () => {
  test = await createTestDatabase('sqlite');
  [idKeys, accessKeys] = await Promise.all([openKeys('ID', 'RS256'), openKeys('ACCESS', 'ES256')]);
});
afterAll(() => test?.drop());

describe.each(ALGORITHMS)('a token of %s', (algorithm) => {
  it('has the issuer, is signed by the key of its chain, and is verified by the key set', async () => {
    const token = await open().sign(claims({ nonce: 'n' }), algorithm);
    const { kid } = await (algorithm === 'RS256' ? idKeys : accessKeys).signer();
    expect(decodeProtectedHeader(token)).toEqual({ alg: algorithm, typ: 'JWT', kid });
    const sets = await Promise.all([idKeys.jsonWebKeySet(), accessKeys.jsonWebKeySet()]);
    const { payload } = await jwtVerify(token, createLocalJWKSet({ keys: sets.flatMap(({ keys }) => keys) }), {
      issuer: ISSUER,
      audience: 'grafana',
      currentDate: new Date(clock.now()),
    });
    expect(payload).toEqual({ iss: ISSUER, ...claims({ nonce: 'n' }) });
  });

  it('is a hint, also after its end', async () => {
    const tokens = open();
    const expired = claims({ iat: 1_000, exp: 1_600 });
    for (const valid of [claims(), expired])
      expect(await tokens.readHint(await tokens.sign(valid, algorithm))).toEqual(CLAIMS);
    const { sid: _, ...offline } = claims();
    expect(await tokens.readHint(await tokens.sign(offline, algorithm))).toEqual({ ...CLAIMS, sid: undefined });
  });

  it('is a hint without `typ`, and with one in lower case', async () => {
    const tokens = open();
    expect(await tokens.readHint(await tokens.sign(claims(), algorithm, 'jwt'))).toEqual(CLAIMS);
    const key = await (algorithm === 'RS256' ? idKeys : accessKeys).signer();
    // JSON leaves out a member that is undefined.
    const bare = signCompact(key, undefined as never, { iss: ISSUER, ...claims() });
    expect(decodeProtectedHeader(bare)).not.toHaveProperty('typ');
    expect(await tokens.readHint(bare)).toEqual(CLAIMS);
  });

  it.each(['at+jwt', 'logout+jwt', 'audit-head+jwt', 'JWS', ''])('of the type "%s" is no hint', async (type) => {
    const tokens = open();
    const token = await tokens.sign(claims(), algorithm, type);
    expect(decodeProtectedHeader(token).typ).toBe(type);
    expect(await tokens.readHint(token)).toBeUndefined();
  });

  it('of another issuer is a hint only if that issuer stays valid', async () => {
    const before = open({ issuer: 'my-shop' });
    const token = await before.sign(claims(), algorithm);
    expect(await open().readHint(token)).toBeUndefined();
    expect(await open({ otherIssuers: ['my-shop'] }).readHint(token)).toEqual(CLAIMS);
  });

  it.each<[string, object]>([
    ['no subject', { sub: undefined }],
    ['a subject that is a number', { sub: 1 }],
    ['no audience', { aud: undefined }],
    ['several audiences', { aud: ['grafana'] }],
    ['no end', { exp: undefined }],
    ['no issuer', { iss: undefined }],
  ])('with %s is no hint', async (_, changes) => {
    const tokens = open();
    expect(await tokens.readHint(await tokens.sign(claims(changes), algorithm))).toBeUndefined();
  });

  it('keeps claims of any text, and no changed token is a hint', async () => {
    const tokens = open();
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: 'grapheme' }), fc.nat(), fc.nat({ max: 63 }), async (nonce, at, by) => {
        const token = await tokens.sign(claims({ nonce }), algorithm);
        expect(decodeJwt(token)['nonce']).toBe(Buffer.from(nonce).toString());
        const index = at % token.length;
        const changed = BASE64URL[(BASE64URL.indexOf(token[index]!) + 1 + by) % BASE64URL.length]!;
        const other = token.slice(0, index) + changed + token.slice(index + 1);
        expect(await tokens.readHint(other)).toEqual(other === token ? CLAIMS : undefined);
      }),
      { numRuns: 60 },
    );
  });
});

const BASE64URL = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';

describe('a hint', () => {
  it('is no text that this service has not signed', async () => {
    const { readHint } = open();
    await fc.assert(
      fc.asyncProperty(
        fc.oneof(
          fc.string(),
          fc.tuple(fc.base64String(), fc.base64String(), fc.base64String()).map((all) => all.join('.')),
        ),
        async (text) => {
          expect(await readHint(text)).toBeUndefined();
        },
      ),
    );
  });

  it('is no token with the id of a key and the signature of another', async () => {
    const { readHint } = open();
    const [id, access] = await Promise.all([idKeys.signer(), accessKeys.signer()]);
    const payload = { iss: ISSUER, ...claims() };
    for (const key of [
      { ...id, privateKey: PAIRS.RS256.privateKey },
      { ...access, privateKey: PAIRS.ES256.privateKey },
      { ...id, kid: 'unknown' },
      { ...id, kid: access.kid },
      { ...access, kid: id.kid },
      { ...access, algorithm: 'EdDSA', privateKey: PAIRS.EdDSA.privateKey },
    ])
      expect(await readHint(signCompact(key, 'JWT', payload))).toBeUndefined();
    expect(await readHint(signCompact(id, 'JWT', payload))).toEqual(CLAIMS);
  });

  it('is no access token', async () => {
    const access = createAccessTokens({
      keys: accessKeys,
      issuer: ISSUER,
      audience: 'api',
      clientId: 'x',
      clock: clock.now,
    });
    const { token } = await access.sign(
      { accountId: 'account-1', tenantId: undefined, roles: [], sessionId: 's' },
      60_000,
    );
    expect(await open().readHint(token)).toBeUndefined();
    await expect(access.verify(await open().sign(claims(), 'ES256'))).rejects.toMatchObject({
      reason: 'TOKEN_INVALID',
    });
  });

  it('has at most 16,384 characters', async () => {
    const tokens = open();
    const name = (length: number) => tokens.sign(claims({ name: 'x'.repeat(length) }), 'RS256');
    const long = await name(11_000);
    expect(long.length).toBeGreaterThan(14_000);
    expect(await tokens.readHint(long)).toEqual(CLAIMS);
    expect(await tokens.readHint(await name(12_500))).toBeUndefined();
  });

  it('rejects while its key cannot be looked up', async () => {
    const failing = { findKept: () => Promise.reject(new Error('no database')) } as never;
    const token = await open().sign(claims(), 'RS256');
    const { readHint } = createIdTokens({ idKeys: failing, accessKeys: failing, issuer: ISSUER });
    await expect(readHint(token)).rejects.toThrow('no database');
  });
});

it('RS256 is signed outside of the event loop', async () => {
  let isSigned = false;
  const signing = open()
    .sign(claims(), 'RS256')
    .then(() => (isSigned = true));
  // The result of another thread needs a turn of the event loop, which these do not give it.
  for (let count = 0; count < 1_000; count += 1) await Promise.resolve();
  expect(isSigned).toBe(false);
  await signing;
});

describe('after a rotation', () => {
  it('each ID token is verified by the key set until its end, and is a hint for 400 days more', async () => {
    const { drop, database } = await createTestDatabase('sqlite');
    const ownIds = await openKeys('ID', 'RS256', database);
    const ownAccess = await openKeys('ACCESS', 'ES256', database);
    const tokens = createIdTokens({ idKeys: ownIds, accessKeys: ownAccess, issuer: ISSUER });
    for (const keys of [ownIds, ownAccess]) {
      await database.transaction(UNLIMITED, await keys.prepareRotation());
      keys.invalidate();
    }
    clock.advance(ACTIVATION_DELAY_MS - 1);
    const last = await Promise.all(ALGORITHMS.map((algorithm) => tokens.sign(claims(), algorithm)));
    clock.advance(ID_TOKEN_LIFETIME_MS - 1_000);
    const sets = await Promise.all([ownIds.jsonWebKeySet(), ownAccess.jsonWebKeySet()]);
    const keySet = createLocalJWKSet({ keys: sets.flatMap(({ keys }) => keys) });
    for (const token of last) await jwtVerify(token, keySet, { currentDate: new Date(clock.now()) });

    clock.advance(400 * 24 * 3600_000);
    const run = () => cleanup({ database, clock: clock.now, targets: SIGNING_KEYS_CLEANUPS });
    expect(await run()).toBe(0);
    const afterStart = createIdTokens({
      idKeys: await openKeys('ID', 'RS256', database),
      accessKeys: await openKeys('ACCESS', 'ES256', database),
      issuer: ISSUER,
    });
    for (const token of last) expect(await afterStart.readHint(token)).toEqual(CLAIMS);
    clock.advance(400_000);
    expect(await run()).toBe(2);
    await drop();
  });

  it('to another algorithm of access tokens, tokens of ES256 become ones of RS256', async () => {
    const { drop, database } = await createTestDatabase('sqlite');
    const ownIds = await openKeys('ID', 'RS256', database);
    const before = await openKeys('ACCESS', 'ES256', database);
    const tokens = createIdTokens({ idKeys: ownIds, accessKeys: before, issuer: ISSUER });
    await openKeys('ACCESS', 'EdDSA', database);
    const algorithm = async () => decodeProtectedHeader(await tokens.sign(claims(), 'ES256')).alg;
    expect(await algorithm()).toBe('ES256');
    clock.advance(ACTIVATION_DELAY_MS + 900_000);
    expect(await algorithm()).toBe('RS256');
    await drop();
  });
});
