import type { GatewaySettings } from '../../context.ts';
import { authPath } from '../auth-path.ts';

/** Which paths answer errors as OAuth's endpoints do. */
export function oauthPaths(settings: Pick<GatewaySettings, 'app.http.context-path'>): (path: string) => boolean {
  const auth = authPath(settings);
  const paths = new Set(['token', 'introspect', 'revoke'].map((name) => `${auth}/${name}`));
  return (path) => paths.has(path);
}
