// Changes the code that decides on access, one place at a time, and runs the tests that reach it: `npx stryker run`.

// The processes of Stryker inherit it.
process.env['TEST_PROJECT'] = 'mutation';

/** @type {import('@stryker-mutator/api/core').PartialStrykerOptions} */
export default {
  testRunner: 'vitest',
  vitest: { configFile: 'vitest.config.ts' },
  mutate: [
    'src/auth/session/rotation/{rotate,rotation-batches,settlement}.ts',
    'src/auth/identity/authentication/{account-lock,eligibility}.ts',
    'src/auth/access/roles/rights.ts',
    'src/auth/token/access-token.ts',
    'src/auth/keys/compact-jws.ts',
    'src/auth/oauth/{authorize,codes,device,grants,logout,tokens}/decide-*.ts',
    'src/platform/rpc/pipeline/{access-rules,admission}.ts',
  ],
  ignorePatterns: ['bench', 'client', 'data', 'docs', 'examples', 'reports'],
  // Stryker would rewrite tsconfig.json by an interface that TypeScript 7 no longer has; Node does not read that file.
  tsconfigFile: 'none',
  reporters: ['clear-text', 'json'],
  clearTextReporter: { allowColor: false, logTests: false, reportTests: false },
  jsonReporter: { fileName: 'coverage/mutation.json' },
  tempDirName: 'coverage/mutation',
  concurrency: 2,
  thresholds: { high: 95, low: 90, break: 85 },
};
