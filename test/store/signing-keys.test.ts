// Signing keys in the database: the first key, created by one process or several, and keys of earlier releases.
import { pino } from 'pino';
import { describe, expect, it } from 'vitest';
import { up as createKeys } from '../../migrations/0006_signing_keys.ts';
import { up as createChain } from '../../migrations/0015_signing_key_chain.ts';
import { connectDatabase } from '../../src/platform/db/connect.ts';
import type { Database } from '../../src/platform/db/types.ts';
import { createKeyEncryption } from '../../src/auth/keys/key-encryption.ts';
import { findSigningKeys, type KeyChain } from '../../src/auth/keys/key-store.ts';
import { createSigningKey } from '../../src/auth/keys/new-signing-key.ts';
import { createSigningKeys } from '../../src/auth/keys/signing-keys.ts';
import { testClock } from '../support/clock.ts';
import { createEmptyDatabase, createTestDatabase, ENGINES } from '../support/databases.ts';

const log = pino({ level: 'silent' });
const encryption = createKeyEncryption(Buffer.alloc(32, 7));
const clock = testClock();
const DAY_MS = 24 * 3600_000;
const AT_ONCE = [1, 2, 3, 4];

const open = (database: Database, algorithm: string, chain: KeyChain = 'ACCESS') =>
  createSigningKeys({ database, chain, encryption, algorithm, longestTokenMs: 900_000, clock: clock.now, log });

describe.each(ENGINES)('on %s', (engine) => {
  it.each<[chain: KeyChain, first: string, next: string]>([
    ['ACCESS', 'ES256', 'EdDSA'],
    ['ID', 'RS256', 'ES256'],
  ])('parallel starts create one first key of %s, and one of another algorithm', async (chain, first, next) => {
    const { database, drop } = await createTestDatabase(engine);
    for (const [count, algorithm] of [
      [1, first],
      [2, next],
    ] as const) {
      const opened = await Promise.all(AT_ONCE.map(() => open(database, algorithm, chain)));
      const sets = await Promise.all(opened.map((keys) => keys.jsonWebKeySet()));
      expect(sets[0]!.keys).toHaveLength(count);
      for (const set of sets) expect(set).toEqual(sets[0]);
      const signers = await Promise.all(opened.map((keys) => keys.signer()));
      expect(new Set(signers.map(({ kid }) => kid)).size).toBe(1);
      expect(signers[0]!.algorithm).toBe(first);
    }
    await drop();
  });

  it('the chains share no row, so that an earlier release reads the keys of access tokens alone', async () => {
    const { database, drop } = await createTestDatabase(engine);
    const access = await open(database, 'ES256');
    const { kid } = await access.signer();
    const ids = await open(database, 'RS256', 'ID');
    const { kid: idKid } = await ids.signer();
    const inTable = async (table: string) =>
      (await database.query<{ kid: Uint8Array }>(`SELECT kid FROM ${table}`)).map((row) =>
        String(Buffer.from(row.kid)),
      );
    expect([await inTable('signing_keys'), await inTable('id_signing_keys')]).toEqual([[kid], [idKid]]);
    expect([await access.find(idKid), await ids.find(kid)]).toEqual([undefined, undefined]);
    // A row that is moved to the other table is of no use: its encryption names its chain.
    await database.execute(
      `INSERT INTO id_signing_keys (kid, algorithm, public_jwk, private_key, sequence, signs_from, created_at, updated_at)
         SELECT kid, algorithm, public_jwk, private_key, 9, signs_from, created_at, updated_at FROM signing_keys`,
    );
    expect((await (await open(database, 'RS256', 'ID')).signer()).kid).not.toBe(kid);
    await drop();
  });

  it('keys of an earlier release are sorted with the active one last', async () => {
    const { url, remove } = await createEmptyDatabase(engine);
    const database = connectDatabase({ url, poolSize: 2, log });
    await createKeys(database);
    const { kid: retired } = await insertEarlier(database, 'EdDSA', 2_000, false);
    const { kid: active } = await insertEarlier(database, 'ES256', 1_000, true);
    // Killed at any point, a migration runs again.
    const before = testClock().now();
    await createChain(database);
    await createChain(database);
    const after = testClock().now();
    expect(await findSigningKeys(database, 'ACCESS')).toMatchObject([
      {
        kid: retired,
        sequence: 1,
        signsFrom: 2_000,
        verifiesUntil: expect.toSatisfy((at) => at >= before + DAY_MS && at <= after + DAY_MS),
      },
      { kid: active, sequence: 2, signsFrom: 1_000, verifiesUntil: undefined },
    ]);
    // An earlier release that still runs makes one without a place.
    const { kid: late } = await insertEarlier(database, 'RS256', 3_000, false);
    const keys = await open(database, 'ES256');
    expect((await keys.signer()).kid).toBe(active);
    for (const kid of [retired, active, late]) expect(await keys.find(kid)).toBeDefined();
    await database.close();
    await remove();
  });
});

/** As releases without a chain stored them. */
async function insertEarlier(database: Database, algorithm: string, createdAt: number, active: boolean) {
  const { kid, publicJwk, encryptedPrivateKey } = await createSigningKey(encryption, 'ACCESS', algorithm);
  await database.execute(
    `INSERT INTO signing_keys (kid, algorithm, public_jwk, private_key, state, active_slot, created_at, updated_at)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
    [
      Buffer.from(kid),
      algorithm,
      publicJwk,
      encryptedPrivateKey,
      active ? 'ACTIVE' : 'RETIRED',
      active ? 1 : null,
      createdAt,
      createdAt,
    ],
  );
  return { kid };
}
