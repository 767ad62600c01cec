import type { GatewaySettings } from '../../context.ts';
import { authPath } from '../auth-path.ts';

/** The endpoints below the same path that answer alike under both profiles. */
const SHARED = ['token', 'introspect', 'revoke', 'verify'];

/** Whether a path, a route's or an unknown one, answers errors as Profile B does. */
export function tokenProfilePaths(
  settings: Pick<GatewaySettings, 'app.http.context-path' | 'app.security.auth-profile'>,
): (path: string) => boolean {
  if (settings['app.security.auth-profile'] !== 'B') return () => false;
  const auth = authPath(settings);
  const shared = new Set(SHARED.map((name) => `${auth}/${name}`));
  return (path) => path === auth || (path.startsWith(`${auth}/`) && !shared.has(path));
}
