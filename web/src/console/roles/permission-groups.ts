// The built-in permissions in groups. A test compares them with those of the service.

/** In the order of the form. */
export const PERMISSION_GROUPS = {
  people: ['READ_USERS', 'MANAGE_USERS', 'RECOVER_USERS', 'MANAGE_SESSIONS', 'MANAGE_ROLES'],
  evidence: ['READ_AUDIT', 'EXPLAIN_CREDENTIALS', 'MANAGE_WEBHOOKS'],
  tenant: ['MANAGE_POLICY', 'MANAGE_APPLICATIONS', 'MANAGE_CLIENTS', 'MANAGE_API_KEYS'],
  service: ['MANAGE_TENANTS', 'MANAGE_SIGNING_KEYS'],
  shop: [
    'READ_PRODUCTS',
    'WRITE_PRODUCTS',
    'READ_ORDERS',
    'WRITE_ORDERS',
    'CHANGE_ORDER_STATUS',
    'PRODUCE_ORDERS',
    'DELIVER_ORDERS',
    'READ_CUSTOMERS',
    'WRITE_CUSTOMERS',
    'READ_DASHBOARD',
    'READ_REFERENCE_DATA',
    'USE_FILES',
  ],
} as const;

export type PermissionGroup = keyof typeof PERMISSION_GROUPS;

const SHOP: readonly string[] = PERMISSION_GROUPS.shop;
const BUILT_IN: readonly string[] = Object.values(PERMISSION_GROUPS).flat();

export const isOfShop = (permission: string): boolean => SHOP.includes(permission);
export const isBuiltIn = (permission: string): boolean => BUILT_IN.includes(permission);
