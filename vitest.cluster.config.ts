// A history of many clients on a Galera cluster whose nodes fail: `npm run test:cluster`. Installs the packages of
// CLUSTER_TOOLS if it runs as root on Debian. CLUSTER_RUNS is the number of histories, by default 20.
import { defineConfig } from 'vitest/config';
import { CLUSTER_TOOLS, installMissingTools } from './scripts/test-tools.ts';
import base from './vitest.config.ts';

installMissingTools(CLUSTER_TOOLS);

export default defineConfig({
  test: {
    ...base.test,
    include: ['test/cluster/**/*.test.ts'],
    exclude: [],
    testTimeout: 300_000,
    hookTimeout: 180_000,
  },
});
