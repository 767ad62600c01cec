import type { FastifyRequest } from 'fastify';
import { requestPath } from '../../src/problem/request-path.ts';

const API = '/api/v1';

/** The path that the request's own lies beneath, as the client knows it: `/shop/api/v1` of `/shop/api/v1/orders`. */
export function apiRootOf({ originalUrl, routeOptions }: Pick<FastifyRequest, 'originalUrl' | 'routeOptions'>): string {
  const pattern = routeOptions.url ?? '';
  const below = pattern.slice(pattern.lastIndexOf(API) + API.length).split('/').length - 1;
  return requestPath(originalUrl).split('/').slice(0, -below).join('/');
}
