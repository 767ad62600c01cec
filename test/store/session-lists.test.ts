// Lists of the sessions of many accounts leave out sessions that were ended with all others of their account.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createAccountWriter, endSessionsOfAllAccounts } from '../../src/auth/identity/account-store.ts';
import type { Account } from '../../src/auth/access/account.ts';
import { selectSessions } from '../../src/auth/session/session-list-store.ts';
import { UNLIMITED } from '../../src/platform/clock.ts';
import { newId, idToBytes } from '../../src/platform/db/ids.ts';
import type { Database, SqlValue } from '../../src/platform/db/types.ts';
import { seedAccount } from '../support/accounts.ts';
import { testClock } from '../support/clock.ts';
import { ENGINES, createTestDatabase, type TestDatabase } from '../support/databases.ts';
import { seedSession } from '../support/sessions.ts';

/** More accounts than a list reads before its sessions. */
const MANY = 20_001;
const BATCH = 1_000;
const SCOPES = [{ everyTenant: true }, { everyTenant: false, tenantId: 'acme' }] as const;

describe.each(ENGINES)('on %s', (engine) => {
  let test: TestDatabase;
  let open: readonly Account[];

  const endSessions = async (account: Account) =>
    createAccountWriter(test.database).endSessions(test.database, account, { through: newId(), at: 1 }, 'LOGOUT');
  const select = async (scope: (typeof SCOPES)[number], database = test.database) =>
    selectSessions(database, { scope, accountId: undefined }, testClock().now(), {
      page: 1,
      perPage: 100,
      offset: 0,
      after: undefined,
      reader: { deadline: UNLIMITED, tenantId: 'acme' },
    });
  const list = async (scope: (typeof SCOPES)[number]) => {
    const { items, total } = await select(scope);
    return { accounts: items.map(({ accountId }) => accountId), total };
  };
  const expectOpen = async () => {
    const accounts = open.map(({ id }) => id).toReversed();
    for (const scope of SCOPES) expect(await list(scope)).toEqual({ accounts, total: accounts.length });
  };

  beforeAll(async () => {
    test = await createTestDatabase(engine);
    const seeding = { database: test.database, clock: testClock() };
    const [ended, again, never] = [
      await seedAccount(test.database),
      await seedAccount(test.database),
      await seedAccount(test.database),
    ];
    for (const account of [ended, again]) await seedSession(seeding, account);
    for (const account of [ended, again]) await endSessions(account);
    for (const account of [again, never]) await seedSession(seeding, account);
    open = [again, never];
  });
  afterAll(() => test?.drop());

  it('lists new sessions of accounts whose earlier sessions were ended', expectOpen);

  it('reads no ended accounts of other tenants for the list of one', async () => {
    await insertEnded(test.database, 'globex', BATCH);
    const plans: string[][] = [];
    const queryLong = async <R>(sql: string, values: readonly SqlValue[]) => {
      plans.push(await PLANS[test.database.engine](test.database, sql, values));
      return [] as R[];
    };
    await select(SCOPES[1], { ...test.database, queryLong });
    expect(plans.flat().length).toBeGreaterThan(0);
    for (const step of plans.flat()) expect(step).toMatch(RANGE_OF_TENANT);
    await expectOpen();
  });

  it('lists the same if more accounts have ended sessions than are read first', async () => {
    for (let row = 0; row < MANY; row += BATCH) await insertEnded(test.database, 'acme', Math.min(BATCH, MANY - row));
    await expectOpen();
  });

  it('lists no session after a restore', async () => {
    // Apart from the many accounts above: one statement ends the sessions of all.
    const { database, drop } = await createTestDatabase(engine);
    const account = await seedAccount(database);
    await seedSession({ database, clock: testClock() }, account);
    for (const scope of SCOPES) expect(await select(scope, database)).toMatchObject({ total: 1 });
    await endSessionsOfAllAccounts(database, { through: newId(), at: 1 }, 'RESTORE');
    for (const scope of SCOPES) expect(await select(scope, database)).toMatchObject({ items: [], total: 0 });
    await drop();
  });
});

const RANGE_OF_TENANT =
  /^(?:range|SEARCH e USING COVERING INDEX) accounts_tenant_id_sessions_ended_through_id_index(?: \(tenant_id=\? AND sessions_ended_through>\?\))?$/;

/** How each engine reads the accounts whose sessions were ended. */
const PLANS: Readonly<
  Record<Database['engine'], (database: Database, sql: string, values: readonly SqlValue[]) => Promise<string[]>>
> = {
  async sqlite({ query }, sql, values) {
    // Only the threads of long reads have the function.
    const plan = await query<{ detail: string }>(`EXPLAIN QUERY PLAN ${sql.replaceAll('is_wanted()', '1')}`, values);
    return plan.map(({ detail }) => detail).filter((detail) => /^(?:SCAN|SEARCH) e\b/.test(detail));
  },
  async mysql({ query }, sql, values) {
    const plan = await query<{ table: string | null; key: string | null; type: string }>(
      `EXPLAIN FORMAT=TRADITIONAL ${sql}`,
      values,
    );
    return plan.filter(({ table }) => table === 'e').map(({ type, key }) => `${type} ${key}`);
  },
};

/** Inserts accounts without sessions, whose sessions have been ended now. */
async function insertEnded({ execute }: Database, tenantId: string, count: number): Promise<void> {
  const rows = Array.from({ length: count }, () => {
    const id = newId();
    return [Buffer.from(tenantId), idToBytes(id), Buffer.from(id), 'User', 1, 'SALES', 0, 1, 1, idToBytes(newId())];
  });
  await execute(
    `INSERT INTO accounts (tenant_id, id, username, name, interactive, roles, disabled, created_at, updated_at, sessions_ended_through)
      VALUES ${rows.map((row) => `(${row.map(() => '?').join(', ')})`).join(', ')}`,
    rows.flat(),
  );
}
