// Writes that wait for a file that another process has locked share their commits. Each of them runs once.
import { DatabaseSync } from 'node:sqlite';
import { pino } from 'pino';
import { afterEach, expect, it, vi } from 'vitest';
import { connectDatabase } from '../../src/platform/db/connect.ts';
import { emptyFolder } from '../support/service-process.ts';

afterEach(() => vi.restoreAllMocks());

it.each([1, 2, 3, 40])('%i writes run once each if the file is free again at the next attempt', async (count) => {
  const database = connectDatabase({
    url: `sqlite:${emptyFolder()}/service.db`,
    poolSize: 2,
    log: pino({ level: 'silent' }),
  });
  await database.execute('CREATE TABLE counted (n INTEGER)');
  await database.execute('INSERT INTO counted VALUES (0)');
  const exec = vi.spyOn(DatabaseSync.prototype, 'exec');
  exec.mockImplementationOnce(() => {
    throw Object.assign(new Error('database is locked'), { errcode: 5 });
  });
  const changed = await Promise.all(
    Array.from({ length: count }, () => database.execute('UPDATE counted SET n = n + 1')),
  );
  expect(changed).toEqual(Array(count).fill(1));
  expect(await database.query('SELECT n FROM counted')).toEqual([{ n: count }]);
  await database.close();
});
