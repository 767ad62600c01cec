// Callers in other languages, against real cores: `npm run test:languages`.
import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/languages/*.test.ts'],
    globalSetup: 'test/languages/setup.ts',
    reporters: ['default', 'test/support/reporter.ts'],
    testTimeout: 120_000,
    // Compilers on a machine that has none of their caches.
    hookTimeout: 480_000,
    maxWorkers: 1,
    isolate: false,
  },
});
