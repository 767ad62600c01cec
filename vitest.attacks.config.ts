// Floods, memory and response times of a running service under attack: `npm run test:attacks`.
import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/attacks/*.test.ts'],
    globalSetup: 'test/support/global-setup.ts',
    reporters: ['default', 'test/support/reporter.ts'],
    testTimeout: 240_000,
    hookTimeout: 120_000,
    // They measure times and memory: one at a time.
    maxWorkers: 1,
    isolate: false,
  },
});
