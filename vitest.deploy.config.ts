// The files of deploy/ against their schemas, the content of the image in containers, and completion in shells:
// `npm run test:deploy`. Installs the shells of SHELL_TOOLS if it runs as root on Debian.
import { defineConfig } from 'vitest/config';
import { installMissingTools, SHELL_TOOLS } from './scripts/test-tools.ts';

installMissingTools(SHELL_TOOLS);

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
