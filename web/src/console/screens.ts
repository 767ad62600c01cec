// The screens of the console, in the order of the navigation. load-screen.ts has their components.
import type { ScreenPath } from './permissions.ts';
import { consoleTexts } from './texts.ts';

export interface ConsoleScreen {
  /** The paths below it belong to the screen, too: `/users/ID`. */
  readonly path: ScreenPath;
  readonly title: () => string;
}

export const SCREENS: readonly ConsoleScreen[] = [
  { path: '/', title: () => consoleTexts().overview },
  { path: '/tenants', title: () => consoleTexts().tenants },
  { path: '/users', title: () => consoleTexts().users },
  { path: '/service-accounts', title: () => consoleTexts().serviceAccounts },
  { path: '/applications', title: () => consoleTexts().applications },
  { path: '/sessions', title: () => consoleTexts().sessions },
  { path: '/roles', title: () => consoleTexts().roles },
  { path: '/policy', title: () => consoleTexts().policy },
  { path: '/audit', title: () => consoleTexts().audit },
  { path: '/webhooks', title: () => consoleTexts().webhooks },
  { path: '/signing-keys', title: () => consoleTexts().signingKeys },
  { path: '/explain', title: () => consoleTexts().explain },
];

/** Returns the screen of a path. */
export const findScreen = (path: string): ConsoleScreen | undefined =>
  SCREENS.find((screen) => path === screen.path || path.startsWith(`${screen.path}/`));
