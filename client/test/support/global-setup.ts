import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { npmPackages } from '../../../test/openapi/cache.ts';
import startDatabases from '../../../test/support/global-setup.ts';
import { findChromium } from './chromium.ts';

const PROJECT = join(import.meta.dirname, '../../..');

/** Builds what is published, installs what the examples need, and finds the browser and the database server. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  findChromium();
  execFileSync(join(PROJECT, 'node_modules/.bin/tsc'), ['-p', join(PROJECT, 'client/tsconfig.build.json')], {
    stdio: 'inherit',
  });
  await npmPackages('client-examples', join(PROJECT, 'client/examples'));
  return startDatabases(project);
}
