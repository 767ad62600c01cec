import { describe, expect, it } from 'vitest';
import { Reason } from '../../proto/gen/authservice/error/v1/reason.ts';
import { CATALOGUE } from '../../src/platform/problem/catalogue.ts';
import type { FailureName } from '../../src/platform/problem/catalogue.ts';
import { failure, problem } from '../../src/platform/problem/problem.ts';
import type { Failure } from '../../src/platform/problem/problem.ts';

const diagnostics = { exceptionType: 'ServiceError', exceptionMessage: 'secret reason', stackTrace: 'at src/a.ts:1:2' };

const told = (name: FailureName, more: Partial<Failure> = {}): Failure => ({
  ...failure(name, 'the actual reason'),
  diagnostics,
  ...more,
});

const NAMES = Object.keys(CATALOGUE) as FailureName[];

describe('the catalogue', () => {
  it('supports every reason of the proto', () => {
    const reasons = Object.keys(Reason).map((key) => key.replace('REASON_', ''));
    expect(reasons.filter((name) => name !== 'UNSPECIFIED' && name !== 'UNRECOGNIZED' && !(name in CATALOGUE))).toEqual(
      [],
    );
  });

  it.each<[FailureName, number, string]>([
    ['VALIDATION_ERROR', 400, 'validation-error'],
    ['BAD_CREDENTIALS', 401, 'bad-credentials'],
    ['ACCOUNT_NOT_FOUND', 401, 'account-not-found'],
    ['LOGIN_POLICY_REJECTED', 401, 'login-policy-rejected'],
    ['ACCOUNT_LOCKED', 423, 'account-locked'],
    ['ACCOUNT_DISABLED', 401, 'account-disabled'],
    ['ACCOUNT_EXPIRED', 401, 'account-expired'],
    ['CREDENTIALS_EXPIRED', 401, 'credentials-expired'],
    ['REFRESH_SESSION_INVALID', 401, 'refresh-session-invalid'],
    ['TOKEN_MISSING', 401, 'unauthorized'],
    ['TOKEN_INVALID', 401, 'unauthorized'],
    ['SUBJECT_UNKNOWN', 401, 'unauthorized'],
    ['PERMISSION_DENIED', 403, 'permission-denied'],
    ['NOT_FOUND', 404, 'not-found'],
    ['METHOD_NOT_ALLOWED', 405, 'method-not-allowed'],
    ['PAYLOAD_TOO_LARGE', 413, 'payload-too-large'],
    ['UNSUPPORTED_MEDIA_TYPE', 415, 'unsupported-media-type'],
    ['TOO_MANY_REQUESTS', 429, 'too-many-requests'],
    ['INTERNAL_ERROR', 500, 'internal-error'],
    ['AUTHENTICATION_SERVICE_UNAVAILABLE', 503, 'authentication-service-unavailable'],
    ['SERVICE_UNAVAILABLE', 503, 'service-unavailable'],
    ['CANCELLED', 503, 'service-unavailable'],
  ])('maps %s to %i %s', (name, status, code) => {
    expect(CATALOGUE[name]).toMatchObject({ status, code });
  });
});

describe('problem, under maximal disclosure', () => {
  it('is a whole problem document with the actual reason and its diagnostics', () => {
    expect(problem(told('ACCOUNT_DISABLED'), 'maximal', '/api/v1/auth/login')).toEqual({
      status: 401,
      headers: { 'content-type': 'application/problem+json' },
      body: {
        type: 'urn:service:error:account-disabled',
        title: 'Account disabled',
        status: 401,
        detail: 'the actual reason',
        errorCode: 'account-disabled',
        instance: '/api/v1/auth/login',
        ...diagnostics,
      },
    });
  });

  it('omits members without a value', () => {
    const { body } = problem(failure('NOT_FOUND'), 'maximal', undefined);
    expect(Object.keys(body)).toEqual(['type', 'title', 'status', 'detail', 'errorCode']);
  });

  it.each<[number | undefined, string]>([
    [undefined, '2'],
    [0, '1'],
    [1, '1'],
    [1000, '1'],
    [1001, '2'],
    [60_000, '60'],
  ])('rounds a retry time of %s ms up to %s s', (retryAfterMs, seconds) => {
    expect(problem(told('TOO_MANY_REQUESTS', { retryAfterMs }), 'maximal', '/').headers['retry-after']).toBe(seconds);
  });

  it('has Retry-After only if a retry may help', () => {
    const retrying = NAMES.filter((name) => 'retry-after' in problem(told(name), 'maximal', '/').headers);
    expect(retrying.map((name) => CATALOGUE[name].status)).toEqual([429, 503, 503, 503, 503]);
  });

  it('has a Bearer challenge only if a token is missing or invalid', () => {
    const challenging = NAMES.filter(
      (name) => problem(told(name), 'maximal', '/').headers['www-authenticate'] === 'Bearer',
    );
    expect(challenging).toEqual(['TOKEN_MISSING', 'TOKEN_INVALID', 'SUBJECT_UNKNOWN']);
  });
});

describe('problem, under minimal disclosure', () => {
  it.each(NAMES)('returns neither the reason nor diagnostics for %s', (name) => {
    const text = JSON.stringify(problem(told(name), 'minimal', '/'));
    expect(text).not.toMatch(/actual reason|secret reason|ServiceError|stackTrace/);
  });

  it('maps all rejected logins to the same document', () => {
    const refused = NAMES.filter((name) => CATALOGUE[name].refusedLogin);
    const more = { retryAfterMs: 900_000, violations: [{ message: 'x' }] };
    const responses = refused.map((name) => JSON.stringify(problem(told(name, more), 'minimal', '/api/v1/auth/login')));
    expect(refused).toHaveLength(9);
    expect(new Set(responses)).toEqual(
      new Set([JSON.stringify(problem(told('BAD_CREDENTIALS'), 'minimal', '/api/v1/auth/login'))]),
    );
  });

  it('contains violations and the detail of missing login credentials', () => {
    const violations = [{ message: 'is required', format: 'required', props: ['password'] }];
    const { body } = problem(
      told('VALIDATION_ERROR', { message: 'Missing login credentials', violations }),
      'minimal',
      '/',
    );
    expect(body).toMatchObject({ detail: 'Missing login credentials', violations });
  });
});

describe('problem, in both modes', () => {
  it.each<[FailureName, string]>([
    ['TOKEN_MISSING', 'Unauthorized - Missing or invalid token'],
    ['TOKEN_INVALID', 'Unauthorized - Invalid or expired token'],
    ['SUBJECT_UNKNOWN', 'Unauthorized - User not found'],
  ])('has for %s the text: %s', (name, detail) => {
    for (const mode of ['maximal', 'minimal'] as const) {
      expect(problem(told(name), mode, '/').body).toMatchObject({ title: 'Unauthorized', detail });
    }
  });
});
