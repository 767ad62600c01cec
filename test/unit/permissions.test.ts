import { describe, expect, it } from 'vitest';
import { Permission } from '../../proto/gen/authservice/access/v1/access.ts';
import { permissionNamed, permissionNames, permissionsOf } from '../../src/auth/identity/authentication/permissions.ts';
import { ROLES, type Role } from '../../src/auth/principal/account.ts';

const ADMINISTRATION = 'MANAGE_USERS MANAGE_CLIENTS MANAGE_API_KEYS MANAGE_SESSIONS READ_AUDIT';
const SALES =
  'READ_PRODUCTS READ_ORDERS WRITE_ORDERS CHANGE_ORDER_STATUS READ_CUSTOMERS WRITE_CUSTOMERS READ_DASHBOARD';
const READ = 'READ_PRODUCTS READ_ORDERS READ_CUSTOMERS READ_DASHBOARD READ_REFERENCE_DATA';
const BUSINESS =
  'READ_PRODUCTS WRITE_PRODUCTS READ_ORDERS WRITE_ORDERS CHANGE_ORDER_STATUS READ_CUSTOMERS WRITE_CUSTOMERS ' +
  'READ_DASHBOARD READ_REFERENCE_DATA USE_FILES';
const PRODUCTION =
  'READ_PRODUCTS WRITE_PRODUCTS READ_ORDERS WRITE_ORDERS CHANGE_ORDER_STATUS PRODUCE_ORDERS DELIVER_ORDERS ' +
  'READ_CUSTOMERS WRITE_CUSTOMERS READ_DASHBOARD READ_REFERENCE_DATA USE_FILES';

/** By role, in the order of the declaration; roles that inherit others have theirs too. */
const PERMISSIONS: Readonly<Record<Role, string>> = {
  SUPER_ADMIN: `MANAGE_TENANTS ${ADMINISTRATION} EXPLAIN_CREDENTIALS MANAGE_SIGNING_KEYS`,
  TENANT_ADMIN: `${ADMINISTRATION} ${BUSINESS} EXPLAIN_CREDENTIALS`,
  ADMIN: `${ADMINISTRATION} ${PRODUCTION} EXPLAIN_CREDENTIALS`,
  OWNER: `${ADMINISTRATION} ${PRODUCTION} EXPLAIN_CREDENTIALS`,
  MANAGER: BUSINESS,
  SALES: `${SALES} READ_REFERENCE_DATA USE_FILES`,
  ACCOUNTANT: READ,
  PURCHASER: 'READ_PRODUCTS WRITE_PRODUCTS READ_ORDERS READ_DASHBOARD READ_REFERENCE_DATA USE_FILES',
  FLORIST: 'READ_PRODUCTS READ_ORDERS CHANGE_ORDER_STATUS PRODUCE_ORDERS READ_REFERENCE_DATA USE_FILES',
  DELIVERY: 'READ_ORDERS CHANGE_ORDER_STATUS DELIVER_ORDERS READ_CUSTOMERS READ_REFERENCE_DATA USE_FILES',
  TENANT_USER: READ,
};

const ofTenant = (...roles: Role[]) => permissionsOf({ roles, tenantId: 'acme' });
const withoutTenant = (...roles: Role[]) => permissionNames(permissionsOf({ roles, tenantId: undefined })).join(' ');

describe('permissionsOf', () => {
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

  it('returns the same Set object for the same roles', () => {
    expect(ofTenant('SALES', 'FLORIST')).toBe(ofTenant('SALES', 'FLORIST'));
    expect(ofTenant('SALES')).not.toBe(ofTenant('FLORIST'));
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
