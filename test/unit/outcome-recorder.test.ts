// A write with a lost commit response runs again and has its effect once.
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createAuditLog, type AuditContext } from '../../src/auth/audit/audit-log.ts';
import { NO_REFUSALS } from '../../src/composition/local-operator.ts';
import { idToBytes } from '../../src/platform/db/ids.ts';
import type { Database } from '../../src/platform/db/types.ts';
import { DependencyUnavailableError } from '../../src/platform/errors.ts';
import { createAccountLock } from '../../src/auth/identity/authentication/account-lock.ts';
import { createAccountStore } from '../../src/auth/identity/account-store.ts';
import { createAuthenticationManager } from '../../src/auth/identity/authentication/authentication-manager.ts';
import { createPasswordHasher } from '../../src/auth/identity/authentication/password-hasher.ts';
import { createOutcomeRecorder } from '../../src/auth/identity/authentication/outcome-recorder.ts';
import { PASSWORD, seedAccount } from '../support/accounts.ts';
import { createTestPolicies } from '../support/policies.ts';
import { createTestDatabase, ENGINES, type TestDatabase } from '../support/databases.ts';

const clock = () => Date.now();
const context = (): AuditContext => ({
  requestId: 'r',
  clientAddress: '127.0.0.1',
  deadline: { at: Date.now() + 60_000, signal: new AbortController().signal },
  log: pino({ level: 'silent' }, { write: () => {} }),
});
const responseLost = () => new DependencyUnavailableError('the response was lost');

describe.each(ENGINES)('a lost response to a commit on %s', (engine) => {
  let own: TestDatabase;
  beforeAll(async () => {
    own = await createTestDatabase(engine);
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
    const started = Promise.withResolvers<void>();
    outcomes.recordLater(context(), async () => {
      runs += 1;
      started.resolve();
      await new Promise((resolve) => setTimeout(resolve, 20));
      throw responseLost();
    });
    await started.promise;
    await outcomes.recorded();
    expect(runs).toBe(1);
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
