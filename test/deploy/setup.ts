import type { TestProject } from 'vitest/node';
import { installMissingTools, SHELL_TOOLS, TEST_TOOLS } from '../../scripts/test-tools.ts';
import useSqlite from '../support/sqlite-setup.ts';

const { redis, 'database server': database } = TEST_TOOLS;

/** Installs the shells, and the servers of the composition, if this runs as root on Debian. */
export default function setup(project: TestProject): void {
  installMissingTools({ ...SHELL_TOOLS, redis, 'database server': database });
  useSqlite(project);
}
