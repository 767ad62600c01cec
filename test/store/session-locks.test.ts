// Transactions that read a session and then change it, while another one wants to change it: the other one waits.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Account } from '../../src/auth/access/account.ts';
import { createIsSessionOpen } from '../../src/auth/session/open-session.ts';
import { createProveSession } from '../../src/auth/session/prove-session.ts';
import { createSessionStore } from '../../src/auth/session/session-store.ts';
import { storeSessionUse } from '../../src/auth/session/slide-store.ts';
import { UNLIMITED } from '../../src/platform/clock.ts';
import type { Statements } from '../../src/platform/db/types.ts';
import { seedAccount } from '../support/accounts.ts';
import { testClock } from '../support/clock.ts';
import { createTestDatabase, ENGINES, type TestDatabase } from '../support/databases.ts';
import { interleave } from '../support/held-rows.ts';
import { createTestPolicies } from '../support/policies.ts';
import { seedSession } from '../support/sessions.ts';

describe.each(ENGINES)('%s', (engine) => {
  const clock = testClock();
  let test: TestDatabase;
  let account: Account;
  beforeAll(async () => {
    test = await createTestDatabase(engine);
    account = await seedAccount(test.database);
  });
  afterAll(() => test.drop());

  type Sessions = ReturnType<typeof createSessionStore>;
  type Change = (sessions: Sessions, tx: Statements, sessionId: string) => Promise<unknown>;

  /** Runs a change of a session. When it has read the session, a use of the session begins. Returns the results of both. */
  async function changeWhileUsed(change: Change): Promise<readonly unknown[]> {
    const db = test.database;
    const { id } = await seedSession({ database: db, clock }, account);
    const sessions = createSessionStore(db);
    const results: unknown[] = [];
    const read = Promise.withResolvers<void>();
    const goOn = Promise.withResolvers<void>();
    const pausing: Sessions = {
      ...sessions,
      async findAuthenticated(...given) {
        const found = await sessions.findAuthenticated(...given);
        read.resolve();
        await goOn.promise;
        return found;
      },
    };
    let changing: Promise<unknown> = Promise.resolve();
    await interleave(
      db,
      [
        async (tx) => {
          changing = change(pausing, tx, id);
          changing.catch(() => undefined);
          await read.promise;
        },
        async () => {
          goOn.resolve();
          results.push(await changing);
        },
      ],
      async (tx) => {
        const now = clock.now();
        const use = { now, expiresAt: now + 60_000, accessExpiresAt: now + 60_000 };
        results.push(await storeSessionUse(db, tx, { tenantId: account.tenantId, id }, use, UNLIMITED));
      },
    );
    return results;
  }

  const policies = createTestPolicies();

  it('a session completes what it has begun while it is used', async () => {
    const results = await changeWhileUsed((sessions, tx, id) =>
      createIsSessionOpen({ sessions, policies })(tx, account, id, clock.now()),
    );
    expect(results).toEqual([true, true]);
  });

  it('a session proves a factor while it is used', async () => {
    const results = await changeWhileUsed((sessions, tx, sessionId) =>
      createProveSession({ sessions, policies })(tx, { account, sessionId }, { kind: 'totp' }, clock.now(), UNLIMITED),
    );
    expect(results).toEqual([undefined, true]);
  });
});
