// The screens of the console, in the order of the navigation.
import type { FunctionComponent } from 'preact';
import { consoleTexts } from './texts.ts';

export interface ConsoleScreen {
  /** The paths below it belong to the screen, too: `/users/ID`. */
  readonly path: string;
  readonly title: () => string;
  /** The permissions that its operations need. Without them, the screen is not in the navigation. */
  readonly permissions: readonly string[];
  /** Loads its component, which is the default export of a file. */
  readonly load: () => Promise<{ readonly default: FunctionComponent }>;
}

export const SCREENS: readonly ConsoleScreen[] = [
  {
    path: '/',
    title: () => consoleTexts().overview,
    permissions: ['READ_AUDIT'],
    load: () => import('./overview/overview.tsx'),
  },
  {
    path: '/tenants',
    title: () => consoleTexts().tenants,
    permissions: ['MANAGE_TENANTS'],
    load: () => import('./tenants/tenants.tsx'),
  },
  {
    path: '/users',
    title: () => consoleTexts().users,
    permissions: ['MANAGE_USERS'],
    load: () => import('./users/users.tsx'),
  },
  {
    path: '/service-accounts',
    title: () => consoleTexts().serviceAccounts,
    permissions: ['MANAGE_CLIENTS'],
    load: () => import('./service-accounts/service-accounts.tsx'),
  },
  {
    path: '/sessions',
    title: () => consoleTexts().sessions,
    permissions: ['MANAGE_SESSIONS'],
    load: () => import('./sessions/sessions.tsx'),
  },
  {
    path: '/roles',
    title: () => consoleTexts().roles,
    permissions: ['MANAGE_ROLES'],
    load: () => import('./roles/roles.tsx'),
  },
  {
    path: '/policy',
    title: () => consoleTexts().policy,
    permissions: ['MANAGE_POLICY'],
    load: () => import('./policy/policy.tsx'),
  },
  {
    path: '/audit',
    title: () => consoleTexts().audit,
    permissions: ['READ_AUDIT'],
    load: () => import('./audit/audit.tsx'),
  },
  {
    path: '/webhooks',
    title: () => consoleTexts().webhooks,
    permissions: ['MANAGE_WEBHOOKS', 'READ_AUDIT'],
    load: () => import('./webhooks/webhooks.tsx'),
  },
  {
    path: '/signing-keys',
    title: () => consoleTexts().signingKeys,
    permissions: ['MANAGE_SIGNING_KEYS'],
    load: () => import('./signing-keys/signing-keys.tsx'),
  },
  {
    path: '/explain',
    title: () => consoleTexts().explain,
    permissions: ['EXPLAIN_CREDENTIALS'],
    load: () => import('./explain/explain.tsx'),
  },
];

/** Returns the screen of a path. */
export const findScreen = (path: string): ConsoleScreen | undefined =>
  SCREENS.find((screen) => path === screen.path || path.startsWith(`${screen.path}/`));
