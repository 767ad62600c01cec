import type { TestProject } from 'vitest/node';
import { mysqlServerProgram } from '../../scripts/mysql-server.ts';
import startDatabases from './global-setup.ts';

/** These tests use a real MySQL alone. It is downloaded from Debian if TEST_MYSQLD names none. */
export default function setup(project: TestProject): Promise<() => Promise<void>> {
  process.env['TEST_MYSQLD'] ||= mysqlServerProgram();
  process.env['TEST_WITHOUT_SQLITE'] = 'true';
  return startDatabases(project);
}
