// The client in a real browser against the real service, and the package as it is published: `npm run test:client`.
import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['client/test/{browser,package}/*.test.ts'],
    globalSetup: 'client/test/support/global-setup.ts',
    reporters: ['default', 'test/support/reporter.ts'],
    testTimeout: 170_000,
    hookTimeout: 120_000,
    // They wait more than they compute.
    maxWorkers: 3,
    maxConcurrency: 12,
    isolate: false,
  },
});
