import type { GatewaySettings } from './context.ts';

/** The path that every endpoint of version 1 lies beneath. */
export function apiPath(settings: Pick<GatewaySettings, 'app.http.context-path'>): string {
  const contextPath = settings['app.http.context-path'];
  return `${contextPath === 'any' ? '' : contextPath}/api/v1`;
}
