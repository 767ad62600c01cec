// The stores of second factors: each use is one conditional statement.
import { randomBytes } from 'node:crypto';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newChallenge } from '../../src/auth/factors/challenge.ts';
import { createChallengeStore } from '../../src/auth/factors/challenge-store.ts';
import {
  claimTotpStep,
  countRecoveryCodes,
  findFactors,
  forgetWrongCodes,
  NO_PENDING_TOTP,
  replaceRecoveryCodes,
  storeFactorList,
  updateFactors,
  useRecoveryCode,
} from '../../src/auth/factors/factor-store.ts';
import {
  findPasskey,
  findPasskeys,
  insertPasskey,
  changeBackupFlags,
  recordPasskeyUse,
  usePasskeyChallenge,
} from '../../src/auth/factors/passkey-store.ts';
import { createAccountStore, createAccountWriter } from '../../src/auth/identity/account-store.ts';
import type { Account } from '../../src/auth/access/account.ts';
import { UNLIMITED } from '../../src/platform/clock.ts';
import { idToBytes, newId } from '../../src/platform/db/ids.ts';
import { migrate } from '../../src/platform/db/migrate.ts';
import type { Statements } from '../../src/platform/db/types.ts';
import { seedAccount } from '../support/accounts.ts';
import { testClock } from '../support/clock.ts';
import { createTestDatabase, ENGINES, type TestDatabase } from '../support/databases.ts';

const NOW = testClock().now();

describe.each(ENGINES)('factors on %s', (engine) => {
  let own: TestDatabase;
  beforeAll(async () => {
    own = await createTestDatabase(engine);
  });
  afterAll(() => own?.drop());

  const tx = <T>(work: (tx: Statements) => Promise<T>) => own.database.transaction(UNLIMITED, work);
  const accounts: [string, () => Promise<Account>][] = [
    ['of a tenant', () => seedAccount(own.database)],
    ['without a tenant', () => seedAccount(own.database, { tenantId: undefined, roles: ['SUPER_ADMIN'] })],
  ];

  it.each(accounts)('of an account %s use each TOTP step once, in ascending order', async (_what, seed) => {
    const account = await seed();
    expect(await claimTotpStep(own.database, account, 5, NOW)).toBe(false);
    expect(await findFactors(own.database, account)).toMatchObject({ totpSecret: undefined, failedTimes: [] });
    await updateFactors(own.database, account, { totpSecret: Buffer.from('encrypted'), totpCreatedAt: NOW });
    const claims = await Promise.all(
      Array.from({ length: 20 }, () => tx((one) => claimTotpStep(one, account, 5, NOW))),
    );
    expect(claims.filter(Boolean)).toEqual([true]);
    expect(await claimTotpStep(own.database, account, 4, NOW)).toBe(false);
    expect(await claimTotpStep(own.database, account, 6, NOW + 1)).toBe(true);
    expect(await findFactors(own.database, account)).toMatchObject({
      totpSecret: Buffer.from('encrypted'),
      totpLastStep: 6,
      totpLastUsedAt: NOW + 1,
    });
  });

  it.each(accounts)('of an account %s use each recovery code once', async (_what, seed) => {
    const [account, other] = [await seed(), await seedAccount(own.database)];
    const hashes = Array.from({ length: 3 }, () => randomBytes(32));
    await tx((one) => replaceRecoveryCodes(one, account, hashes, NOW));
    expect(await useRecoveryCode(own.database, other, hashes[0]!, NOW)).toBe(false);
    const uses = await Promise.all(
      Array.from({ length: 20 }, () => tx((one) => useRecoveryCode(one, account, hashes[0]!, NOW))),
    );
    expect(uses.filter(Boolean)).toEqual([true]);
    expect(await countRecoveryCodes(own.database, account)).toBe(2);
    await tx((one) => replaceRecoveryCodes(one, account, [randomBytes(32)], NOW + 1));
    expect(await useRecoveryCode(own.database, account, hashes[1]!, NOW)).toBe(false);
    expect(await countRecoveryCodes(own.database, account)).toBe(1);
    expect(await findFactors(own.database, account)).toMatchObject({ recoveryCreatedAt: NOW + 1 });
  });

  it('come with their account, and a change of them refuses logins that have read an older version', async () => {
    const account = await seedAccount(own.database);
    const store = createAccountStore(own.database);
    expect(account).toMatchObject({ factors: [], factorsVersion: 0 });
    await storeFactorList(own.database, account, ['recovery-code', 'totp']);
    expect((await store.find(account))!.account).toMatchObject({
      factors: ['totp', 'recovery-code'],
      factorsVersion: 1,
    });
    await storeFactorList(own.database, account, ['totp'], { isChange: false });
    expect((await store.find(account))!.account).toMatchObject({ factors: ['totp'], factorsVersion: 1 });
  });

  it('keep the wrong codes that an earlier version has counted, as given at the latest possible time', async () => {
    const old = await createTestDatabase(engine);
    const { database } = old;
    const account = async (count: number, firstAt: number | null, lockedUntil: number | null) => {
      const created = await seedAccount(database);
      await updateFactors(database, created, NO_PENDING_TOTP);
      await database.execute(
        'UPDATE account_factors SET failed_count = ?, first_failed_at = ?, locked_until = ? WHERE account_id = ?',
        [count, firstAt, lockedUntil, idToBytes(created.id)],
      );
      return created;
    };
    const accounts = [await account(0, null, null), await account(3, NOW, null), await account(5, NOW, NOW + 900_000)];
    await database.execute('ALTER TABLE account_factors DROP COLUMN failed_times');
    await database.execute("DELETE FROM knex_migrations WHERE name LIKE '%_code_failures.ts'");
    expect(await migrate(database, pino({ level: 'silent' }))).toBe(1);
    const rows = await Promise.all(accounts.map((one) => findFactors(database, one)));
    expect(rows.map(({ failedTimes, lockedUntil }) => [failedTimes, lockedUntil])).toEqual([
      [[], undefined],
      [[NOW + 899_999, NOW + 899_999, NOW + 899_999], undefined],
      [[], NOW + 900_000],
    ]);
    for (const one of accounts) await forgetWrongCodes(database, one);
    const forgotten = await Promise.all(accounts.map((one) => findFactors(database, one)));
    for (const row of forgotten) expect(row).toMatchObject({ failedTimes: [], lockedUntil: undefined });
    await old.drop();
  });

  it.each(accounts)('guard an account %s against other nodes without a change', async (_what, seed) => {
    const account = await seed();
    const row = () => own.database.query('SELECT * FROM accounts WHERE id = ?', [idToBytes(account.id)]);
    const before = await row();
    await tx((one) => createAccountWriter(own.database).guard(one, account));
    expect(await row()).toEqual(before);
  });

  it('are deleted with their account', async () => {
    const account = await seedAccount(own.database);
    await updateFactors(own.database, account, { failedTimes: [NOW] });
    await replaceRecoveryCodes(own.database, account, [randomBytes(32)], NOW);
    await insertPasskey(own.database, passkeyOf(account));
    await createAccountWriter(own.database).remove(own.database, account);
    expect(await findFactors(own.database, account)).toMatchObject({ failedTimes: [] });
    expect(await countRecoveryCodes(own.database, account)).toBe(0);
    expect(await findPasskeys(own.database, account)).toEqual([]);
  });

  it('that are passkeys belong to one account of all, and their counter never goes back', async () => {
    const [ann, bob] = [await seedAccount(own.database), await seedAccount(own.database, { tenantId: 'globex' })];
    const passkey = passkeyOf(ann);
    await insertPasskey(own.database, passkey);
    await expect(
      insertPasskey(own.database, { ...passkeyOf(bob), credentialId: passkey.credentialId }),
    ).rejects.toMatchObject({
      kind: 'duplicate',
    });
    expect(await findPasskey(own.database, passkey.credentialId)).toEqual(passkey);
    expect(await findPasskey(own.database, randomBytes(16))).toBeUndefined();
    const use = (counter: number) => recordPasskeyUse(own.database, passkey, { counter, now: NOW + counter });
    const uses = [];
    for (const counter of [0, 0, 3, 3, 2, 0, 4]) uses.push(await use(counter));
    expect(uses).toEqual([true, true, true, false, false, false, true]);
    expect(await findPasskeys(own.database, ann)).toEqual([{ ...passkey, counter: 4, lastUsedAt: NOW + 4 }]);
    expect(await findPasskeys(own.database, bob)).toEqual([]);
    const change = (backupEligible: boolean, backedUp: boolean) =>
      changeBackupFlags(own.database, passkey, { backupEligible, backedUp });
    const { backupEligible, backedUp } = passkey;
    const changes = [await change(backupEligible, backedUp), await change(false, true), await change(true, true)];
    expect([...changes, await change(true, true)]).toEqual([false, true, true, false]);
    expect(await findPasskeys(own.database, ann)).toMatchObject([{ backupEligible: true, backedUp: true }]);
  });

  it('use a passkey challenge once', async () => {
    const hash = randomBytes(32);
    const uses = await Promise.all(Array.from({ length: 10 }, () => tx((one) => usePasskeyChallenge(one, hash, NOW))));
    expect(uses.filter(Boolean)).toEqual([true]);
  });

  it('of a login have a challenge with five tries and one success', async () => {
    const account = await seedAccount(own.database);
    const store = createChallengeStore(own.database);
    const challenge = await insert(store, account);
    const tries = await Promise.all(
      Array.from({ length: 20 }, () => tx((one) => store.countTry(one, challenge, NOW, UNLIMITED))),
    );
    expect(tries.filter(Boolean)).toHaveLength(5);
    const uses = await Promise.all(Array.from({ length: 20 }, () => tx((one) => store.use(one, challenge, NOW))));
    expect(uses.filter(Boolean)).toEqual([true]);
    expect(await store.find(challenge.id)).toMatchObject({ tries: 5, usedAt: NOW, accountId: account.id });
    expect(await store.countTry(own.database, await insert(store, account), NOW + 300_000, UNLIMITED)).toBe(false);
  });

  it('of a login end with those of their account, and with those of their tenant', async () => {
    const [ann, bob] = [await seedAccount(own.database), await seedAccount(own.database)];
    const other = await seedAccount(own.database, { tenantId: 'globex' });
    const store = createChallengeStore(own.database);
    const ids: string[] = [];
    for (const account of [ann, bob, other]) ids.push((await insert(store, account)).id);
    const left = async () => (await Promise.all(ids.map((id) => store.find(id)))).map((found) => found !== undefined);
    await store.deleteOf(own.database, ann);
    expect(await left()).toEqual([false, true, true]);
    await store.deleteOfTenant(own.database, 'acme');
    expect(await left()).toEqual([false, false, true]);
  });

  async function insert(store: ReturnType<typeof createChallengeStore>, { id: accountId, tenantId }: Account) {
    const { text: _text, ...created } = newChallenge(NOW);
    const challenge = {
      ...created,
      tenantId,
      accountId,
      kind: 'factor',
      transport: 'COOKIE',
      rememberMe: true,
      factorsVersion: 0,
      tries: 0,
    } as const;
    await store.insert(own.database, challenge, UNLIMITED);
    return challenge;
  }

  function passkeyOf({ id: accountId, tenantId }: Account) {
    return {
      tenantId,
      accountId,
      id: newId(),
      credentialId: randomBytes(32),
      publicKey: randomBytes(77),
      counter: 0,
      rpId: 'auth.test',
      transports: ['internal', 'hybrid'],
      backupEligible: true,
      backedUp: false,
      createdAt: NOW,
      lastUsedAt: undefined,
      label: 'Phone',
    };
  }
});
