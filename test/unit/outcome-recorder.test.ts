// A write with a lost commit response runs again and has its effect once.
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createAuditLog, type AuditContext } from '../../src/auth/audit/trail/audit-log.ts';
import { NO_REFUSALS } from '../../src/composition/local-operator.ts';
import { idToBytes } from '../../src/platform/db/ids.ts';
import type { Database } from '../../src/platform/db/types.ts';
import { UNLIMITED } from '../../src/platform/clock.ts';
import { DependencyUnavailableError } from '../../src/platform/errors.ts';
import { createAccountLock } from '../../src/auth/identity/authentication/account-lock.ts';
import { createAccountStore } from '../../src/auth/identity/account-store.ts';
import { createAuthenticationManager } from '../../src/auth/identity/authentication/authentication-manager.ts';
import { createPasswordHasher } from '../../src/auth/identity/authentication/password-hasher.ts';
import { createOutcomeRecorder } from '../../src/auth/identity/authentication/outcome-recorder.ts';
import { PASSWORD, seedAccount } from '../support/accounts.ts';
import { createTestPolicies } from '../support/policies.ts';
import { testClock } from '../support/clock.ts';
import { createTestDatabase, type TestDatabase } from '../support/databases.ts';
import { testTiming } from '../support/timing.ts';

const { now: clock } = testClock();
const context = (): AuditContext => ({
  requestId: 'r',
  clientAddress: '127.0.0.1',
  deadline: UNLIMITED,
  log: pino({ level: 'silent' }, { write: () => {} }),
});
const responseLost = () => new DependencyUnavailableError('the response was lost');

describe('a lost response to a commit', () => {
  let own: TestDatabase;
  beforeAll(async () => {
    own = await createTestDatabase('sqlite');
  });
  afterAll(() => own?.drop());

  /** Commits, and rejects the first commits all the same. */
  function losingResponses(lost: number): Database {
    let left = lost;
    return {
      ...own.database,
      async transaction(deadline, work) {
        const result = await own.database.transaction(deadline, work);
        if (left <= 0) return result;
        left -= 1;
        throw responseLost();
      },
    };
  }

  function managerOver(database: Database) {
    return createAuthenticationManager({
      database,
      accounts: createAccountStore(database),
      policies: createTestPolicies({ lockMaxFailures: 2 }),
      lock: createAccountLock({ database, policy: { maxFailures: 2, durationMs: 900_000 }, clock, uniform: false }),
      hasher: createPasswordHasher({ maxConcurrent: 2, maxQueued: 2, maxMemoryBytes: 2 ** 30 }),
      audit: createAuditLog(database, clock, NO_REFUSALS),
      clock,
      uniformRefusals: false,
      runRefusable: (check) => check(),
      tenantRequired: true,
      refuseSamples: false,
    });
  }

  async function stateOf(id: string) {
    const rows = async (sql: string) => own.database.query(sql, [idToBytes(id)]);
    return {
      lock: await rows('SELECT login_failed_count, attempt_slots FROM accounts WHERE id = ?'),
      events: (await rows('SELECT event FROM audit_records WHERE account_id = ? ORDER BY id')).map(
        ({ event }) => event,
      ),
    };
  }

  it('counts and audits a wrong password once, and returns it', async () => {
    const { id, username } = await seedAccount(own.database);
    const manager = managerOver(losingResponses(2));
    const attempt = manager.authenticate({ username, password: 'wrong' }, context(), async () => async () => {});
    await expect(attempt).rejects.toMatchObject({ reason: 'BAD_CREDENTIALS' });
    expect(await stateOf(id)).toEqual({
      lock: [{ login_failed_count: 1, attempt_slots: '' }],
      events: ['login.failed'],
    });
  });

  it('ends the slot of a correct password once, although others fail meanwhile', async () => {
    const { id, username } = await seedAccount(own.database);
    const manager = managerOver(losingResponses(1));
    const attempt = manager.authenticate(
      { username, password: PASSWORD },
      context(),
      async () => async (_tx, record) => {
        record({ event: 'login.succeeded', tenantId: 'acme', accountId: id });
      },
    );
    await expect(attempt).rejects.toThrow('the response was lost');
    const other = managerOver(own.database);
    const wrong = other.authenticate({ username, password: 'wrong' }, context(), async () => async () => {});
    await expect(wrong).rejects.toMatchObject({ reason: 'BAD_CREDENTIALS' });
    await manager.recorded();
    expect(await stateOf(id)).toEqual({
      lock: [{ login_failed_count: 1, attempt_slots: '' }],
      events: ['login.succeeded', 'login.failed'],
    });
  });
});

describe('outcomes', () => {
  it('are not repeated after the process stops', async () => {
    const outcomes = createOutcomeRecorder();
    let runs = 0;
    const [started, stopping] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    outcomes.recordLater(context(), async () => {
      runs += 1;
      started.resolve();
      await stopping.promise;
      throw responseLost();
    });
    await started.promise;
    const recorded = outcomes.recorded();
    stopping.resolve();
    await recorded;
    expect(runs).toBe(1);
  });

  it('are repeated for less than 12 s, each with the same deadline, and then rejected', async () => {
    const time = testTiming();
    const attempts: number[] = [];
    const deadlines = new Set<number>();
    const recorder = createOutcomeRecorder({ clock: time.now, sleep: time.sleep });
    const recording = recorder.record(context(), async ({ deadline }) => {
      attempts.push(time.now());
      deadlines.add(deadline.at);
      throw responseLost();
    });
    await Promise.all([expect(recording).rejects.toThrow('the response was lost'), time.advance(60_000)]);
    expect(attempts.slice(0, 7)).toEqual([0, 100, 300, 700, 1_500, 2_500, 3_500]);
    expect(attempts.at(-1)).toBe(11_500);
    expect([...deadlines]).toEqual([12_000]);
  });

  it('are not repeated after a permanent database error', async () => {
    let runs = 0;
    const refused = createOutcomeRecorder().record(context(), async () => {
      runs += 1;
      throw new TypeError('a defect');
    });
    await expect(refused).rejects.toThrow('a defect');
    expect(runs).toBe(1);
  });
});
