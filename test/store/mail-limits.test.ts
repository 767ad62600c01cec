// The statements of the limits of recoveries: the same for every username, also if a limit is used up.
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { countForAccount } from '../../src/auth/mail/mail-limits.ts';
import { UNLIMITED, type Deadline } from '../../src/platform/clock.ts';
import type { Database, Statements } from '../../src/platform/db/types.ts';
import { createRateLimit } from '../../src/platform/limits/rate-limit.ts';
import { createTestDatabase, ENGINES, type TestDatabase } from '../support/databases.ts';

const OF_ACCOUNT = 3;
const OF_TENANT = 5;

describe.each(ENGINES)('the limits of an account and a tenant on %s', (engine) => {
  let test: TestDatabase;
  beforeAll(async () => {
    test = await createTestDatabase(engine);
  });
  afterAll(() => test.drop());

  it('executes the same statements for every username, at any count', async () => {
    let statements: string[] = [];
    const count =
      (of: Statements, name: 'query' | 'execute'): Database['execute'] =>
      (sql, values) => {
        statements.push(sql);
        return of[name](sql, values) as never;
      };
    const counting = (own: Statements) => ({
      query: { value: count(own, 'query') },
      execute: { value: count(own, 'execute') },
    });
    const database: Database = Object.create(test.database, {
      ...counting(test.database),
      transaction: {
        value: (deadline: Deadline, work: (tx: Statements) => Promise<unknown>) =>
          test.database.transaction(deadline, (tx) => work(Object.create(tx, counting(tx)))),
      },
    });
    const options = {
      store: 'database',
      windowMs: 3600_000,
      database,
      clock: () => 1e12,
      log: pino({ enabled: false }),
    };
    const ofAccount = createRateLimit({ ...options, name: 'mail-account', points: OF_ACCOUNT })!;
    const ofTenant = createRateLimit({ ...options, name: 'mail-tenant', points: OF_TENANT })!;
    const ofNobody = createRateLimit({ ...options, name: 'mail-nobody', points: Number.MAX_SAFE_INTEGER })!;
    const limits = { ofAccount, ofTenant, ofNobody };
    const request = async (username: string, tenantId?: string) => {
      statements = [];
      const account = tenantId === undefined ? undefined : { tenantId };
      const isAllowed = await countForAccount(limits, account, username, { deadline: UNLIMITED });
      return { isAllowed, statements };
    };
    const first = await request('ann', 'acme');
    expect(first.isAllowed).toBe(true);
    expect(first.statements).toHaveLength(4);
    const refused = { isAllowed: false, statements: first.statements };
    for (let count = 1; count < OF_ACCOUNT; count += 1) expect(await request('ann', 'acme')).toEqual(first);
    for (let over = 0; over < 3; over += 1) expect(await request('ann', 'acme')).toEqual(refused);
    // The refused requests of ann do not count for the tenant.
    for (let count = OF_ACCOUNT; count < OF_TENANT; count += 1)
      expect(await request(`user ${count}`, 'acme')).toEqual(first);
    expect(await request('bob', 'acme')).toEqual(refused);
    expect(await request('bob', 'globex')).toEqual(first);
    for (let count = 0; count < 2; count += 1) expect(await request('unknown')).toEqual(refused);
  });
});
