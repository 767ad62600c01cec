import type { GatewaySettings } from './context.ts';

/** Returns the path prefix of all endpoints of version 1: the context path and `/api/v1`. */
export function apiPath(settings: Pick<GatewaySettings, 'app.http.context-path'>): string {
  const contextPath = settings['app.http.context-path'];
  return `${contextPath === 'any' ? '' : contextPath}/api/v1`;
}

/** Returns the path prefix of all authentication endpoints, in both profiles. */
export function authPath(settings: Pick<GatewaySettings, 'app.http.context-path'>): string {
  return `${apiPath(settings)}/auth`;
}
