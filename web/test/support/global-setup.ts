import type { TestProject } from 'vitest/node';
import startDatabases from '../../../test/support/global-setup.ts';
import { findChromium } from '../../../client/test/support/chromium.ts';

/** Finds the browser and the database server. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  findChromium();
  return startDatabases(project);
}
