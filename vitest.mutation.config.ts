// The tests that Stryker runs against every mutant: those of the mutated files alone, so that each run takes seconds.
import { defineConfig } from 'vitest/config';
import base from './vitest.config.ts';

export default defineConfig({
  test: {
    ...base.test,
    include: [
      'test/unit/{access-token,access-token-verify,attempt-slot,eligibility,permissions,rotation,rotate,rotate-steps,rotation-batches,confirm-replay,settlements}.test.ts',
      'test/store/account-lock{,-decoys}.test.ts',
      'test/rpc/pipeline/{access-rules,admission}.test.ts',
    ],
  },
});
