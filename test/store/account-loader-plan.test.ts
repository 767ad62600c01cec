// The statement of the bearer check, which several checks share.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createAccountStore } from '../../src/auth/identity/account-store.ts';
import type { Database, Row, SqlValue } from '../../src/platform/db/types.ts';
import { seedAccount } from '../support/accounts.ts';
import { createTestDatabase, SERVER_ENGINE, type TestDatabase } from '../support/databases.ts';

describe(`accounts by id on ${SERVER_ENGINE}`, () => {
  let test: TestDatabase;
  beforeAll(async () => {
    test = await createTestDatabase(SERVER_ENGINE);
  });
  afterAll(() => test.drop());

  it('are read by the primary key, although their ids are unique too', async () => {
    const accounts = await Promise.all(Array.from({ length: 8 }, () => seedAccount(test.database)));
    const plans: Row[][] = [];
    const explaining: Database = {
      ...test.database,
      async query<R = Row>(sql: string, values?: readonly SqlValue[]) {
        if (sql.includes('accounts a'))
          plans.push(await test.database.query(`EXPLAIN FORMAT=TRADITIONAL ${sql}`, values));
        return test.database.query<R>(sql, values);
      },
    };
    const store = createAccountStore(explaining);
    const byToken = await Promise.all(accounts.map((account) => store.findByToken(account, [account.id])));
    const byKey = await Promise.all(accounts.map((account) => store.find(account)));
    const ids = accounts.map(({ id }) => id);
    expect(byToken.map(({ account }) => account?.account.id)).toEqual(ids);
    expect(byKey.map((found) => found?.account.id)).toEqual(ids);
    expect(plans.map((plan) => plan.find(({ table }) => table === 'a')?.['key'])).toEqual(['PRIMARY', 'PRIMARY']);
  });
});
