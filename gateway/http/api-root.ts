import type { FastifyRequest } from 'fastify';
import { requestPath } from '../../src/platform/problem/request-path.ts';

const API = '/api/v1';

/** Returns the API prefix of the path that the client sent: `/shop/api/v1` for `/shop/api/v1/orders`. */
export function apiRootOf({ originalUrl, routeOptions }: Pick<FastifyRequest, 'originalUrl' | 'routeOptions'>): string {
  const pattern = routeOptions.url ?? '';
  const below = pattern.slice(pattern.lastIndexOf(API) + API.length).split('/').length - 1;
  return requestPath(originalUrl).split('/').slice(0, -below).join('/');
}
