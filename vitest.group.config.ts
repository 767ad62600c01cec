// Services with a MySQL replication group whose primary fails: `npm run test:group`. Downloads MySQL from Debian as
// `npm run test:mysql` does.
import { defineConfig } from 'vitest/config';
import { mysqlServerProgram } from './scripts/mysql-server.ts';
import base from './vitest.config.ts';

process.env['TEST_MYSQLD'] ||= mysqlServerProgram();
process.env['TEST_WITHOUT_SQLITE'] = 'true';

export default defineConfig({
  test: {
    ...base.test,
    include: ['test/group/**/*.test.ts'],
    exclude: [],
    testTimeout: 300_000,
    hookTimeout: 180_000,
  },
});
