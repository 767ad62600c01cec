// After the first record of a feature, programs that do not enforce it no longer start on the database.
import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { storeFactorList, updateFactors } from '../../src/auth/factors/factor-store.ts';
import { insertRole } from '../../src/auth/access/roles/role-store.ts';
import { updateTenantPolicy } from '../../src/auth/tenancy/tenant-store.ts';
import { UNLIMITED } from '../../src/platform/clock.ts';
import { compareSchema, migrate } from '../../src/platform/db/migrate.ts';
import { createReadinessCheck } from '../../src/platform/db/readiness.ts';
import type { Statements } from '../../src/platform/db/types.ts';
import type { Account } from '../../src/auth/access/account.ts';
import { seedAccount } from '../support/accounts.ts';
import { createTestDatabase, ENGINES, type TestDatabase } from '../support/databases.ts';

const log = pino({ level: 'silent' });
const write = async () => {};
const ROLE = { name: 'CLERK', permissions: ['invoices:read'], inherits: [], createdAt: 0, updatedAt: 0, version: 1 };

describe.each(ENGINES)('the lowest version of a database on %s', (engine) => {
  let test: TestDatabase;
  let account: Account;
  beforeEach(async () => {
    test = await createTestDatabase(engine);
    account = await seedAccount(test.database);
  });
  afterEach(() => test.drop());

  const applied = async () =>
    (await test.database.query<{ name: string }>('SELECT name FROM knex_migrations ORDER BY name')).map(
      ({ name }) => name,
    );
  /** Returns why a program whose newest migration has this number refuses the database. */
  const refusalOf = async (number: string) => {
    const names = await applied();
    return compareSchema(
      names.filter((name) => name < `${number}~` && !name.includes('.stored.')),
      names,
    ).tooNew;
  };
  const store = (work: (tx: Statements) => Promise<void>) => test.database.transaction(UNLIMITED, work);

  const FEATURES: readonly [feature: string, needs: string, write: (tx: Statements) => Promise<void>][] = [
    ['second_factors', '0043', (tx) => storeFactorList(tx, account, ['totp'])],
    ['policies', '0036', (tx) => updateTenantPolicy(tx, account.tenantId!, '{"secondFactor":"REQUIRED"}')],
    ['roles', '0036', (tx) => insertRole(tx, { ...ROLE, tenantId: account.tenantId, description: undefined })],
  ];

  it.each(FEATURES)('rises with the first of its %s to migration %s, once', async (feature, needs, write) => {
    expect(await refusalOf('0035')).toBeUndefined();
    await store(write);
    const row = `${needs}_${feature}.stored.needs-${needs}.ts`;
    expect(await refusalOf('0035')).toBe(row);
    expect(await refusalOf(needs)).toBeUndefined();
    const before = await applied();
    await store(async (tx) => {
      await storeFactorList(tx, account, ['totp']);
      await storeFactorList(tx, account, []);
      await updateTenantPolicy(tx, account.tenantId!, '{}');
    });
    expect((await applied()).filter((name) => name === row)).toEqual([row]);
    expect(before).toContain(row);
  });

  it('does not rise if the transaction is rolled back', async () => {
    const undone = store(async (tx) => {
      await storeFactorList(tx, account, ['totp']);
      throw new Error('undone');
    });
    await expect(undone).rejects.toThrow('undone');
    expect(await refusalOf('0035')).toBeUndefined();
  });

  it('rises with the migration of a database that has second factors', async () => {
    await updateFactors(test.database, account, { totpSecret: Buffer.from('encrypted') });
    await test.database.execute("DELETE FROM knex_migrations WHERE name LIKE '%_lowest_version.ts'");
    expect(await migrate(test.database, log)).toBe(1);
    expect((await applied()).filter((name) => name.includes('.stored.'))).toEqual([
      '0043_second_factors.stored.needs-0043.ts',
    ]);
  });

  it('above that of a program stops its start and makes it unready, unless a setting ignores it', async () => {
    await test.database.execute(
      "INSERT INTO knex_migrations (name, batch) VALUES ('9999_seals.stored.needs-9999.ts', 1)",
    );
    await expect(migrate(test.database, log)).rejects.toThrow(/has seals, which this version does not enforce/);
    expect(await (await createReadinessCheck(test.database, { write }))()).toMatch(
      /^has seals, which this version does not/,
    );
    const options = { ignoreLowestVersion: true };
    expect(await migrate(test.database, log, options)).toBe(0);
    expect(await (await createReadinessCheck(test.database, { ...options, write }))()).toBeUndefined();
  });
});
