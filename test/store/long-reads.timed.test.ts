// The time limit of a long read on SQLite, by the clock of its thread. long-reads.test.ts shows the deadline of its caller.
import { expect, it } from 'vitest';
import { UNLIMITED } from '../../src/platform/clock.ts';
import { createTestDatabase } from '../support/databases.ts';

it('a long read ends at the time limit of a statement', async () => {
  const { database, drop } = await createTestDatabase('sqlite');
  await database.execute('CREATE TABLE one (name TEXT)');
  await database.execute("INSERT INTO one (rowid, name) VALUES (4096, 'first')");
  const endless = `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n)
    SELECT COUNT(*) FROM n CROSS JOIN one o WHERE ${database.whileWanted('o')}`;
  const read = database.queryLong(endless, [], { deadline: UNLIMITED, tenantId: 'acme' });
  await expect(read).rejects.toThrow('no answer within 2500 ms');
  await drop();
});
