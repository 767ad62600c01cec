import { describe, expect, it } from 'vitest';
import {
  findIneligibility,
  isLocked,
  isPast,
  lockedUntil,
  tenantStopped,
  type AccountWithTenant,
  type IneligibilityCause,
  type ServiceCredential,
  type UserCredential,
} from '../../src/auth/identity/authentication/eligibility.ts';
import { finding } from '../../src/auth/access/findings.ts';
import { NO_FACTORS, type StoredAccount } from '../../src/auth/access/account.ts';

type CredentialKind = UserCredential | ServiceCredential;

const NOW = Date.UTC(2026, 0, 2, 3, 4, 5);
const USER: StoredAccount = {
  id: 'x',
  tenantId: 'acme',
  username: 'u',
  name: 'U',
  email: undefined,
  interactive: true,
  roles: ['SALES'],
  disabled: false,
  resourceServer: false,
  accountExpiresAt: undefined,
  credentialsExpireAt: undefined,
  loginFailedCount: 0,
  ...NO_FACTORS,
  lockedUntil: undefined,
  createdAt: 0,
};
const SERVICE_ACCOUNT: StoredAccount = { ...USER, interactive: false };
const TENANTLESS: StoredAccount = { ...SERVICE_ACCOUNT, tenantId: undefined };
const LOCKED = { lockedUntil: NOW + 1 };
const DISABLED = { disabled: true };
const EXPIRED = { accountExpiresAt: NOW };

const standingOf = (
  account: StoredAccount,
  tenantStatus: AccountWithTenant['tenantStatus'] = 'ACTIVE',
): AccountWithTenant => ({
  account,
  tenantStatus: account.tenantId === undefined ? undefined : tenantStatus,
});

function refusalOf(credential: CredentialKind, standing: AccountWithTenant | undefined, tenantRequired = true) {
  return credential === 'password' || credential === 'factor' || credential === 'refresh-token'
    ? findIneligibility(credential, standing, NOW)
    : findIneligibility(credential, standing, NOW, tenantRequired);
}

/** Who holds each kind of credential. */
const HOLDERS: readonly [CredentialKind, StoredAccount][] = [
  ['password', USER],
  ['factor', USER],
  ['refresh-token', USER],
  ['client-secret', SERVICE_ACCOUNT],
  ['api-key', SERVICE_ACCOUNT],
  ['access-token', USER],
  ['access-token', SERVICE_ACCOUNT],
];

describe.each(HOLDERS)('an account with a %s', (credential, holder) => {
  const refusal = (changes: Partial<StoredAccount>, tenantStatus?: 'SUSPENDED') =>
    refusalOf(credential, standingOf({ ...holder, ...changes }, tenantStatus));

  it('may use it if nothing prevents it', () => {
    expect(refusal({})).toBeUndefined();
  });

  it('may not use it if the tenant is suspended', () => {
    expect(refusal({}, 'SUSPENDED')).toEqual({
      reason: 'tenant-suspended',
      ...finding('TENANT_SUSPENDED'),
    });
  });

  it('may not use it if the tenant does not exist', () => {
    const standing = { account: holder, tenantStatus: undefined };
    expect(refusalOf(credential, standing)?.reason).toBe('tenant-suspended');
  });

  it('may not use it if the account is disabled', () => {
    expect(refusal(DISABLED)).toEqual({ reason: 'disabled', ...finding('ACCOUNT_DISABLED') });
  });

  it('may not use it from the expiry of the account on', () => {
    expect(refusal({ accountExpiresAt: NOW + 1 })).toBeUndefined();
    expect(refusal(EXPIRED)).toEqual({ reason: 'expired', ...finding('ACCOUNT_EXPIRED') });
  });
});

describe('a locked account', () => {
  it.each([
    ['password', USER],
    ['client-secret', SERVICE_ACCOUNT],
  ] as const)('may not use a %s until the lock ends', (credential, holder) => {
    expect(refusalOf(credential, standingOf({ ...holder, ...LOCKED }))).toMatchObject({
      reason: 'locked',
      code: 'ACCOUNT_LOCKED',
      params: { until: '2026-01-02T03:04:05.001Z' },
      detail: 'the account is locked until 2026-01-02T03:04:05.001Z',
    });
    expect(refusalOf(credential, standingOf({ ...holder, lockedUntil: NOW }))).toBeUndefined();
  });

  it.each([
    ['factor', USER],
    ['refresh-token', USER],
    ['api-key', SERVICE_ACCOUNT],
    ['access-token', USER],
  ] as const)('may continue to use a %s', (credential, holder) => {
    expect(refusalOf(credential, standingOf({ ...holder, ...LOCKED }))).toBeUndefined();
  });
});

describe('the kind of account', () => {
  it.each([
    ['password', SERVICE_ACCOUNT, 'service-account', 'a service account may not log in'],
    ['factor', SERVICE_ACCOUNT, 'service-account', 'a service account may not log in'],
    ['client-secret', USER, 'interactive-account', 'the account is not a service account'],
    ['api-key', USER, 'interactive-account', 'only a service account may hold API keys'],
  ] as const)('limits the use of a %s', (credential, holder, reason, detail) => {
    expect(refusalOf(credential, standingOf(holder))).toMatchObject({ reason, detail });
  });

  it('does not matter for a refresh token or an access token', () => {
    expect(refusalOf('refresh-token', standingOf(SERVICE_ACCOUNT))).toBeUndefined();
    expect(refusalOf('access-token', standingOf(USER))).toBeUndefined();
  });
});

describe('a service account without a tenant', () => {
  it.each(['client-secret', 'api-key', 'access-token'] as const)(
    'may use a %s only if tenants are not isolated',
    (credential) => {
      const refused = { reason: 'tenantless', ...finding('ACCOUNT_WITHOUT_TENANT') };
      expect(refusalOf(credential, standingOf(TENANTLESS), true)).toEqual(refused);
      expect(refusalOf(credential, standingOf(TENANTLESS), false)).toBeUndefined();
      expect(refusalOf(credential, standingOf({ ...TENANTLESS, ...DISABLED }), false)?.reason).toBe('disabled');
    },
  );

  it('is not possible for users: a SUPER_ADMIN has no tenant', () => {
    expect(refusalOf('access-token', standingOf({ ...USER, tenantId: undefined }))).toBeUndefined();
    expect(refusalOf('password', standingOf({ ...USER, tenantId: undefined }))).toBeUndefined();
  });
});

describe('the order of the rules', () => {
  const everything = { ...LOCKED, ...DISABLED, ...EXPIRED };

  it.each<[CredentialKind, StoredAccount, 'ACTIVE' | 'SUSPENDED', IneligibilityCause]>([
    ['password', { ...SERVICE_ACCOUNT, ...everything }, 'SUSPENDED', 'service-account'],
    ['client-secret', { ...USER, ...everything }, 'SUSPENDED', 'interactive-account'],
    ['api-key', { ...USER, ...everything }, 'SUSPENDED', 'interactive-account'],
    ['client-secret', { ...TENANTLESS, ...everything }, 'ACTIVE', 'tenantless'],
    ['password', { ...USER, ...everything }, 'SUSPENDED', 'tenant-suspended'],
    ['password', { ...USER, ...everything }, 'ACTIVE', 'locked'],
    ['password', { ...USER, ...DISABLED, ...EXPIRED }, 'ACTIVE', 'disabled'],
  ])('%s: returns the first violated rule (case %#)', (credential, account, status, reason) => {
    expect(refusalOf(credential, standingOf(account, status))?.reason).toBe(reason);
  });

  it('does not check the expiry of the password', () => {
    expect(refusalOf('password', standingOf({ ...USER, credentialsExpireAt: NOW }))).toBeUndefined();
  });
});

it.each([
  ['password', 'no account has this username'],
  ['factor', 'the account does not exist'],
  ['refresh-token', 'the account does not exist'],
  ['client-secret', 'no account has this client id'],
  ['api-key', 'the subject of the credential does not exist'],
  ['access-token', 'the subject of the credential does not exist'],
] as const)('rejects a %s of an unknown account', (credential, detail) => {
  expect(refusalOf(credential, undefined)).toMatchObject({ reason: 'unknown', detail });
});

describe('single rules', () => {
  it('isLocked: is true until the lock ends', () => {
    expect(isLocked(USER, NOW)).toBe(false);
    expect(isLocked({ ...USER, lockedUntil: NOW }, NOW)).toBe(false);
    expect(isLocked({ ...USER, lockedUntil: NOW + 1 }, NOW)).toBe(true);
  });

  it('isPast: is true from the exact time on', () => {
    expect(isPast(undefined, NOW)).toBe(false);
    expect(isPast(NOW + 1, NOW)).toBe(false);
    expect(isPast(NOW, NOW)).toBe(true);
  });

  it('tenantStopped: is true if the tenant is suspended or missing, but not for an account without a tenant', () => {
    expect(tenantStopped(standingOf(USER))).toBe(false);
    expect(tenantStopped(standingOf(USER, 'SUSPENDED'))).toBe(true);
    expect(tenantStopped({ account: USER, tenantStatus: undefined })).toBe(true);
    expect(tenantStopped(standingOf(TENANTLESS))).toBe(false);
  });

  it('lockedUntil: contains the end in ISO 8601', () => {
    expect(lockedUntil(NOW).detail).toBe('the account is locked until 2026-01-02T03:04:05.000Z');
  });
});
