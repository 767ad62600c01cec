// The sentences of findings.
import { expect, it } from 'vitest';
import { finding, FINDINGS, type FindingCode } from '../../src/auth/access/findings.ts';

it('has its parameters in its sentence', () => {
  expect(finding('SESSION_OPEN', { session: '01a2' })).toEqual({
    code: 'SESSION_OPEN',
    params: { session: '01a2' },
    detail: 'session 01a2 is open',
  });
});

it('names the values of the policy and their sources, if it has some', () => {
  const until = '2026-01-02T03:04:05.000Z';
  expect(finding('ACCOUNT_LOCKED', { until }).detail).toBe(`the account is locked until ${until}`);
  const policy = {
    lockMaxFailures: '3',
    lockMaxFailuresSource: 'TENANT',
    lockDuration: '900',
    lockDurationSource: 'x.y',
  };
  expect(finding('ACCOUNT_LOCKED', { until, ...policy }).detail).toBe(
    `the account is locked until ${until} (lockMaxFailures 3, of the tenant's policy; lockDuration 900, of the service's x.y)`,
  );
});

it('has lists in words', () => {
  expect(finding('FACTOR_NEEDED', { methods: 'totp recovery-code' }).detail).toMatch(/: totp, recovery-code$/);
  expect(finding('CLIENT_SECRETS_LIVE', { secrets: 'a b/2026-01-02T03:04:05.000Z' }).detail).toBe(
    'live client secrets: a without an end, b until 2026-01-02T03:04:05.000Z',
  );
});

it('has no code of another form, and no sentence twice', () => {
  const codes = Object.keys(FINDINGS) as FindingCode[];
  expect(codes.filter((code) => !/^[A-Z]+(?:_[A-Z]+)*$/.test(code))).toEqual([]);
  expect(new Set(Object.values(FINDINGS)).size).toBe(codes.length);
});
