// Loads the screens of the console when they are opened.
import type { FunctionComponent } from 'preact';
import type { ScreenPath } from './permissions.ts';

/** Each file has its component as the default export. */
const FILES: Readonly<Record<ScreenPath, () => Promise<{ readonly default: FunctionComponent }>>> = {
  '/': () => import('./overview/overview.tsx'),
  '/tenants': () => import('./tenants/tenants.tsx'),
  '/users': () => import('./users/users.tsx'),
  '/service-accounts': () => import('./service-accounts/service-accounts.tsx'),
  '/applications': () => import('./applications/applications.tsx'),
  '/sessions': () => import('./sessions/sessions.tsx'),
  '/roles': () => import('./roles/roles.tsx'),
  '/policy': () => import('./policy/policy.tsx'),
  '/audit': () => import('./audit/audit.tsx'),
  '/webhooks': () => import('./webhooks/webhooks.tsx'),
  '/signing-keys': () => import('./signing-keys/signing-keys.tsx'),
  '/explain': () => import('./explain/explain.tsx'),
};

/** Returns the component of a screen. */
export async function loadScreen(path: ScreenPath): Promise<FunctionComponent> {
  const { default: Content } = await FILES[path]();
  return Content;
}
