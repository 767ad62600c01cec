// The policies of tests that compose parts by hand: the defaults of the settings, and no tenant has a policy.
import { createPolicies, type Policies } from '../../src/auth/access/policy/policies.ts';
import type { Policy } from '../../src/auth/access/policy/policy-fields.ts';
import type { Definitions } from '../../src/auth/access/roles/definitions.ts';

/** The values of a service with the defaults. */
export const SERVICE_POLICY: Policy = {
  passwordMinLength: 12,
  accessTokenTtl: 900,
  sessionIdleWindow: 30 * 24 * 3600,
  sessionAbsoluteLifetime: undefined,
  sessionsPerAccount: 100,
  lockMaxFailures: 5,
  lockDuration: 900,
  allowedOrigins: { origins: ['https://shop.example', 'https://admin.example'], anyLoopbackPort: false },
  freshSession: 600,
  recovery: true,
  language: 'en',
  secondFactor: 'OPTIONAL',
  passkeyLogin: true,
  sharedApplications: true,
};

/** @param values Other values of the service. */
export function createTestPolicies(values: Partial<Policy> = {}): Policies {
  return createPolicies(
    { ...SERVICE_POLICY, ...values },
    { load: async () => ({ policy: undefined }) as unknown as Definitions },
  );
}
