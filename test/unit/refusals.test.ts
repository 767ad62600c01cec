// The errors of refusals: one violation with the code, and the sentence as the message.
import { expect, it } from 'vitest';
import { finding } from '../../src/auth/access/findings.ts';
import { findingParams, refusal, REFUSALS } from '../../src/auth/access/refusals.ts';

it('has the field and the parameters of what is in the way', () => {
  expect(refusal('usernameTaken')).toMatchObject({
    reason: 'CONFLICT',
    publicMessage: 'The username is taken',
    violations: [{ message: 'The username is taken', format: 'usernameTaken', props: ['username'] }],
  });
  const domains = refusal('loginDomainTaken', { domain: 'a.test' }, { props: ['loginDomains', '1'] });
  expect(domains.violations).toEqual([
    {
      message: 'Another tenant owns the login domain a.test',
      format: 'loginDomainTaken',
      props: ['loginDomains', '1'],
      params: { domain: 'a.test' },
    },
  ]);
});

it('leaves out in the sentence what is not known', () => {
  const until = '2026-01-02T03:04:05.000Z';
  expect(refusal('twoSecrets', { until }).message).toBe(`Two secrets exist already; one ends at ${until}`);
  expect(refusal('twoSecrets').message).toBe('Two secrets exist already; end one first');
  expect(refusal('roleHoldsMore', { permissions: [] }).message).toBe('The role has permissions that you lack');
  expect(refusal('roleHoldsMore', { permissions: ['A', 'B'] }).message).toMatch(/ lack: A, B$/);
});

it('says why a user cannot log in', () => {
  const params = findingParams(finding('ACCOUNT_DISABLED'));
  expect(params).toEqual({ finding: 'ACCOUNT_DISABLED' });
  expect(refusal('userCannotLogIn', params).message).toBe('The user cannot log in: the account is disabled');
});

it('hides the message of some under minimal disclosure', () => {
  expect(refusal('apiKeyOfUser')).toMatchObject({ reason: 'PRINCIPAL_NOT_ELIGIBLE', publicMessage: undefined });
});

it('has codes of one form', () => {
  expect(Object.keys(REFUSALS).filter((code) => !/^[a-z][A-Za-z]+$/.test(code))).toEqual([]);
});
