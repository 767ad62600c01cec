// The OpenAPI document against the service, and the clients that generators make of it: `npm run test:openapi`.
import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/openapi/*.test.ts'],
    // They use the embedded database alone: no server of databases is started.
    globalSetup: 'test/languages/setup.ts',
    reporters: ['default', 'test/support/reporter.ts'],
    testTimeout: 400_000,
    // Packages and compilers on a machine that has none of their caches.
    hookTimeout: 480_000,
    maxWorkers: 2,
    isolate: false,
  },
});
