// The error responses of routes in the OpenAPI document: one per status, with its error codes.
import { Type } from '../type.ts';
import type { RouteOptions } from 'fastify';
import { mapValues } from './components.ts';
import { failuresOf } from '../contract/contracts.ts';
import type { ErrorFormat } from '../errors/error-formats.ts';
import { CATALOGUE, type FailureName } from '../../src/platform/problem/catalogue.ts';

/** Failures of all routes, before the handler is called. */
const ANYWHERE: readonly FailureName[] = [
  'MALFORMED_REQUEST',
  'REQUEST_TIMEOUT',
  'HEADERS_TOO_LARGE',
  'INTERNAL_ERROR',
  'NOT_IMPLEMENTED',
];
const WITH_BODY: readonly FailureName[] = ['PAYLOAD_TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE'];

function allFailuresOf({ method, config: { rpc, checksCredential, failures } = {} }: RouteOptions): FailureName[] {
  return [
    ...ANYWHERE,
    ...(method === 'GET' ? [] : WITH_BODY),
    ...(rpc === undefined
      ? []
      : ([checksCredential ? 'AUTHENTICATION_SERVICE_UNAVAILABLE' : 'SERVICE_UNAVAILABLE'] as const)),
    ...(failures ?? (rpc === undefined ? [] : failuresOf(rpc))),
  ];
}

const RETRY_AFTER = { 'Retry-After': Type.Integer({ description: 'Seconds to wait before the next attempt.' }) };
const CHALLENGE = {
  'WWW-Authenticate': Type.String({ description: 'The scheme by which authentication failed.' }),
};

const UNSATISFIED_RANGE = { 'Content-Range': Type.String({ description: 'The size of the file in bytes.' }) };

/** Returns one response per failure status of a route. Its description lists the error codes. */
export function errorResponses(route: RouteOptions, format: ErrorFormat): Record<string, unknown> {
  const byStatus = Map.groupBy(allFailuresOf(route), (name) => format.errorOf(name).status);
  return Object.fromEntries([...byStatus].map(([status, named]) => [status, errorResponse(named, format)]));
}

function errorResponse(failures: readonly FailureName[], { errorOf, isChallenge, schemas }: ErrorFormat) {
  const codes = new Set(failures.map((name) => errorOf(name).code));
  const headers = {
    ...(failures.some(isChallenge) && CHALLENGE),
    ...(failures.includes('RANGE_NOT_SATISFIABLE') && UNSATISFIED_RANGE),
    ...(failures.some(hasRetryAfter) && RETRY_AFTER),
  };
  const content = mapValues(schemas, (name) => ({ schema: { $ref: `#/components/schemas/${name}` } }));
  return { description: [...codes].join(', '), content, ...(Object.keys(headers).length > 0 && { headers }) };
}

function hasRetryAfter(name: FailureName): boolean {
  const { retryAfterSeconds, namesRetryAfter } = CATALOGUE[name];
  return retryAfterSeconds !== undefined || namesRetryAfter === true;
}
