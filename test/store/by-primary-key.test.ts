import { expect, it } from 'vitest';
import { CUSTOMERS } from '../../src/business/customers/customer-store.ts';
import { byPrimaryKey } from '../../src/platform/db/query/hints.ts';
import { idToBytes, newId } from '../../src/platform/db/ids.ts';
import { ENGINES, createTestDatabase } from '../support/databases.ts';

// A tenant's only row costs the same in every index that begins with the tenant.
it.each(ENGINES)('%s finds the only row of a tenant by its primary key', async (engine) => {
  const { database, drop } = await createTestDatabase(engine);
  const id = newId();
  const none = { email: undefined, phone: undefined, address: undefined };
  const now = 1_000_000;
  const customer = {
    id,
    tenantId: 'acme',
    name: 'x',
    ...none,
    status: 'ACTIVE',
    createdAt: now,
    updatedAt: now,
  } as const;
  await CUSTOMERS.insert(database, { ...customer, version: 1 });
  const update = `UPDATE ${byPrimaryKey('customers')} SET version = version + 1 WHERE tenant_id = ? AND id = ?`;
  const values = [Buffer.from('acme'), idToBytes(id)];
  if (engine !== 'sqlite')
    expect(await database.query(`EXPLAIN FORMAT=TRADITIONAL ${update}`, values)).toMatchObject([{ key: 'PRIMARY' }]);
  expect(await database.execute(update, values)).toBe(1);
  await drop();
});
