// The statements of the account lock on both engines: the changes of each, and cases without a change.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { UNLIMITED, type Deadline } from '../../src/platform/clock.ts';
import { idToBytes } from '../../src/platform/db/ids.ts';
import type { Database } from '../../src/platform/db/types.ts';
import {
  createAccountLock,
  MAX_SLOTS,
  newAttemptSlot,
  SLOT_LIFETIME_MS,
  unlock,
  type AccountLock,
} from '../../src/auth/identity/authentication/account-lock.ts';
import type { Account } from '../../src/auth/access/account.ts';
import { seedAccount } from '../support/accounts.ts';
import { testClock, type TestClock } from '../support/clock.ts';
import { createTestDatabase, ENGINES, type TestDatabase } from '../support/databases.ts';

const POLICY = { maxFailures: 3, durationMs: 600_000 };
const PASSED: Deadline = { at: 1, signal: new AbortController().signal };
const NOT_SETTLED = { name: 'DependencyUnavailableError', message: 'the login attempt could not be recorded in time' };

describe.each(ENGINES)('%s', (engine) => {
  let own: TestDatabase;
  let database: Database;
  let clock: TestClock;
  let lock: AccountLock;

  beforeAll(async () => {
    own = await createTestDatabase(engine);
    ({ database } = own);
    clock = testClock();
    lock = createAccountLock({ database, policy: POLICY, clock: clock.now, uniform: false });
  });
  afterAll(() => own?.drop());

  const stateOf = async ({ id }: Account) => {
    const [row] = await database.query(
      'SELECT login_failed_count AS failed, locked_until AS until, attempt_slots AS slots FROM accounts WHERE id = ?',
      [idToBytes(id)],
    );
    return row;
  };
  const change = (account: Account, sql: string, values: readonly (string | number)[] = []) =>
    database.execute(`UPDATE accounts SET ${sql} WHERE id = ?`, [...values, idToBytes(account.id)]);
  const claim = async (account: Account) => {
    const slot = newAttemptSlot(clock.now());
    return { slot, outcome: await lock.claim({ account }, slot, UNLIMITED) };
  };
  const open = async (account: Account): Promise<string> => {
    const { slot, outcome } = await claim(account);
    expect(outcome).toEqual({ kind: 'claimed' });
    return slot;
  };
  const recordFailure = (account: Account, slot?: string, deadline = UNLIMITED) =>
    database.transaction(UNLIMITED, (tx) => lock.recordFailure(tx, { account }, slot, deadline));
  const recordSuccess = (account: Account, slot: string, deadline = UNLIMITED) =>
    database.transaction(UNLIMITED, (tx) => lock.recordSuccess(tx, account, slot, deadline));
  const recordUnused = (account: Account, slot: string, deadline = UNLIMITED) =>
    database.transaction(UNLIMITED, (tx) => lock.recordUnused(tx, account, slot, deadline));

  describe('claim', () => {
    it('opens as many slots as failures remain, and then reports busy', async () => {
      const account = await seedAccount(database, { loginFailedCount: 1 });
      const slots = [await open(account), await open(account)];
      expect((await claim(account)).outcome).toEqual({ kind: 'busy' });
      expect(await stateOf(account)).toEqual({ failed: 1, until: null, slots: slots.join('') });
    });

    it('returns the end of the lock', async () => {
      const until = clock.now() + 1;
      const account = await seedAccount(database, { loginFailedCount: 3, lockedUntil: until });
      expect((await claim(account)).outcome).toEqual({ kind: 'locked', until });
      expect(await stateOf(account)).toEqual({ failed: 3, until, slots: '' });
    });

    it('ends an expired lock, and counts from 0', async () => {
      const account = await seedAccount(database, { loginFailedCount: 3, lockedUntil: clock.now() });
      const slots = [await open(account), await open(account), await open(account)];
      expect(await stateOf(account)).toEqual({ failed: 0, until: null, slots: slots.join('') });
      expect((await claim(account)).outcome).toEqual({ kind: 'busy' });
    });

    it('ends the slots of killed processes, so that the next attempt gets one', async () => {
      const account = await seedAccount(database);
      const dead = newAttemptSlot(clock.now() - SLOT_LIFETIME_MS);
      const alive = newAttemptSlot(clock.now() - SLOT_LIFETIME_MS + 1);
      await change(account, 'attempt_slots = ?', [`${dead}${alive}${dead.replace(/^./, '0')}`]);
      expect((await claim(account)).outcome).toEqual({ kind: 'busy' });
      expect((await stateOf(account))!['slots']).toBe(alive);
      await open(account);
    });

    it('reports busy if the column is full, with any limit of failures', async () => {
      const generous = createAccountLock({
        database,
        policy: { ...POLICY, maxFailures: 1_000 },
        clock: clock.now,
        uniform: false,
      });
      const account = await seedAccount(database);
      const slots = Array.from({ length: MAX_SLOTS - 1 }, () => newAttemptSlot(clock.now()));
      await change(account, 'attempt_slots = ?', [slots.join('')]);
      const attempt = () => generous.claim({ account }, newAttemptSlot(clock.now()), UNLIMITED);
      expect(await attempt()).toEqual({ kind: 'claimed' });
      expect(await attempt()).toEqual({ kind: 'busy' });
    });

    it('opens no slot after the deadline', async () => {
      const account = await seedAccount(database);
      expect(await lock.claim({ account }, newAttemptSlot(clock.now()), PASSED)).toEqual({ kind: 'busy' });
      expect(await stateOf(account)).toEqual({ failed: 0, until: null, slots: '' });
    });

    it('does not report a lock that has ended, even if it could not be removed', async () => {
      const account = await seedAccount(database, { loginFailedCount: 3, lockedUntil: clock.now() });
      expect(await lock.claim({ account }, newAttemptSlot(clock.now()), PASSED)).toEqual({ kind: 'busy' });
    });

    it('rejects if the account was deleted, and changes no account of the same id in another tenant', async () => {
      const account = await seedAccount(database);
      const elsewhere = { ...account, tenantId: 'globex' };
      await expect(claim(elsewhere)).rejects.toMatchObject({
        name: 'DependencyUnavailableError',
        message: 'the account was deleted meanwhile',
      });
      expect(await stateOf(account)).toEqual({ failed: 0, until: null, slots: '' });
    });

    it('does not change other accounts', async () => {
      const [first, second] = [await seedAccount(database), await seedAccount(database)];
      await open(first);
      expect(await stateOf(second)).toEqual({ failed: 0, until: null, slots: '' });
    });
  });

  describe('recordFailure', () => {
    it('counts a failure once and ends the slot', async () => {
      const account = await seedAccount(database);
      const [slot, other] = [await open(account), await open(account)];
      expect(await recordFailure(account, slot)).toEqual({ counted: true, lockedUntil: undefined });
      expect(await stateOf(account)).toEqual({ failed: 1, until: null, slots: other });
      expect(await recordFailure(account, slot)).toEqual({ counted: false, lockedUntil: undefined });
      expect(await stateOf(account)).toEqual({ failed: 1, until: null, slots: other });
    });

    it('locks the account at the last allowed failure', async () => {
      const account = await seedAccount(database, { loginFailedCount: 1 });
      const [second, third] = [await open(account), await open(account)];
      expect((await recordFailure(account, second)).lockedUntil).toBeUndefined();
      const until = clock.now() + POLICY.durationMs;
      expect(await recordFailure(account, third)).toEqual({ counted: true, lockedUntil: until });
      expect(await stateOf(account)).toEqual({ failed: 3, until, slots: '' });
    });

    it('counts nothing without a slot', async () => {
      const account = await seedAccount(database);
      const slot = await open(account);
      expect(await recordFailure(account)).toEqual({ counted: false, lockedUntil: undefined });
      expect(await stateOf(account)).toEqual({ failed: 0, until: null, slots: slot });
    });

    it('rejects after the deadline while the slot is open, and changes nothing', async () => {
      const account = await seedAccount(database);
      const slot = await open(account);
      await expect(recordFailure(account, slot, PASSED)).rejects.toMatchObject(NOT_SETTLED);
      expect(await stateOf(account)).toEqual({ failed: 0, until: null, slots: slot });
    });

    it('counts nothing for a deleted account', async () => {
      const account = await seedAccount(database);
      const slot = await open(account);
      await database.execute('DELETE FROM accounts WHERE id = ?', [idToBytes(account.id)]);
      expect(await recordFailure(account, slot)).toEqual({ counted: false, lockedUntil: undefined });
    });
  });

  describe('recordSuccess', () => {
    it('counts from 0 and ends its own slot only', async () => {
      const account = await seedAccount(database, { loginFailedCount: 1 });
      const [slot, other] = [await open(account), await open(account)];
      await recordSuccess(account, slot);
      expect(await stateOf(account)).toEqual({ failed: 0, until: null, slots: other });
    });

    it('accepts an account with an expired lock', async () => {
      const account = await seedAccount(database, { loginFailedCount: 1 });
      const slot = await open(account);
      await change(account, 'locked_until = ?', [clock.now()]);
      await recordSuccess(account, slot);
      expect((await stateOf(account))!['failed']).toBe(0);
    });

    it.each<[what: string, sql: string, values: () => (string | number)[]]>([
      ['is locked', 'locked_until = ?', () => [clock.now() + 1]],
      ['is disabled', 'disabled = 1', () => []],
      ['is to be disabled by now', 'disable_at = ?', () => [clock.now()]],
      ['has another password', 'password_version = 1', () => []],
      ['has other roles', "roles = 'MANAGER,SALES'", () => []],
    ])('rejects if the account %s meanwhile, and changes nothing', async (_what, sql, values) => {
      const account = await seedAccount(database, { loginFailedCount: 1 });
      const slot = await open(account);
      await change(account, sql, values());
      await expect(recordSuccess(account, slot)).rejects.toMatchObject(NOT_SETTLED);
      expect(await stateOf(account)).toMatchObject({ failed: 1, slots: slot });
    });

    it('compares all roles in their order', async () => {
      const account = await seedAccount(database, { roles: ['SALES', 'FLORIST'] });
      const slot = await open(account);
      await expect(recordSuccess({ ...account, roles: ['FLORIST', 'SALES'] }, slot)).rejects.toMatchObject(NOT_SETTLED);
      await recordSuccess(account, slot);
      expect((await stateOf(account))!['slots']).toBe('');
    });

    it('rejects after the deadline', async () => {
      const account = await seedAccount(database);
      const slot = await open(account);
      await expect(recordSuccess(account, slot, PASSED)).rejects.toMatchObject(NOT_SETTLED);
      expect((await stateOf(account))!['slots']).toBe(slot);
    });
  });

  describe('recordUnused', () => {
    it('counts from 0 and ends the slot once', async () => {
      const account = await seedAccount(database, { loginFailedCount: 1 });
      const slot = await open(account);
      expect(await recordUnused(account, slot)).toBe(true);
      expect(await stateOf(account)).toEqual({ failed: 0, until: null, slots: '' });
      expect(await recordUnused(account, slot)).toBe(false);
    });

    it('keeps the count if the password was changed meanwhile', async () => {
      const account = await seedAccount(database, { loginFailedCount: 2 });
      const slot = await open(account);
      expect(await recordUnused({ ...account, passwordVersion: 1 }, slot)).toBe(true);
      expect(await stateOf(account)).toEqual({ failed: 2, until: null, slots: '' });
    });

    it('rejects after the deadline while the slot is open', async () => {
      const account = await seedAccount(database, { loginFailedCount: 2 });
      const slot = await open(account);
      await expect(recordUnused(account, slot, PASSED)).rejects.toMatchObject(NOT_SETTLED);
      expect(await stateOf(account)).toEqual({ failed: 2, until: null, slots: slot });
    });

    it('returns false for an account that was deleted', async () => {
      const account = await seedAccount(database);
      expect(await recordUnused({ ...account, tenantId: 'globex' }, await open(account))).toBe(false);
    });
  });

  describe('release', () => {
    it('ends the slot and counts nothing', async () => {
      const account = await seedAccount(database, { loginFailedCount: 1 });
      const [slot, other] = [await open(account), await open(account)];
      await lock.release({ account }, slot);
      expect(await stateOf(account)).toEqual({ failed: 1, until: null, slots: other });
    });
  });

  describe('unlock', () => {
    it.each([
      ['failures', 'login_failed_count = 1'],
      ['a lock', 'locked_until = 1'],
      ['open slots', "attempt_slots = 'x'"],
    ])('ends %s, and returns whether it changed anything', async (_what, sql) => {
      const account = await seedAccount(database);
      const neighbour = await seedAccount(database, { loginFailedCount: 1 });
      await change(account, sql);
      expect(await unlock(database, account)).toBe(true);
      expect(await stateOf(account)).toEqual({ failed: 0, until: null, slots: '' });
      expect(await unlock(database, account)).toBe(false);
      expect(await unlock(database, { ...neighbour, tenantId: 'globex' })).toBe(false);
      expect((await stateOf(neighbour))!['failed']).toBe(1);
    });
  });
});
