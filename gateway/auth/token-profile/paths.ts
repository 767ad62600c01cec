import type { GatewaySettings } from '../../context.ts';
import { authPath } from '../auth-path.ts';

/** Whether a path, a route's or an unknown one, answers errors as Profile B does: all of its own, but not the token endpoint. */
export function tokenProfilePaths(
  settings: Pick<GatewaySettings, 'app.http.context-path' | 'app.security.auth-profile'>,
): (path: string) => boolean {
  if (settings['app.security.auth-profile'] !== 'B') return () => false;
  const auth = authPath(settings);
  return (path) => path === auth || (path.startsWith(`${auth}/`) && path !== `${auth}/token`);
}
