import { describe, expect, it } from 'vitest';
import { Permission } from '../../proto/gen/authservice/access/v1/access.ts';
import { builtInRights, permissionNames } from '../../src/auth/access/roles/rights.ts';
import {
  createBuiltInRoles,
  missingPermissions,
  permissionNamed,
  ROLES,
  type Role,
} from '../../src/auth/access/roles/built-in-roles.ts';
import { SHOP_GRANTS } from '../../src/composition/shop-grants.ts';
import { SHOP } from '../../gateway/business/module.ts';
import { ADMINISTRATION, DEFINITIONS, PERMISSIONS, PRODUCTION } from '../support/permissions.ts';

const WITH_SHOP = createBuiltInRoles([SHOP_GRANTS]);
const WITHOUT_SHOP = createBuiltInRoles([]);

const ofTenant = (...roles: Role[]) => builtInRights({ roles, tenantId: 'acme' }, WITH_SHOP).permissions;
const withoutTenant = (...roles: Role[]) =>
  permissionNames(builtInRights({ roles, tenantId: undefined }, WITH_SHOP).permissions).join(' ');

describe('builtInRights', () => {
  it.each(ROLES.filter((role) => role !== 'SUPER_ADMIN'))('returns none for %s without a tenant', (role) => {
    expect(withoutTenant(role)).toBe('');
    expect(withoutTenant('SUPER_ADMIN', role)).toBe(PERMISSIONS.SUPER_ADMIN);
  });

  it.each(ROLES)('returns the permissions of %s and no others', (role) => {
    expect(permissionNames(ofTenant(role)).join(' ')).toBe(PERMISSIONS[role]);
  });

  it('adds the permissions of several roles', () => {
    expect(permissionNames(ofTenant('PURCHASER', 'DELIVERY'))).toEqual([
      'READ_PRODUCTS',
      'WRITE_PRODUCTS',
      'READ_ORDERS',
      'CHANGE_ORDER_STATUS',
      'DELIVER_ORDERS',
      'READ_CUSTOMERS',
      'READ_DASHBOARD',
      'READ_REFERENCE_DATA',
      'USE_FILES',
    ]);
  });
});

describe('without the shop', () => {
  it('no role has a permission of the shop', () => {
    const [manager, admin] = ['MANAGER', 'ADMIN'].map((role) =>
      permissionNames(builtInRights({ roles: [role], tenantId: 'acme' }, WITHOUT_SHOP).permissions).join(' '),
    );
    expect(manager).toBe('');
    expect(admin).toBe(`${ADMINISTRATION} EXPLAIN_CREDENTIALS ${DEFINITIONS}`);
  });

  it('exactly its permissions are missing', () => {
    expect(missingPermissions(WITH_SHOP)).toEqual(new Set());
    expect(missingPermissions(WITHOUT_SHOP)).toEqual(new Set(PRODUCTION.split(' ')));
    expect(new Set(SHOP.permissions)).toEqual(missingPermissions(WITHOUT_SHOP));
  });
});

describe('permissionNamed', () => {
  it('returns a permission for its name without the prefix', () => {
    expect(permissionNamed('MANAGE_TENANTS')).toBe(Permission.PERMISSION_MANAGE_TENANTS);
    expect(permissionNamed('USE_FILES')).toBe(Permission.PERMISSION_USE_FILES);
  });

  it.each(['', 'UNSPECIFIED', 'UNRECOGNIZED', 'manage_tenants', 'PERMISSION_USE_FILES', 'toString', '__proto__'])(
    'returns undefined for %j',
    (name) => {
      expect(permissionNamed(name)).toBeUndefined();
    },
  );
});
