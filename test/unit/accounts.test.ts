import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { flattenRoles, prefixedRoles, ROLES, type Account } from '../../src/identity/account.ts';
import { loginRefusal, standingRefusal } from '../../src/identity/eligibility.ts';
import { canonicalUsername, isPossiblePassword } from '../../src/identity/username.ts';
import { networkOf } from '../../src/session/login-rate-limit.ts';

describe('flattenRoles', () => {
  it.each([
    [['ADMIN'], ['ADMIN', 'OWNER', 'MANAGER', 'SALES', 'ACCOUNTANT', 'PURCHASER', 'FLORIST', 'DELIVERY']],
    [['OWNER'], ['OWNER', 'MANAGER', 'SALES', 'ACCOUNTANT', 'PURCHASER', 'FLORIST', 'DELIVERY']],
    [['MANAGER'], ['MANAGER', 'SALES', 'ACCOUNTANT']],
    [['SALES'], ['SALES']],
    [['FLORIST'], ['FLORIST']],
    [
      ['FLORIST', 'DELIVERY'],
      ['FLORIST', 'DELIVERY'],
    ],
    [
      ['MANAGER', 'SALES', 'FLORIST'],
      ['MANAGER', 'SALES', 'ACCOUNTANT', 'FLORIST'],
    ],
    [['SUPER_ADMIN'], ['SUPER_ADMIN']],
    [['TENANT_ADMIN'], ['TENANT_ADMIN']],
  ] as const)('%j', (held, flattened) => {
    expect(flattenRoles(held)).toEqual(flattened);
  });

  it('keeps the primary role first, holds every held role, and each once', () => {
    const held = fc.uniqueArray(fc.constantFrom(...ROLES), { minLength: 1 });
    fc.assert(
      fc.property(held, (roles) => {
        const flattened = flattenRoles(roles);
        expect(flattened[0]).toBe(roles[0]);
        expect(new Set(flattened).size).toBe(flattened.length);
        expect(flattened).toEqual(expect.arrayContaining(roles));
        expect(prefixedRoles(roles)).toEqual(flattened.map((role) => `ROLE_${role}`));
      }),
    );
  });
});

describe('canonicalUsername', () => {
  it.each([
    ['  Alice@Acme.test ', 'alice@acme.test'],
    ['\u0041\u030a', '\u00e5'],
    ['a'.repeat(254), 'a'.repeat(254)],
    ['a'.repeat(255), undefined],
    ['😀'.repeat(254), '😀'.repeat(254)],
    ['', undefined],
    ['   ', undefined],
    ['\ud800', undefined],
    [' '.repeat(1_000_000), undefined],
  ])('%j', (input, canonical) => {
    expect(canonicalUsername(input)).toBe(canonical);
  });

  it('is the same however often it is applied', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 100 }), (input) => {
        const canonical = canonicalUsername(input);
        fc.pre(canonical !== undefined);
        expect(canonicalUsername(canonical)).toBe(canonical);
        expect(canonicalUsername(` ${input.normalize('NFD')} `)).toBe(canonical);
      }),
    );
  });
});

it.each([
  ['x', true],
  [' ', true],
  ['p'.repeat(1024), true],
  ['p'.repeat(1025), false],
  ['😀'.repeat(1024), true],
  ['', false],
  ['\udfff', false],
])('a possible password: %#', (password, possible) => {
  expect(isPossiblePassword(password)).toBe(possible);
});

describe('eligibility', () => {
  const NOW = 1_000;
  const account: Account = {
    id: 'x',
    tenantId: 'acme',
    username: 'u',
    name: 'U',
    email: undefined,
    interactive: true,
    roles: ['SALES'],
    disabled: false,
    accountExpiresAt: undefined,
    credentialsExpireAt: undefined,
    loginFailedCount: 0,
    lockedUntil: undefined,
    createdAt: 0,
  };
  const everything = { interactive: false, lockedUntil: NOW + 1, disabled: true, accountExpiresAt: NOW };

  it('refuses in the order of the contract', () => {
    const of = (changes: Partial<Account>, tenantStatus: 'ACTIVE' | 'SUSPENDED' | undefined) =>
      loginRefusal({ account: { ...account, ...changes }, tenantStatus }, NOW)?.reason;
    const refusal = (changes: Partial<Account>) => of(changes, 'ACTIVE');
    expect(loginRefusal(undefined, NOW)?.reason).toBe('ACCOUNT_NOT_FOUND');
    expect(refusal(everything)).toBe('LOGIN_POLICY_REJECTED');
    expect(of({ ...everything, interactive: true }, 'SUSPENDED')).toBe('LOGIN_POLICY_REJECTED');
    expect(of({ ...everything, interactive: true }, undefined)).toBe('LOGIN_POLICY_REJECTED');
    expect(refusal({ ...everything, interactive: true })).toBe('ACCOUNT_LOCKED');
    expect(refusal({ disabled: true, accountExpiresAt: NOW })).toBe('ACCOUNT_DISABLED');
    expect(refusal({ accountExpiresAt: NOW })).toBe('ACCOUNT_EXPIRED');
    expect(refusal({ lockedUntil: NOW, accountExpiresAt: NOW + 1, credentialsExpireAt: NOW })).toBeUndefined();
    expect(of({ tenantId: undefined }, undefined)).toBeUndefined();
  });

  it('lets a locked account keep the sessions that it has', () => {
    expect(
      standingRefusal({ account: { ...account, lockedUntil: NOW + 1 }, tenantStatus: 'ACTIVE' }, NOW),
    ).toBeUndefined();
    expect(standingRefusal({ account, tenantStatus: 'SUSPENDED' }, NOW)).toBe('the tenant is suspended');
    expect(standingRefusal({ account: { ...account, disabled: true }, tenantStatus: 'ACTIVE' }, NOW)).toBe(
      'the account is disabled',
    );
    expect(standingRefusal({ account: { ...account, accountExpiresAt: NOW }, tenantStatus: 'ACTIVE' }, NOW)).toBe(
      'the account has expired',
    );
  });
});

it.each([
  ['192.0.2.7', '192.0.2.7'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
  ['2001:db8:1:2::9', '2001:db8:1:2::/64'],
  ['2001:0db8:0001:0002:ffff::', '2001:db8:1:2::/64'],
  ['2001:db8::1', '2001:db8:0:0::/64'],
  ['::1', '0:0:0:0::/64'],
  ['fe80::1%eth0', 'fe80:0:0:0::/64'],
  ['unix', 'unix'],
])('logins of %s are limited together with %s', (address, network) => {
  expect(networkOf(address)).toBe(network);
});
