// Decoy rows of the account lock on both engines: unknown usernames are locked like accounts.
import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { UNLIMITED, type Deadline } from '../../src/clock.ts';
import { DatabaseError } from '../../src/db/errors.ts';
import type { Database } from '../../src/db/types.ts';
import { createAccountLock, type AccountLock } from '../../src/identity/authentication/account-lock.ts';
import { newAttemptSlot } from '../../src/identity/authentication/attempt-slot.ts';
import type { Account } from '../../src/principal/account.ts';
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
    const withDecoys = (uniform: boolean) => createAccountLock({ database, policy: POLICY, clock: clock.now, uniform });

    it('is locked like an account, and its decoy row is kept for a day after the end of the lock', async () => {
      clock.advance(DAY_MS);
      const decoys = withDecoys(true);
      const subject = { decoy: 'unknown@acme.test' };
      for (let failed = 1; failed <= 3; failed += 1) {
        const slot = newAttemptSlot(clock.now());
        expect(await decoys.claim(subject, slot, UNLIMITED)).toEqual({ kind: 'claimed' });
        const settled = await database.transaction(UNLIMITED, (tx) =>
          decoys.recordFailure(tx, subject, slot, UNLIMITED),
        );
        expect(settled.counted).toBe(true);
        expect(await decoyOf(subject.decoy)).toMatchObject({
          failed,
          slots: '',
          expires: clock.now() + POLICY.durationMs + DAY_MS,
        });
      }
      const until = clock.now() + POLICY.durationMs;
      clock.advance(1);
      expect(await decoys.claim(subject, newAttemptSlot(clock.now()), UNLIMITED)).toEqual({ kind: 'locked', until });
      // A refused attempt does not prolong it, an evaluated one does.
      expect((await decoyOf(subject.decoy))!['expires']).toBe(until + DAY_MS);
      clock.advance(POLICY.durationMs);
      const slot = newAttemptSlot(clock.now());
      expect(await decoys.claim(subject, slot, UNLIMITED)).toEqual({ kind: 'claimed' });
      expect(await decoyOf(subject.decoy)).toEqual({
        failed: 0,
        until: null,
        slots: slot,
        expires: clock.now() + POLICY.durationMs + DAY_MS,
      });
      await decoys.release(subject, slot);
      expect((await decoyOf(subject.decoy))!['slots']).toBe('');
    });

    it('has its own decoy row', async () => {
      const decoys = withDecoys(false);
      const before = await countDecoys(database);
      for (const decoy of ['first@acme.test', 'second@acme.test', 'first@acme.test'])
        expect(await decoys.claim({ decoy }, newAttemptSlot(clock.now()), UNLIMITED)).toEqual({ kind: 'claimed' });
      expect(await countDecoys(database)).toBe(before + 2);
    });

    it('gets no decoy row after the deadline', async () => {
      const before = await countDecoys(database);
      const attempt = withDecoys(false).claim({ decoy: 'late@acme.test' }, newAttemptSlot(clock.now()), PASSED);
      await expect(attempt).rejects.toThrow('the account was deleted meanwhile');
      expect(await countDecoys(database)).toBe(before);
    });

    it('an account gets a matching decoy row only if refusals are uniform', async () => {
      const account = await seedAccount(database);
      const before = await countDecoys(database);
      await open(account);
      expect(await countDecoys(database)).toBe(before);
      const slot = newAttemptSlot(clock.now());
      expect(await withDecoys(true).claim({ account }, slot, UNLIMITED)).toEqual({ kind: 'claimed' });
      expect(await countDecoys(database)).toBe(before + 1);
    });

    it.each([new Error('out of order'), new DatabaseError('other', 'OUT_OF_ORDER')])(
      'throws a database error other than an existing decoy row: %s',
      async (failure) => {
        const execute: Database['execute'] = (sql, values) =>
          sql.startsWith('INSERT') ? Promise.reject(failure) : database.execute(sql, values);
        const failing = Object.create(database, { execute: { value: execute } }) as Database;
        const broken = createAccountLock({ database: failing, policy: POLICY, clock: clock.now, uniform: true });
        await expect(broken.claim({ decoy: 'x' }, newAttemptSlot(clock.now()), UNLIMITED)).rejects.toBe(failure);
      },
    );

    it('needs a query of the state after each claim only if refusals are uniform', async () => {
      for (const uniform of [false, true]) {
        let queries = 0;
        const query: Database['query'] = (sql, values) => {
          queries += 1;
          return database.query(sql, values);
        };
        const counting = Object.create(database, { query: { value: query } }) as Database;
        const counted = createAccountLock({ database: counting, policy: POLICY, clock: clock.now, uniform });
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
