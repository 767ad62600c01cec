import type { BuiltInPermission, Grants } from '../auth/access/roles/built-in-roles.ts';

const READ: readonly BuiltInPermission[] = [
  'READ_PRODUCTS',
  'READ_ORDERS',
  'READ_CUSTOMERS',
  'READ_DASHBOARD',
  'READ_REFERENCE_DATA',
];

const BUSINESS: readonly BuiltInPermission[] = [
  ...READ,
  'WRITE_PRODUCTS',
  'WRITE_ORDERS',
  'CHANGE_ORDER_STATUS',
  'WRITE_CUSTOMERS',
  'USE_FILES',
];

/** The permissions of the shop that built-in roles get. */
export const SHOP_GRANTS: Grants = {
  // WRITE_ORDERS allows all that the last two allow. An administrator holds them to be able to give FLORIST and DELIVERY.
  TENANT_ADMIN: [...BUSINESS, 'PRODUCE_ORDERS', 'DELIVER_ORDERS'],
  ADMIN: BUSINESS,
  OWNER: BUSINESS,
  MANAGER: BUSINESS,
  SALES: [
    'READ_PRODUCTS',
    'READ_ORDERS',
    'WRITE_ORDERS',
    'CHANGE_ORDER_STATUS',
    'READ_CUSTOMERS',
    'WRITE_CUSTOMERS',
    'READ_DASHBOARD',
    'READ_REFERENCE_DATA',
    'USE_FILES',
  ],
  ACCOUNTANT: READ,
  PURCHASER: ['READ_PRODUCTS', 'WRITE_PRODUCTS', 'READ_ORDERS', 'READ_DASHBOARD', 'READ_REFERENCE_DATA', 'USE_FILES'],
  FLORIST: [
    'READ_PRODUCTS',
    'READ_ORDERS',
    'CHANGE_ORDER_STATUS',
    'PRODUCE_ORDERS',
    'READ_REFERENCE_DATA',
    'USE_FILES',
  ],
  DELIVERY: [
    'READ_ORDERS',
    'CHANGE_ORDER_STATUS',
    'DELIVER_ORDERS',
    'READ_CUSTOMERS',
    'READ_REFERENCE_DATA',
    'USE_FILES',
  ],
  TENANT_USER: READ,
};
