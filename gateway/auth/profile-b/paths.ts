import type { GatewaySettings } from '../../context.ts';
import { authPath } from '../../api-path.ts';

/** Endpoints below the authentication path that are identical in both profiles. */
const SHARED = ['token', 'introspect', 'revoke', 'verify'];

/** Returns whether a path has the error format of Profile B. Unknown paths below the authentication path have it too. */
export function profileBPaths(
  settings: Pick<GatewaySettings, 'app.http.context-path' | 'app.security.auth-profile'>,
): (path: string) => boolean {
  if (settings['app.security.auth-profile'] !== 'B') return () => false;
  const auth = authPath(settings);
  const shared = new Set(SHARED.map((name) => `${auth}/${name}`));
  return (path) => path === auth || (path.startsWith(`${auth}/`) && !shared.has(path));
}
