// A core is ready only while logins can be written.
import { pino } from 'pino';
import { describe, expect, it } from 'vitest';
import { connectDatabase } from '../../src/platform/db/connect.ts';
import { unavailable } from '../../src/platform/db/errors.ts';
import { createReadinessCheck } from '../../src/platform/db/readiness.ts';
import { recordTime } from '../../src/platform/jobs/lease.ts';
import type { Database } from '../../src/platform/db/types.ts';
import { createTestDatabase, ENGINES } from '../support/databases.ts';

const log = pino({ level: 'silent' });
const checkOf = (database: Database) =>
  createReadinessCheck(database, { write: () => recordTime(database, 'readiness', 1) });

describe.each(ENGINES)('the readiness of a core on %s', (engine) => {
  it('finds no problem, also if several processes check at once for the first time', async () => {
    const { url, database, drop } = await createTestDatabase(engine);
    const other = connectDatabase({ url, poolSize: 2, log });
    const checks = await Promise.all([database, other].map(checkOf));
    expect(await Promise.all([...checks, ...checks].map((check) => check()))).toEqual([
      undefined,
      undefined,
      undefined,
      undefined,
    ]);
    await other.close();
    await drop();
  });

  it('names the problem while the database can be read but not written, and none afterwards', async () => {
    const { database, drop } = await createTestDatabase(engine);
    let isFull = true;
    const full: Database = {
      ...database,
      execute: (sql, values) =>
        isFull ? Promise.reject(unavailable('disk full (SQLite 13)')) : database.execute(sql, values),
    };
    const findProblem = await checkOf(full);
    expect(await findProblem()).toBe('Database unavailable: disk full (SQLite 13)');
    isFull = false;
    expect(await findProblem()).toBeUndefined();
    await drop();
  });
});

it('names the problem of a read-only SQLite file', async () => {
  const { database, drop } = await createTestDatabase('sqlite');
  const findProblem = await checkOf(database);
  await database.query('PRAGMA query_only = 1');
  expect(await findProblem()).toBe('Database unavailable: read-only file (SQLite 8)');
  await database.query('PRAGMA query_only = 0');
  expect(await findProblem()).toBeUndefined();
  await drop();
});

it('names the problem of a closed database', async () => {
  const { database, drop } = await createTestDatabase('sqlite');
  const findProblem = await checkOf(database);
  await drop();
  expect(await findProblem()).toMatch(/^Database unavailable: /);
  await database.close();
});
