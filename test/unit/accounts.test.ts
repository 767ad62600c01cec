import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ROLES } from '../../src/auth/access/roles/built-in-roles.ts';
import { canonicalUsername, isPossiblePassword } from '../../src/auth/identity/login-name.ts';
import { networkOf } from '../../src/platform/formats/network.ts';
import { builtInRights, flattenRoles } from '../../src/auth/access/roles/rights.ts';

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

  it('returns the primary role first, and every inherited role once', () => {
    const held = fc.uniqueArray(fc.constantFrom(...ROLES), { minLength: 1 });
    fc.assert(
      fc.property(held, (roles) => {
        const flattened = flattenRoles(roles);
        expect(flattened[0]).toBe(roles[0]);
        expect(new Set(flattened).size).toBe(flattened.length);
        expect(flattened).toEqual(expect.arrayContaining(roles));
        expect(builtInRights({ roles, tenantId: 'acme' }).prefixedRoles).toEqual(
          flattened.map((role) => `ROLE_${role}`),
        );
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

  it('is idempotent', () => {
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
])('accepts a password: %#', (password, possible) => {
  expect(isPossiblePassword(password)).toBe(possible);
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
])('limits logins of %s together with %s', (address, network) => {
  expect(networkOf(address)).toBe(network);
});
