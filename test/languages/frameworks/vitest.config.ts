import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

export default defineConfig({
  root: fileURLToPath(new URL('../../..', import.meta.url)),
  test: {
    include: ['test/languages/frameworks/*.test.ts'],
    globalSetup: 'test/languages/setup.ts',
    reporters: ['default', 'test/support/reporter.ts'],
    testTimeout: 60_000,
    // Packages are fetched and compiled where that has not been done.
    hookTimeout: 480_000,
    maxWorkers: 1,
    isolate: false,
  },
});
