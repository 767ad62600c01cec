// The statements of the outbox on SQLite, where a statement blocks the process: none reads all mails or sorts them.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createOutboxStore, type OutboxStore } from '../../src/auth/mail/outbox-store.ts';
import type { Database } from '../../src/platform/db/types.ts';
import { createTestDatabase, type TestDatabase } from '../support/databases.ts';

let test: TestDatabase;
beforeAll(async () => {
  test = await createTestDatabase('sqlite');
  await test.database.execute(
    `INSERT INTO mails (tenant_id, id, template, encrypted, created_at, give_up_at, next_at)
      VALUES (CAST('acme' AS BLOB), CAST('0123456789abcdef' AS BLOB), 'recovery', CAST('x' AS BLOB), 1, 2, 1)`,
  );
});
afterAll(() => test.drop());

it.each<[name: string, run: (store: OutboxStore) => Promise<unknown>]>([
  ['the statistics', (store) => store.stats()],
  ['the list', (store) => store.list()],
  ['the search for due mails', (store) => store.findDue(5, 100)],
  ['the check for due mails', (store) => store.isDue(5)],
])('%s searches an index', async (_, run) => {
  const plan: string[] = [];
  const explaining: Database = {
    ...test.database,
    async query<R>(sql: string, values: Parameters<Database['query']>[1]) {
      const steps = await test.database.query<{ detail: string }>(`EXPLAIN QUERY PLAN ${sql}`, values);
      plan.push(...steps.map(({ detail }) => detail));
      return test.database.query<R>(sql, values);
    },
  };
  await run(createOutboxStore(explaining));
  expect(plan.some((step) => step.includes('mails'))).toBe(true);
  expect(plan.filter((step) => /SCAN mails|TEMP B-TREE/.test(step))).toEqual([]);
});
