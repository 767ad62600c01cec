// The files of deploy/ against their schemas, and the content of the image in containers: `npm run test:deploy`.
import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/deploy/*.test.ts'],
    globalSetup: 'test/languages/setup.ts',
    reporters: ['default', 'test/support/reporter.ts'],
    testTimeout: 120_000,
    // Packages and compilers on a machine that has none of their caches.
    hookTimeout: 480_000,
    maxWorkers: 1,
    isolate: false,
  },
});
