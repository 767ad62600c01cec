// The screens of the console, in the order of the navigation.
import type { FunctionComponent } from 'preact';
import type { ScreenPath } from './permissions.ts';
import { consoleTexts } from './texts.ts';

export interface ConsoleScreen {
  /** The paths below it belong to the screen, too: `/users/ID`. */
  readonly path: ScreenPath;
  readonly title: () => string;
  /** Loads its component, which is the default export of a file. */
  readonly load: () => Promise<{ readonly default: FunctionComponent }>;
}

export const SCREENS: readonly ConsoleScreen[] = [
  { path: '/', title: () => consoleTexts().overview, load: () => import('./overview/overview.tsx') },
  { path: '/tenants', title: () => consoleTexts().tenants, load: () => import('./tenants/tenants.tsx') },
  { path: '/users', title: () => consoleTexts().users, load: () => import('./users/users.tsx') },
  {
    path: '/service-accounts',
    title: () => consoleTexts().serviceAccounts,
    load: () => import('./service-accounts/service-accounts.tsx'),
  },
  { path: '/sessions', title: () => consoleTexts().sessions, load: () => import('./sessions/sessions.tsx') },
  { path: '/roles', title: () => consoleTexts().roles, load: () => import('./roles/roles.tsx') },
  { path: '/policy', title: () => consoleTexts().policy, load: () => import('./policy/policy.tsx') },
  { path: '/audit', title: () => consoleTexts().audit, load: () => import('./audit/audit.tsx') },
  { path: '/webhooks', title: () => consoleTexts().webhooks, load: () => import('./webhooks/webhooks.tsx') },
  {
    path: '/signing-keys',
    title: () => consoleTexts().signingKeys,
    load: () => import('./signing-keys/signing-keys.tsx'),
  },
  { path: '/explain', title: () => consoleTexts().explain, load: () => import('./explain/explain.tsx') },
];

/** Returns the screen of a path. */
export const findScreen = (path: string): ConsoleScreen | undefined =>
  SCREENS.find((screen) => path === screen.path || path.startsWith(`${screen.path}/`));
