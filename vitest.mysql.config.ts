// The tests whose outcome depends on the database, on a real MySQL alone: `npm run test:mysql`.
import { globSync, readFileSync } from 'node:fs';
import { defineConfig } from 'vitest/config';
import { mysqlServerProgram } from './scripts/mysql-server.ts';
import base from './vitest.config.ts';

process.env['TEST_MYSQLD'] ||= mysqlServerProgram();
process.env['TEST_WITHOUT_SQLITE'] = 'true';

/** A test that uses one of these names runs on the database server; the others would only be repeated. */
const ON_SERVER = /\b(ENGINES|DEPLOYMENTS|DIAGONAL|SERVER_ENGINE|privateServer)\b/;

export default defineConfig({
  test: {
    ...base.test,
    include: globSync('test/**/*.test.ts', {
      exclude: ['test/languages/**', 'test/operations/**', 'test/attacks/**'],
    }).filter((path) => ON_SERVER.test(readFileSync(path, 'utf8'))),
  },
});
