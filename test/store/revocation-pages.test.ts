// The pages of a snapshot of revocations. Each stream of the feed begins with one.
import { expect, it } from 'vitest';
import { newId } from '../../src/platform/db/ids.ts';
import type { SqlValue, Statements } from '../../src/platform/db/types.ts';
import { createRevocations, selectRevocations } from '../../src/auth/token/revocations.ts';
import { testClock } from '../support/clock.ts';
import { ENGINES, createTestDatabase } from '../support/databases.ts';

const AFTER = '01934f6e-5a5e-7b1c-8d2e-3f4a5b6c7d8e';

it.each(ENGINES)('%s reads a page by the primary key, without sorting', async (engine) => {
  const { database, drop } = await createTestDatabase(engine);
  const explain = engine === 'sqlite' ? 'EXPLAIN QUERY PLAN' : 'EXPLAIN FORMAT=TRADITIONAL';
  const plan: object[] = [];
  const explaining: Pick<Statements, 'query'> = {
    async query(sql: string, values?: readonly SqlValue[]) {
      plan.push(...(await database.query<object>(`${explain} ${sql}`, values)));
      return [];
    },
  };
  const page = { kind: 'session', after: AFTER, size: 500, now: 1_000_000 } as const;
  await selectRevocations({ ...database, ...explaining }, page);
  expect(JSON.stringify(plan)).toMatch(engine === 'sqlite' ? /USING INDEX \w*autoindex/ : /"key":"PRIMARY"/);
  expect(JSON.stringify(plan)).not.toMatch(/TEMP B-TREE|filesort/);
  await drop();
});

it.each(ENGINES)('%s returns the pages in the order of the ids', async (engine) => {
  const { database, drop } = await createTestDatabase(engine);
  const clock = testClock();
  const revocations = createRevocations({ database, clock: clock.now, tokenLifetimeMs: 900_000 });
  const ids = Array.from({ length: 5 }, () => newId());
  for (const id of ids.toReversed()) await revocations.revoke(database, 'session', id, clock.now() + 60_000);
  const readPage = async (after: string | undefined) => {
    const page = await selectRevocations(database, { kind: 'session', after, size: 2, now: clock.now() });
    return page.map(({ id }) => id);
  };
  expect(await readPage(undefined)).toEqual(ids.slice(0, 2));
  expect(await readPage(ids[1])).toEqual(ids.slice(2, 4));
  expect(await readPage(ids[3])).toEqual(ids.slice(4));
  await drop();
});
