// `cleanup run`, in a process that has nothing else to wait for.
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { TEST_KEY_ENCRYPTION_KEY } from '../support/key-encryption-key.ts';
import { createTestDatabase, type TestDatabase } from '../support/databases.ts';
import { emptyFolder, endProcesses, PROJECT } from '../support/service-process.ts';

const ROWS = 5_000;

let test: TestDatabase;
beforeAll(async () => {
  test = await createTestDatabase('sqlite');
});
afterAll(async () => {
  await endProcesses();
  await test?.drop();
});

it('deletes all expired rows in several batches, and exits with 0', async () => {
  await test.database.execute(
    `WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < ${ROWS})
      INSERT INTO token_blacklist (id, expires_at) SELECT CAST(printf('%016d', n) AS BLOB), 1 FROM numbers`,
  );
  const argv = [join(PROJECT, 'cli/main.ts'), 'cleanup', 'run', '--json'];
  const { stderr } = await promisify(execFile)(process.execPath, argv, {
    cwd: emptyFolder(),
    env: {
      APP_ENV: 'TEST',
      APP_DATABASE_URL: test.url,
      APP_SECURITY_KEY_ENCRYPTION_KEY: TEST_KEY_ENCRYPTION_KEY.toString('base64'),
    },
  });
  expect(stderr).toBe('');
  expect(await test.database.query('SELECT COUNT(*) AS count FROM token_blacklist')).toEqual([{ count: 0 }]);
}, 30_000);
