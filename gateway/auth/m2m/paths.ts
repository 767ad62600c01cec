import type { GatewaySettings } from '../../context.ts';
import { authPath } from '../../api-path.ts';

/** Returns whether a path is that of an OAuth endpoint, whose errors have the OAuth format. */
export function oauthPaths(settings: Pick<GatewaySettings, 'app.http.context-path'>): (path: string) => boolean {
  const auth = authPath(settings);
  const paths = new Set(['token', 'introspect', 'revoke'].map((name) => `${auth}/${name}`));
  return (path) => paths.has(path);
}
