// The values of the tenant's policy that concern a credential, and their source.
import { finding } from '../../access/findings.ts';
import { policyParams, type TenantPolicy } from '../../access/policy/effective-policy.ts';
import { POLICY_FIELD_NAMES, type PolicyFieldName } from '../../access/policy/policy-fields.ts';
import { pass, type Check } from './credential-check.ts';

/** The credentials of people, and what applications have for them. A policy does not concern those of machines. */
type Credential = 'username' | 'bearerToken' | 'refreshCookie' | 'refreshToken' | 'grant';

const SESSION = ['bearerToken', 'refreshCookie', 'refreshToken'] as const;
const LOGIN_AND_REFRESH = ['username', 'refreshCookie', 'refreshToken'] as const;

/** The credentials that each field concerns. The type demands at least one for a new field. */
const CONCERNS: Readonly<Record<PolicyFieldName, readonly [Credential, ...Credential[]]>> = {
  passwordMinLength: ['username'],
  // Lifetimes are those of Profile A. EXPIRY of an access token names its lifetime, since both profiles have access tokens.
  accessTokenTtl: ['refreshCookie', 'grant'],
  sessionIdleWindow: ['refreshCookie'],
  sessionAbsoluteLifetime: ['refreshCookie'],
  sessionsPerAccount: ['username', ...SESSION],
  lockMaxFailures: ['username'],
  lockDuration: ['username'],
  allowedOrigins: LOGIN_AND_REFRESH,
  secondFactor: [...LOGIN_AND_REFRESH, 'grant'],
  freshSession: SESSION,
  recovery: ['username'],
  language: ['username'],
  passkeyLogin: ['username'],
  sharedApplications: ['username', 'grant'],
};

/** Names the values. The check never fails: the checks that apply a value come before it. */
export function explainPolicy(credential: Credential, policy: TenantPolicy): Check {
  const fields = POLICY_FIELD_NAMES.filter((name) => CONCERNS[name].includes(credential));
  return pass('POLICY', finding('POLICY_VALUES', policyParams(policy, ...fields)));
}
