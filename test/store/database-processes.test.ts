import { fork } from 'node:child_process';
import { once } from 'node:events';
import { expect, it } from 'vitest';
import { createTestDatabase } from '../support/databases.ts';

const WORKER = new URL('../support/increment-process.ts', import.meta.url);

it('two processes use one SQLite file in transactions without lost or failed ones', async () => {
  const { url, database, drop } = await createTestDatabase('sqlite');
  await database.execute('INSERT INTO rate_limits (`key`, points) VALUES (?, 0)', [Buffer.from('counter')]);
  const codes = await Promise.all(
    [1, 2].map(async () => (await once(fork(WORKER, [url, '200'], { execArgv: [] }), 'exit'))[0] as number),
  );
  expect(codes).toEqual([0, 0]);
  expect(await database.query('SELECT points FROM rate_limits')).toEqual([{ points: 400 }]);
  await drop();
});
