// The cache of signing keys in a process, also while the database fails.
import { pino } from 'pino';
import { describe, expect, it } from 'vitest';
import type { AuditLog } from '../../src/auth/audit/trail/audit-log.ts';
import { UNLIMITED } from '../../src/platform/clock.ts';
import type { Database } from '../../src/platform/db/types.ts';
import type { Call } from '../../src/auth/access/principal.ts';
import { createRotateSigningKey } from '../../src/auth/keys/service.ts';
import { SigningKeyChain } from '../../proto/gen/authservice/key/v1/key_service.ts';
import { createAccessTokens } from '../../src/auth/token/access-token.ts';
import { ACTIVATION_DELAY_MS } from '../../src/auth/keys/rotation-schedule.ts';
import { createKeyEncryption } from '../../src/auth/keys/key-encryption.ts';
import { createSigningKeys } from '../../src/auth/keys/signing-keys.ts';
import { testClock } from '../support/clock.ts';
import { createTestDatabase } from '../support/databases.ts';

type Query = Database['query'];

/** Keys on a database whose reads the test may replace. */
async function open() {
  const { database: real, drop } = await createTestDatabase('sqlite');
  const clock = testClock();
  const lines: string[] = [];
  let query: Query | undefined;
  let queries = 0;
  const database: Database = Object.create(real, {
    query: {
      value: (...args: Parameters<Query>) => {
        queries += 1;
        return (query ?? real.query.bind(real))(...args);
      },
    },
  });
  const openUnder = (keyEncryptionKey: Buffer, algorithm = 'ES256') =>
    createSigningKeys({
      database,
      chain: 'ACCESS',
      encryption: createKeyEncryption(keyEncryptionKey),
      algorithm,
      longestTokenMs: 900_000,
      clock: clock.now,
      log: pino({ level: 'warn' }, { write: (line) => void lines.push(line) }),
    });
  return {
    keys: await openUnder(Buffer.alloc(32, 7)),
    openUnder,
    clock,
    lines,
    drop,
    database: real,
    queries: () => queries,
    fail: (failing: Query | undefined) => void (query = failing),
  };
}

describe('cached signing keys', () => {
  it('are used for a minute without a query, then one query serves all callers', async () => {
    const { keys, clock, queries, drop } = await open();
    const before = queries();
    clock.advance(60_000);
    await Promise.all([keys.signer(), keys.jsonWebKeySet()]);
    expect(queries()).toBe(before);
    clock.advance(1);
    await Promise.all([keys.signer(), keys.signer(), keys.jsonWebKeySet()]);
    expect(queries()).toBe(before + 1);
    await drop();
  });

  it('stay in use while the database fails, which is logged, and are then reloaded', async () => {
    const { keys, clock, lines, database, fail, drop } = await open();
    const { kid } = await keys.signer();
    const rotate = await keys.prepareRotation();
    const { kid: next } = await database.transaction(UNLIMITED, rotate);
    fail(() => Promise.reject(new Error('out of order')));
    clock.advance(60_001);
    expect((await keys.signer()).kid).toBe(kid);
    expect(await keys.find(kid)).toBeDefined();
    expect((await keys.jsonWebKeySet()).keys).toHaveLength(1);
    expect(lines).toEqual([expect.stringContaining('could not be read')]);
    // Nobody may be told that a token is bad which nobody could check.
    await expect(keys.find(next)).rejects.toThrow('out of order');
    fail(undefined);
    clock.advance(ACTIVATION_DELAY_MS);
    expect((await keys.signer()).kid).toBe(next);
    await drop();
  });

  it('do not wait for a database that does not respond', async () => {
    const { keys, clock, fail, drop } = await open();
    const response = Promise.withResolvers<never>();
    fail(() => response.promise);
    clock.advance(60_001);
    expect((await keys.jsonWebKeySet()).keys).toHaveLength(1);
    response.reject(new Error('at last'));
    await drop();
  });

  it('are reloaded after a rotation, which does not wait for it', async () => {
    const { keys, database, fail, drop } = await open();
    const commit: AuditLog['commit'] = async (_call, work) => {
      const outcome = await database.transaction(UNLIMITED, (tx) =>
        work(
          tx,
          () => {},
          () => {},
        ),
      );
      fail(() => new Promise(() => {}));
      return outcome;
    };
    const rotate = createRotateSigningKey({ chains: { ACCESS: keys, ID: keys }, audit: { commit } });
    const { key } = await rotate({ chain: SigningKeyChain.SIGNING_KEY_CHAIN_ACCESS }, {
      principal: { account: { id: 'root' } },
    } as Call);
    fail(undefined);
    expect((await keys.jsonWebKeySet()).keys.map(({ kid }) => kid)).toContain(key!.kid);
    await drop();
  });

  it('sign by the previous key if the active one cannot be decrypted, as long as it verifies', async () => {
    const { keys, openUnder, clock, database, drop } = await open();
    const { kid } = await keys.signer();
    const others = await openUnder(Buffer.alloc(32, 8));
    const rotate = await others.prepareRotation();
    await database.transaction(UNLIMITED, rotate);
    clock.advance(ACTIVATION_DELAY_MS + 959_999);
    expect((await keys.signer()).kid).toBe(kid);
    clock.advance(1);
    await expect(keys.signer()).rejects.toThrow('no usable signing key');
    await drop();
  });

  it('of an algorithm sign as long as a token of the lifetime can be verified', async () => {
    const { keys, clock, database, drop } = await open();
    const { kid } = await keys.signer();
    const lifetimeMs = 600_000;
    expect((await keys.signerOf('ES256', lifetimeMs))?.kid).toBe(kid);
    expect(await keys.signerOf('RS256', lifetimeMs)).toBeUndefined();
    // Another algorithm is configured: the key of ES256 has a successor that is not of ES256.
    await createSigningKeys({
      database,
      chain: 'ACCESS',
      encryption: createKeyEncryption(Buffer.alloc(32, 7)),
      algorithm: 'EdDSA',
      longestTokenMs: 900_000,
      clock: clock.now,
      log: pino({ level: 'silent' }),
    });
    clock.advance(ACTIVATION_DELAY_MS);
    expect((await keys.signer()).algorithm).toBe('EdDSA');
    clock.advance(960_000 - lifetimeMs - 1);
    expect((await keys.signerOf('ES256', lifetimeMs))?.kid).toBe(kid);
    clock.advance(1);
    expect(await keys.signerOf('ES256', lifetimeMs)).toBeUndefined();
    await drop();
  });

  it('of an algorithm sign before their time, if no other key of it verifies', async () => {
    const { keys, openUnder, drop } = await open();
    expect(await keys.signerOf('EdDSA', 600_000)).toBeUndefined();
    const next = await openUnder(Buffer.alloc(32, 7), 'EdDSA');
    expect((await next.signer()).algorithm).toBe('ES256');
    expect((await next.signerOf('EdDSA', 600_000))?.algorithm).toBe('EdDSA');
    await drop();
  });

  it('are kept after they verify, and not listed', async () => {
    const { keys, clock, database, drop } = await open();
    const { kid } = await keys.signer();
    await database.transaction(UNLIMITED, await keys.prepareRotation());
    clock.advance(ACTIVATION_DELAY_MS + 959_999);
    expect([(await keys.find(kid))?.kid, (await keys.list()).length]).toEqual([kid, 2]);
    clock.advance(1);
    expect([await keys.find(kid), (await keys.list()).length]).toEqual([undefined, 1]);
    expect((await keys.findKept(kid))?.kid).toBe(kid);
    await drop();
  });

  it('do not accept cached tokens of a retired key', async () => {
    const { keys, clock, database, drop } = await open();
    const tokens = createAccessTokens({ keys, issuer: 'a', audience: 'a', clientId: 'a', clock: clock.now });
    const { token } = await tokens.sign({ accountId: 'x', tenantId: undefined, roles: [] }, 86_400_000);
    await tokens.verify(token);
    const rotate = await keys.prepareRotation();
    await database.transaction(UNLIMITED, rotate);
    keys.invalidate();
    await keys.signer();
    clock.advance(ACTIVATION_DELAY_MS + 959_999);
    expect(tokens.verified(token)).toMatchObject({ sub: 'x' });
    clock.advance(1);
    expect(tokens.verified(token)).toBeUndefined();
    await expect(tokens.verify(token)).rejects.toMatchObject({ reason: 'TOKEN_INVALID' });
    await drop();
  });
});
