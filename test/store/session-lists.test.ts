// Lists of the sessions of many accounts leave out sessions that were ended with all others of their account.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createAccountWriter, endSessionsOfAllAccounts } from '../../src/auth/identity/account-store.ts';
import type { Account } from '../../src/auth/principal/account.ts';
import { selectSessions } from '../../src/auth/session/session-list-store.ts';
import { UNLIMITED } from '../../src/platform/clock.ts';
import { newId, idToBytes } from '../../src/platform/db/ids.ts';
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
  const list = async (scope: (typeof SCOPES)[number]) => {
    const page = {
      page: 1,
      perPage: 100,
      offset: 0,
      after: undefined,
      reader: { deadline: UNLIMITED, tenantId: 'acme' },
    };
    const { items, total } = await selectSessions(test.database, { scope, accountId: undefined }, Date.now(), page);
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

  it('lists the same if more accounts have ended sessions than are read first', async () => {
    for (let row = 0; row < MANY; row += BATCH) await insertEnded(test.database, Math.min(BATCH, MANY - row));
    await expectOpen();
  });

  it('lists no session after a restore', async () => {
    await endSessionsOfAllAccounts(test.database, { through: newId(), at: 1 }, 'RESTORE');
    for (const scope of SCOPES) expect(await list(scope)).toEqual({ accounts: [], total: 0 });
  });
});

/** Inserts accounts without sessions, whose sessions have been ended now. */
async function insertEnded({ execute }: TestDatabase['database'], count: number): Promise<void> {
  const rows = Array.from({ length: count }, () => {
    const id = newId();
    return [Buffer.from('acme'), idToBytes(id), Buffer.from(id), 'User', 1, 'SALES', 0, 1, 1, idToBytes(newId())];
  });
  await execute(
    `INSERT INTO accounts (tenant_id, id, username, name, interactive, roles, disabled, created_at, updated_at, sessions_ended_through)
      VALUES ${rows.map((row) => `(${row.map(() => '?').join(', ')})`).join(', ')}`,
    rows.flat(),
  );
}
