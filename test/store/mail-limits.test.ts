// The statements of the limit of a tenant's recoveries: the same for every username, also if the limit is used up.
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { countForTenant } from '../../src/auth/mail/mail-limits.ts';
import { UNLIMITED } from '../../src/platform/clock.ts';
import type { Database } from '../../src/platform/db/types.ts';
import { createRateLimit } from '../../src/platform/limits/rate-limit.ts';
import { createTestDatabase, ENGINES, type TestDatabase } from '../support/databases.ts';

const OF_TENANT = 2;

describe.each(ENGINES)('the limit of a tenant on %s', (engine) => {
  let test: TestDatabase;
  beforeAll(async () => {
    test = await createTestDatabase(engine);
  });
  afterAll(() => test.drop());

  it('executes the same statements for every username, at any count', async () => {
    let statements: string[] = [];
    const count =
      (name: 'query' | 'execute'): Database['execute'] =>
      (sql, values) => {
        statements.push(sql);
        return test.database[name](sql, values) as never;
      };
    const database: Database = Object.create(test.database, {
      query: { value: count('query') },
      execute: { value: count('execute') },
    });
    const options = {
      store: 'database',
      windowMs: 3600_000,
      database,
      clock: () => 1e12,
      log: pino({ enabled: false }),
    };
    const ofTenant = createRateLimit({ ...options, name: 'mail-tenant', points: OF_TENANT })!;
    const ofNobody = createRateLimit({ ...options, name: 'mail-nobody', points: Number.MAX_SAFE_INTEGER })!;
    const request = async (username: string, tenantId?: string) => {
      statements = [];
      const account = tenantId === undefined ? undefined : { tenantId };
      const isAllowed = await countForTenant({ ofTenant, ofNobody }, account, username, { deadline: UNLIMITED });
      return { isAllowed, statements };
    };
    // The first of an hour inserts its row.
    expect((await request('ann', 'acme')).isAllowed).toBe(true);
    const unknown = await request('ann');
    expect(unknown.isAllowed).toBe(false);
    const allowed = await request('ann', 'acme');
    expect(allowed).toEqual({ isAllowed: true, statements: (await request('ann')).statements });
    for (let over = 0; over < 3; over += 1)
      expect(await request('ann', 'acme')).toEqual({ isAllowed: false, statements: allowed.statements });
    expect(allowed.statements).toHaveLength(2);
    expect((await request('ann', 'globex')).isAllowed).toBe(true);
  });
});
