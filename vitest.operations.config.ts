// Metrics, alerts and traces against Prometheus and an OpenTelemetry collector: `npm run test:operations`.
import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/operations/*.test.ts'],
    // They use the embedded database alone: no server of databases is started.
    globalSetup: 'test/languages/setup.ts',
    reporters: ['default', 'test/support/reporter.ts'],
    testTimeout: 60_000,
    // The first run builds the collector.
    hookTimeout: 900_000,
    maxWorkers: 1,
    isolate: false,
  },
});
