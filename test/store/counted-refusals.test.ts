// The maximum of counts in memory, and counts that cannot be stored.
import { pino } from 'pino';
import { describe, expect, it } from 'vitest';
import { countRefusals } from '../../src/audit/counted-refusals.ts';
import type { Database } from '../../src/db/types.ts';
import { createTestDatabase, ENGINES } from '../support/databases.ts';
import { testClock } from '../support/clock.ts';

const rowsOf = async (database: Database) =>
  (
    await database.query<{ client_address: string; details: string }>(
      'SELECT client_address, details FROM audit_records ORDER BY client_address',
    )
  ).map((row) => [row.client_address, JSON.parse(row.details).count]);

describe.each(ENGINES)('%s', (engine) => {
  it('counts surplus networks of a minute together', async () => {
    const { database, drop } = await createTestDatabase(engine);
    const log = pino({ level: 'silent' });
    const refusals = countRefusals({ database, clock: testClock().now, log, maxEntries: 150 });
    for (let i = 0; i < 500; i += 1) refusals.count('username', `network-${String(i).padStart(3, '0')}`);
    refusals.count('username', 'network-000');
    await refusals.close();
    const rows = await rowsOf(database);
    expect(rows).toHaveLength(151);
    expect(rows[0]).toEqual(['network-000', 2]);
    expect(rows.at(-1)).toEqual(['others', 350]);
    await drop();
  });

  it('stores nothing twice if the response to a commit is lost', async () => {
    const { database, drop } = await createTestDatabase(engine);
    const clock = testClock();
    let lost = 0;
    const losing: Database = Object.create(database, {
      transaction: {
        value: async (...args: Parameters<Database['transaction']>) => {
          const result = await database.transaction(...args);
          if (lost === 1) return result;
          lost = 1;
          throw new Error('the response is lost');
        },
      },
    });
    const refusals = countRefusals({ database: losing, clock: clock.now, log: pino({ level: 'silent' }) });
    refusals.count('api-key', '192.0.2.1');
    clock.advance(60_000);
    await expect.poll(() => lost, { timeout: 5_000 }).toBe(1);
    await refusals.close();
    expect(await rowsOf(database)).toEqual([['192.0.2.1', 1]]);
    await drop();
  });

  it('logs counts that it could not store before the end', async () => {
    const { database, drop } = await createTestDatabase(engine);
    const lines: string[] = [];
    const log = pino({}, { write: (line: string) => void lines.push(line) });
    const refusals = countRefusals({ database, clock: testClock().now, log });
    for (let i = 0; i < 3; i += 1) refusals.count('username', '192.0.2.1');
    await database.execute('DROP TABLE audit_records');
    await refusals.close();
    expect(lines.map((line) => JSON.parse(line))).toMatchObject([
      { level: 50, lost: [{ network: '192.0.2.1', kind: 'username', count: 3 }] },
    ]);
    await drop();
  });
});
