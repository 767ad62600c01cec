import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
import WaitingInBetween from './test/support/sequencer.ts';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts', 'client/test/unit/**/*.test.ts'],
    // `npm run test:languages`, `test:openapi`, `test:operations`, `test:deploy`, `test:cluster`, `test:group` and `test:attacks` run these.
    exclude: [
      'test/languages/**',
      'test/openapi/**',
      'test/operations/**',
      'test/deploy/**',
      'test/cluster/**',
      'test/group/**',
      'test/attacks/**',
    ],
    alias: [{ find: /^argon2$/, replacement: fileURLToPath(new URL('test/support/argon2.ts', import.meta.url)) }],
    globalSetup: 'test/support/global-setup.ts',
    reporters: ['default', 'test/support/reporter.ts'],
    // Starts of processes take seconds where other tests use the processors.
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // The default of a second is too short on a busy machine.
    expect: { poll: { timeout: 10_000 } },
    pool: 'forks',
    // More than two processors need: some always wait for a deadline or a database.
    maxWorkers: 5,
    sequence: { sequencer: WaitingInBetween },
    // A process for all files of a worker: what they import is loaded, compiled and optimised once, and no file leaves a mock,
    // a changed environment or an open server behind.
    isolate: false,
  },
});
