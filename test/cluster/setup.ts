import type { TestProject } from 'vitest/node';
import { CLUSTER_TOOLS, installMissingTools } from '../../scripts/test-tools.ts';
import startDatabases from '../support/global-setup.ts';

/** Installs Galera if this runs as root on Debian. */
export default function setup(project: TestProject): Promise<() => Promise<void>> {
  installMissingTools(CLUSTER_TOOLS);
  return startDatabases(project);
}
