// The screens of the console, in the order of the navigation.
import type { FunctionComponent } from 'preact';
import { consoleTexts } from './texts.ts';

export interface ConsoleScreen {
  /** The paths below it belong to the screen, too: `/users/ID`. */
  readonly path: string;
  readonly title: () => string;
  /** The permission that its operations need. Without it, the screen is not in the navigation. */
  readonly permission: string;
  /** Loads its component, which is the default export of a file. */
  readonly load: () => Promise<{ readonly default: FunctionComponent }>;
}

export const SCREENS: readonly ConsoleScreen[] = [
  {
    path: '/',
    title: () => consoleTexts().overview,
    permission: 'READ_AUDIT',
    load: () => import('./overview/overview.tsx'),
  },
  {
    path: '/tenants',
    title: () => consoleTexts().tenants,
    permission: 'MANAGE_TENANTS',
    load: () => import('./tenants/tenants.tsx'),
  },
  {
    path: '/users',
    title: () => consoleTexts().users,
    permission: 'MANAGE_USERS',
    load: () => import('./users/users.tsx'),
  },
  {
    path: '/service-accounts',
    title: () => consoleTexts().serviceAccounts,
    permission: 'MANAGE_CLIENTS',
    load: () => import('./service-accounts/service-accounts.tsx'),
  },
  {
    path: '/sessions',
    title: () => consoleTexts().sessions,
    permission: 'MANAGE_SESSIONS',
    load: () => import('./sessions/sessions.tsx'),
  },
  {
    path: '/roles',
    title: () => consoleTexts().roles,
    permission: 'MANAGE_ROLES',
    load: () => import('./roles/roles.tsx'),
  },
  {
    path: '/policy',
    title: () => consoleTexts().policy,
    permission: 'MANAGE_POLICY',
    load: () => import('./policy/policy.tsx'),
  },
  {
    path: '/audit',
    title: () => consoleTexts().audit,
    permission: 'READ_AUDIT',
    load: () => import('./audit/audit.tsx'),
  },
  {
    path: '/signing-keys',
    title: () => consoleTexts().signingKeys,
    permission: 'MANAGE_SIGNING_KEYS',
    load: () => import('./signing-keys/signing-keys.tsx'),
  },
  {
    path: '/explain',
    title: () => consoleTexts().explain,
    permission: 'EXPLAIN_CREDENTIALS',
    load: () => import('./explain/explain.tsx'),
  },
];

/** Returns the screen of a path. */
export const findScreen = (path: string): ConsoleScreen | undefined =>
  SCREENS.find((screen) => path === screen.path || path.startsWith(`${screen.path}/`));
