import { apiPath } from '../api-path.ts';
import type { GatewaySettings } from '../context.ts';

/** The path that all authentication endpoints share, of either profile. */
export function authPath(settings: Pick<GatewaySettings, 'app.http.context-path'>): string {
  return `${apiPath(settings)}/auth`;
}
