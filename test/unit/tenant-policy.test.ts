// The policy of a tenant: the values in force are never looser than the service's.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  effectivePolicy,
  policyFaults,
  policyParams,
  policyVersion,
  readOwnPolicy,
} from '../../src/auth/access/policy/effective-policy.ts';
import {
  LANGUAGES,
  POLICY_FIELD_NAMES,
  SECOND_FACTOR_RULES,
  type Policy,
} from '../../src/auth/access/policy/policy-fields.ts';
import { finding } from '../../src/auth/access/findings.ts';
import { originMatcher } from '../../src/platform/formats/origins.ts';
import { SERVICE_POLICY } from '../support/policies.ts';
import { ROUNDS } from '../support/rounds.ts';

const ORIGINS = ['https://a.example', 'https://b.example', 'https://c.example', 'http://localhost:3000'];
const seconds = fc.integer({ min: 1, max: 400_000_000 });
const origins = fc.subarray(ORIGINS);

const services: fc.Arbitrary<Policy> = fc.record({
  passwordMinLength: fc.integer({ min: 12, max: 128 }),
  accessTokenTtl: seconds,
  sessionIdleWindow: seconds,
  sessionAbsoluteLifetime: fc.option(seconds, { nil: undefined }),
  sessionsPerAccount: fc.integer({ min: 1, max: 1_000_000 }),
  lockMaxFailures: fc.integer({ min: 1, max: 100 }),
  lockDuration: seconds,
  freshSession: fc.oneof(fc.constant(0), seconds),
  allowedOrigins: fc.record({ origins, anyLoopbackPort: fc.boolean() }),
  secondFactor: fc.constantFrom(...SECOND_FACTOR_RULES),
  recovery: fc.boolean(),
  language: fc.constantFrom(...LANGUAGES),
  passkeyLogin: fc.boolean(),
  sharedApplications: fc.boolean(),
});
/** Values that a database could hold, of any type. */
const stored = fc.oneof(
  fc.anything(),
  fc.record(
    Object.fromEntries(
      POLICY_FIELD_NAMES.map((name) => [
        name,
        fc.oneof(
          fc.integer(),
          fc.double(),
          fc.array(fc.constantFrom(...ORIGINS)),
          fc.constantFrom(...SECOND_FACTOR_RULES),
          fc.anything(),
        ),
      ]),
    ),
    { requiredKeys: [] },
  ),
);

/** Whether no value of a policy is looser than the other one's. */
function isAsStrict(policy: Policy, than: Policy): boolean {
  const most = ['accessTokenTtl', 'sessionIdleWindow', 'sessionsPerAccount', 'lockMaxFailures'] as const;
  const least = ['passwordMinLength', 'lockDuration'] as const;
  const isListed = originMatcher(than.allowedOrigins);
  return (
    most.every((name) => policy[name] <= than[name]) &&
    least.every((name) => policy[name] >= than[name]) &&
    (policy.sessionAbsoluteLifetime ?? Infinity) <= (than.sessionAbsoluteLifetime ?? Infinity) &&
    SECOND_FACTOR_RULES.indexOf(policy.secondFactor) >= SECOND_FACTOR_RULES.indexOf(than.secondFactor) &&
    (policy.freshSession || Infinity) <= (than.freshSession || Infinity) &&
    policy.allowedOrigins.origins.every(isListed) &&
    (than.recovery || !policy.recovery) &&
    (than.passkeyLogin || !policy.passkeyLogin) &&
    (than.allowedOrigins.anyLoopbackPort || !policy.allowedOrigins.anyLoopbackPort)
  );
}

describe('the values in force', () => {
  it('are never looser than the values of the service, whatever is stored', () => {
    fc.assert(
      fc.property(services, stored, (service, value) => {
        expect(isAsStrict(effectivePolicy(service, readOwnPolicy(value)), service)).toBe(true);
      }),
      { numRuns: 250 * ROUNDS },
    );
  });

  it('are the own values that have no fault', () => {
    fc.assert(
      fc.property(services, stored, (service, value) => {
        const own = readOwnPolicy(value);
        if (policyFaults(service, own).length > 0) return;
        const { allowedOrigins, ...effective } = effectivePolicy(service, own);
        expect({ ...effective, allowedOrigins: allowedOrigins.origins }).toMatchObject(own);
      }),
      { numRuns: 250 * ROUNDS },
    );
  });

  it('are as strict or stricter if the service becomes stricter', () => {
    fc.assert(
      fc.property(services, services, stored, (former, later, value) => {
        const own = readOwnPolicy(value);
        const effective = effectivePolicy(later, own);
        if (isAsStrict(later, former)) expect(isAsStrict(effective, effectivePolicy(former, own))).toBe(true);
      }),
      { numRuns: 250 * ROUNDS },
    );
  });
});

describe('bounds', () => {
  it.each([
    [{ passwordMinLength: 11 }, 'passwordMinLength', 'must be at least 12'],
    [{ passwordMinLength: 129 }, 'passwordMinLength', 'must be at most 128'],
    [{ accessTokenTtl: 59 }, 'accessTokenTtl', 'must be at least 60'],
    [{ accessTokenTtl: 901 }, 'accessTokenTtl', 'app.security.access-token-ttl'],
    [{ sessionIdleWindow: 2_592_001 }, 'sessionIdleWindow', 'app.security.refresh-session.idle-window'],
    [{ sessionsPerAccount: 101 }, 'sessionsPerAccount', 'app.security.sessions-per-account'],
    [{ lockMaxFailures: 6 }, 'lockMaxFailures', 'must be at most 5'],
    [{ lockMaxFailures: 2 }, 'lockMaxFailures', 'must be at least 3'],
    [{ lockDuration: 899 }, 'lockDuration', 'must be at least 900'],
    [{ lockDuration: 86_401 }, 'lockDuration', 'must be at most 86400'],
    [{ freshSession: 59 }, 'freshSession', 'must be at least 60'],
    [{ freshSession: 0 }, 'freshSession', 'must be at least 60'],
    [{ freshSession: 601 }, 'freshSession', 'app.security.fresh-session'],
    [{ allowedOrigins: ['https://shop.example', 'https://evil.example'] }, 'allowedOrigins', 'allowed-origins'],
  ])('%j breaks the bound of %s', (own, field, message) => {
    expect(policyFaults(SERVICE_POLICY, own)).toMatchObject([{ field, message: expect.stringContaining(message) }]);
  });

  it('accepts any absolute lifetime from 60 s if the service has no limit', () => {
    expect(policyFaults(SERVICE_POLICY, { sessionAbsoluteLifetime: 60 })).toEqual([]);
    expect(policyFaults(SERVICE_POLICY, { sessionAbsoluteLifetime: 59 })).toHaveLength(1);
  });

  it('accepts any time to administrate, and no limit, only if the service has no limit', () => {
    const service = { ...SERVICE_POLICY, freshSession: 0 };
    for (const freshSession of [0, 60, 100_000]) expect(policyFaults(service, { freshSession })).toEqual([]);
    expect(policyFaults(service, { freshSession: 59 })).toHaveLength(1);
  });

  it('keeps the lock of the interface, although the settings are looser', () => {
    const service = { ...SERVICE_POLICY, lockMaxFailures: 50, lockDuration: 60 };
    expect(policyFaults(service, { lockMaxFailures: 6, lockDuration: 899 })).toHaveLength(2);
  });
});

describe('the version and the description', () => {
  const policy = (own: object, service = SERVICE_POLICY) => {
    const values = readOwnPolicy(own);
    return { own: values, service, effective: effectivePolicy(service, values) };
  };

  it('depends on the own values and on those of the service only', () => {
    const version = policyVersion(policy({ lockMaxFailures: 3 }));
    expect(version).toBe(policyVersion(policy({ lockMaxFailures: 3, unknown: 1 })));
    expect(version).not.toBe(policyVersion(policy({})));
    expect(version).not.toBe(policyVersion(policy({ lockMaxFailures: 3 }, { ...SERVICE_POLICY, lockDuration: 1_000 })));
    expect(Number.isSafeInteger(version) && version >= 1 && version < 1e15).toBe(true);
  });

  it('names the source of a value', () => {
    const own = policy({ lockMaxFailures: 3 });
    const params = policyParams(own, 'lockMaxFailures', 'lockDuration');
    expect(params).toEqual({
      lockMaxFailures: '3',
      lockMaxFailuresSource: 'TENANT',
      lockDuration: '900',
      lockDurationSource: 'app.security.lockout.duration',
    });
    expect(finding('POLICY_VALUES', params).detail).toBe(
      "lockMaxFailures 3, of the tenant's policy; lockDuration 900, of the service's app.security.lockout.duration",
    );
  });

  it.each([
    [['https://shop.example', 'https://gone.example'], {}, "https://shop.example, of the tenant's policy"],
    [['https://gone.example'], {}, "none, of the tenant's policy"],
    [undefined, {}, "https://shop.example https://admin.example, of the service's app.http.cors.allowed-origins"],
    [
      undefined,
      { origins: [], anyLoopbackPort: true },
      "http://localhost:* http://127.0.0.1:*, of the service's app.http.cors.allowed-origins",
    ],
  ])('names the origins %j of a tenant among those of the service', (allowedOrigins, ofService, text) => {
    const service = { ...SERVICE_POLICY, allowedOrigins: { ...SERVICE_POLICY.allowedOrigins, ...ofService } };
    const params = policyParams(policy({ allowedOrigins }, service), 'allowedOrigins');
    expect(finding('POLICY_VALUES', params).detail).toBe(`allowedOrigins ${text}`);
  });
});
