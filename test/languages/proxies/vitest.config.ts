import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

export default defineConfig({
  root: fileURLToPath(new URL('../../..', import.meta.url)),
  test: {
    include: ['test/languages/proxies/*.test.ts'],
    reporters: ['default', 'test/support/reporter.ts'],
    testTimeout: 60_000,
    // Packages are installed, and Caddy and Traefik are compiled, where that has not been done.
    hookTimeout: 900_000,
    pool: 'forks',
    // The helpers of other tests want to know; these ones start real processes on SQLite.
    provide: { engines: ['sqlite'] },
    maxWorkers: 1,
    isolate: false,
  },
});
