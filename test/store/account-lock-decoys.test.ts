// Decoy rows of the account lock on both engines: unknown usernames are locked like accounts.
import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { UNLIMITED, type Deadline } from '../../src/platform/clock.ts';
import { idToBytes } from '../../src/platform/db/ids.ts';
import type { Database, Statements } from '../../src/platform/db/types.ts';
import { cleanup } from '../../src/platform/jobs/cleanup.ts';
import {
  createAccountLock,
  LOGIN_DECOYS_CLEANUP,
  newAttemptSlot,
  type AccountLock,
} from '../../src/auth/identity/authentication/account-lock.ts';
import type { Account } from '../../src/auth/access/account.ts';
import { seedAccount } from '../support/accounts.ts';
import { testClock, type TestClock } from '../support/clock.ts';
import { createTestDatabase, ENGINES, type TestDatabase } from '../support/databases.ts';

const POLICY = { maxFailures: 3, durationMs: 600_000 };
const DAY_MS = 24 * 3600_000;
const PASSED: Deadline = { at: 1, signal: new AbortController().signal };

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

  const claim = async (account: Account) => {
    const slot = newAttemptSlot(clock.now());
    return { slot, outcome: await lock.claim({ account }, slot, UNLIMITED) };
  };
  const open = async (account: Account): Promise<string> => {
    const { slot, outcome } = await claim(account);
    expect(outcome).toEqual({ kind: 'claimed' });
    return slot;
  };

  describe('an unknown username', () => {
    const decoyOf = async (username: string) => {
      const [row] = await database.query(
        `SELECT login_failed_count AS failed, locked_until AS until, attempt_slots AS slots, expires_at AS expires
           FROM login_decoys WHERE username_hash = ?`,
        [createHash('sha256').update(username).digest()],
      );
      return row;
    };
    const withDecoys = () => createAccountLock({ database, policy: POLICY, clock: clock.now, uniform: true });
    /** Each write extends the lifetime, by 1 ms if the clock has not advanced. */
    const expectExpiry = (expires: unknown) => {
      const least = clock.now() + POLICY.durationMs + DAY_MS;
      expect(expires).toBeGreaterThanOrEqual(least);
      expect(expires).toBeLessThan(least + 10);
    };

    it('has a decoy row until the cleanup after its end', async () => {
      const [username, later] = ['cleaned@acme.test', 'later@acme.test'];
      const claimed = (decoy: string) => withDecoys().claim({ decoy }, newAttemptSlot(clock.now()), UNLIMITED);
      const clean = () => cleanup({ database, clock: clock.now, targets: [LOGIN_DECOYS_CLEANUP], pauseMs: 0 });
      await claimed(username);
      clock.advance(POLICY.durationMs + DAY_MS - 1);
      await clean();
      expect(await decoyOf(username)).toBeDefined();
      clock.advance(10);
      await claimed(later);
      await clean();
      expect(await decoyOf(username)).toBeUndefined();
      expect(await decoyOf(later)).toBeDefined();
    });

    it('is locked like an account, and its decoy row is kept for a day after the end of the lock', async () => {
      clock.advance(DAY_MS);
      const decoys = withDecoys();
      const subject = { decoy: 'unknown@acme.test' };
      for (let failed = 1; failed <= 3; failed += 1) {
        const slot = newAttemptSlot(clock.now());
        expect(await decoys.claim(subject, slot, UNLIMITED)).toEqual({ kind: 'claimed' });
        const settled = await database.transaction(UNLIMITED, (tx) =>
          decoys.recordFailure(tx, subject, slot, UNLIMITED),
        );
        expect(settled.counted).toBe(true);
        const decoy = await decoyOf(subject.decoy);
        expect(decoy).toMatchObject({ failed, slots: '' });
        expectExpiry(decoy!['expires']);
      }
      const until = clock.now() + POLICY.durationMs;
      clock.advance(1);
      expect(await decoys.claim(subject, newAttemptSlot(clock.now()), UNLIMITED)).toEqual({ kind: 'locked', until });
      expectExpiry((await decoyOf(subject.decoy))!['expires']);
      clock.advance(POLICY.durationMs);
      const slot = newAttemptSlot(clock.now());
      expect(await decoys.claim(subject, slot, UNLIMITED)).toEqual({ kind: 'claimed' });
      const decoy = await decoyOf(subject.decoy);
      expect(decoy).toMatchObject({ failed: 0, until: null, slots: slot });
      expectExpiry(decoy!['expires']);
      await decoys.release(subject, slot);
      expect((await decoyOf(subject.decoy))!['slots']).toBe('');
    });

    it('has its own decoy row', async () => {
      const decoys = withDecoys();
      const before = await countDecoys(database);
      for (const decoy of ['first@acme.test', 'second@acme.test', 'first@acme.test'])
        expect(await decoys.claim({ decoy }, newAttemptSlot(clock.now()), UNLIMITED)).toEqual({ kind: 'claimed' });
      expect(await countDecoys(database)).toBe(before + 2);
    });

    it('gets no decoy row after the deadline', async () => {
      const before = await countDecoys(database);
      const attempt = withDecoys().claim({ decoy: 'late@acme.test' }, newAttemptSlot(clock.now()), PASSED);
      await expect(attempt).rejects.toThrow('the deadline of the call has passed');
      expect(await countDecoys(database)).toBe(before);
    });

    it('an account gets a matching decoy row only if refusals are uniform', async () => {
      const account = await seedAccount(database);
      const before = await countDecoys(database);
      await open(account);
      expect(await countDecoys(database)).toBe(before);
      await database.transaction(UNLIMITED, (tx) => lock.recordFailure(tx, { account }, undefined, UNLIMITED));
      expect(await countDecoys(database)).toBe(before);
      const slot = newAttemptSlot(clock.now());
      expect(await withDecoys().claim({ account }, slot, UNLIMITED)).toEqual({ kind: 'claimed' });
      expect(await countDecoys(database)).toBe(before + 1);
    });

    it('opens no slot if the decoy row cannot be written', async () => {
      const account = await seedAccount(database);
      const failure = new Error('out of order');
      const failing: Database = {
        ...database,
        transaction: (deadline, work) =>
          database.transaction(deadline, (tx) =>
            work({
              ...tx,
              execute: (...call) => (call[0].startsWith('INSERT') ? Promise.reject(failure) : tx.execute(...call)),
            }),
          ),
      };
      const broken = createAccountLock({ database: failing, policy: POLICY, clock: clock.now, uniform: true });
      await expect(broken.claim({ account }, newAttemptSlot(clock.now()), UNLIMITED)).rejects.toBe(failure);
      const [row] = await database.query('SELECT attempt_slots AS slots FROM accounts WHERE id = ?', [
        idToBytes(account.id),
      ]);
      expect(row).toEqual({ slots: '' });
    });

    it('each attempt writes to the decoy row if refusals are uniform, also to a locked account', async () => {
      const account = await seedAccount(database, { loginFailedCount: 3, lockedUntil: clock.now() + 60_000 });
      const attempt = async () => {
        const claimed = await withDecoys().claim({ account }, newAttemptSlot(clock.now()), UNLIMITED);
        expect(claimed).toMatchObject({ kind: 'locked' });
        const claimedAt = (await decoyOf(account.username))!['expires'];
        await database.transaction(UNLIMITED, (tx) =>
          withDecoys().recordFailure(tx, { account }, undefined, UNLIMITED),
        );
        return [claimedAt, (await decoyOf(account.username))!['expires']];
      };
      const expiries = [...(await attempt()), ...(await attempt())] as number[];
      expect(expiries).toEqual([0, 1, 2, 3].map((writes) => expiries[0]! + writes));
    });

    it('a claim queries the state only if refusals are uniform', async () => {
      for (const uniform of [false, true]) {
        let queries = 0;
        const counting = (statements: Statements): Statements => ({
          execute: (...call) => statements.execute(...call),
          query: (...call) => ((queries += 1), statements.query(...call)),
        });
        const spied: Database = {
          ...database,
          ...counting(database),
          transaction: (deadline, work) => database.transaction(deadline, (tx) => work(counting(tx))),
        };
        const counted = createAccountLock({ database: spied, policy: POLICY, clock: clock.now, uniform });
        await counted.claim({ account: await seedAccount(database) }, newAttemptSlot(clock.now()), UNLIMITED);
        expect(queries).toBe(uniform ? 1 : 0);
      }
    });
  });
});

async function countDecoys(database: Database): Promise<number> {
  const [row] = await database.query<{ count: number }>('SELECT COUNT(*) AS count FROM login_decoys');
  return row!.count;
}
