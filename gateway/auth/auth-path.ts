import { apiPath } from '../api-path.ts';
import type { GatewaySettings } from '../context.ts';

/** Returns the path prefix of all authentication endpoints, in both profiles. */
export function authPath(settings: Pick<GatewaySettings, 'app.http.context-path'>): string {
  return `${apiPath(settings)}/auth`;
}
