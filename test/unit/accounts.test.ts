import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { flattenRoles, prefixedRoles, ROLES, type Account } from '../../src/principal/account.ts';
import { findIneligibility } from '../../src/identity/authentication/eligibility.ts';
import { canonicalUsername, isPossiblePassword } from '../../src/formats/username.ts';
import { networkOf } from '../../src/formats/network.ts';

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
      findIneligibility('password', { account: { ...account, ...changes }, tenantStatus }, NOW)?.reason;
    const refusal = (changes: Partial<Account>) => of(changes, 'ACTIVE');
    expect(findIneligibility('password', undefined, NOW)?.reason).toBe('unknown');
    expect(refusal(everything)).toBe('service-account');
    expect(of({ ...everything, interactive: true }, 'SUSPENDED')).toBe('tenant-suspended');
    expect(of({ ...everything, interactive: true }, undefined)).toBe('tenant-suspended');
    expect(refusal({ ...everything, interactive: true })).toBe('locked');
    expect(refusal({ disabled: true, accountExpiresAt: NOW })).toBe('disabled');
    expect(refusal({ accountExpiresAt: NOW })).toBe('expired');
    expect(refusal({ lockedUntil: NOW, accountExpiresAt: NOW + 1, credentialsExpireAt: NOW })).toBeUndefined();
    expect(of({ tenantId: undefined }, undefined)).toBeUndefined();
  });

  it('lets a locked account keep what it has', () => {
    const of = (
      credential: 'refresh-token' | 'api-key' | 'access-token',
      changes: Partial<Account>,
      tenant = 'ACTIVE',
    ) =>
      credential === 'refresh-token'
        ? findIneligibility(credential, { account: { ...account, ...changes }, tenantStatus: tenant as 'ACTIVE' }, NOW)
        : findIneligibility(
            credential,
            {
              account: { ...account, interactive: credential !== 'api-key', ...changes },
              tenantStatus: tenant as 'ACTIVE',
            },
            NOW,
            true,
          );
    for (const credential of ['refresh-token', 'api-key', 'access-token'] as const) {
      expect(of(credential, { lockedUntil: NOW + 1 })).toBeUndefined();
      expect(of(credential, {}, 'SUSPENDED')?.detail).toBe('the tenant is suspended');
      expect(of(credential, { disabled: true })?.detail).toBe('the account is disabled');
      expect(of(credential, { accountExpiresAt: NOW })?.detail).toBe('the account has expired');
    }
  });

  it.each(['client-secret', 'api-key', 'access-token'] as const)(
    'demands a tenant of service accounts where tenants are isolated: %s',
    (credential) => {
      const standing = (changes: Partial<Account>) => ({
        account: { ...account, interactive: false, tenantId: undefined, ...changes },
        tenantStatus: undefined,
      });
      expect(findIneligibility(credential, standing({ disabled: true }), NOW, true)?.reason).toBe('tenantless');
      expect(findIneligibility(credential, standing({ disabled: true }), NOW, false)?.reason).toBe('disabled');
      expect(findIneligibility(credential, standing({}), NOW, false)).toBeUndefined();
    },
  );

  it('demands none of a SUPER_ADMIN', () => {
    const standing = { account: { ...account, tenantId: undefined }, tenantStatus: undefined };
    expect(findIneligibility('access-token', standing, NOW, true)).toBeUndefined();
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
