import type { FastifyRequest } from 'fastify';
import type { GatewaySettings } from './context.ts';
import { requestPath } from '../src/platform/problem/request-path.ts';

/** Returns the path before `/api/v1`. Empty if the context path can be any. */
export function contextPath(settings: Pick<GatewaySettings, 'app.http.context-path'>): string {
  const path = settings['app.http.context-path'];
  return path === 'any' ? '' : path;
}

/** Returns the path prefix of all endpoints of version 1: the context path and `/api/v1`. */
export function apiPath(settings: Pick<GatewaySettings, 'app.http.context-path'>): string {
  return `${contextPath(settings)}/api/v1`;
}

/** Returns the path prefix of all authentication endpoints, in both profiles. */
export function authPath(settings: Pick<GatewaySettings, 'app.http.context-path'>): string {
  return `${apiPath(settings)}/auth`;
}

export const API = '/api/v1';

/** Returns the API prefix of the path that the client sent: `/shop/api/v1` for `/shop/api/v1/orders`. */
export function apiRootOf({ originalUrl, routeOptions }: Pick<FastifyRequest, 'originalUrl' | 'routeOptions'>): string {
  const pattern = routeOptions.url ?? '';
  const below = pattern.slice(pattern.lastIndexOf(API) + API.length).split('/').length - 1;
  return requestPath(originalUrl).split('/').slice(0, -below).join('/');
}
