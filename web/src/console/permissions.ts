// The permissions that each screen of the console needs, also for the link to the console in /account.

/** The screens in the order of the navigation: path and permissions. `A|B` is one of both. */
export const SCREEN_PERMISSIONS = {
  '/': ['READ_AUDIT'],
  '/tenants': ['MANAGE_TENANTS'],
  '/users': ['READ_USERS'],
  '/service-accounts': ['MANAGE_CLIENTS'],
  '/applications': ['MANAGE_APPLICATIONS'],
  '/sessions': ['MANAGE_SESSIONS|READ_USERS'],
  '/roles': ['MANAGE_ROLES|READ_USERS'],
  '/policy': ['MANAGE_POLICY'],
  '/audit': ['READ_AUDIT'],
  '/webhooks': ['MANAGE_WEBHOOKS', 'READ_AUDIT'],
  '/signing-keys': ['MANAGE_SIGNING_KEYS'],
  '/explain': ['EXPLAIN_CREDENTIALS'],
} as const satisfies Readonly<Record<string, readonly string[]>>;

export type ScreenPath = keyof typeof SCREEN_PERMISSIONS;

/** Whether an account with these permissions can open a screen. */
export const canOpen = (path: ScreenPath, permissions: readonly string[]): boolean =>
  SCREEN_PERMISSIONS[path].every((needed) => needed.split('|').some((permission) => permissions.includes(permission)));

/** Whether an account with these permissions can open any screen. */
export const hasConsole = (permissions: readonly string[]): boolean =>
  (Object.keys(SCREEN_PERMISSIONS) as ScreenPath[]).some((path) => canOpen(path, permissions));
