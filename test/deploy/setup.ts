import type { TestProject } from 'vitest/node';
import { installMissingTools, SHELL_TOOLS } from '../../scripts/test-tools.ts';
import useSqlite from '../support/sqlite-setup.ts';

/** Installs the shells if this runs as root on Debian. */
export default function setup(project: TestProject): void {
  installMissingTools(SHELL_TOOLS);
  useSqlite(project);
}
