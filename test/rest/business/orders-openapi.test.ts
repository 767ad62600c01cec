// The responses of the order endpoints in the OpenAPI document.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { deploy, type Deployment } from '../../support/deployment.ts';
import { restClient } from '../../support/rest-client.ts';

const ALWAYS = [400, 401, 403, 408, 431, 500, 501, 503];
const BODY = [413, 415];

let deployment: Deployment;
let paths: any; // Whatever came.

beforeAll(async () => {
  deployment = await deploy({ engine: 'sqlite', transport: 'local' });
  paths = (await restClient(deployment.url).send('GET', '/openapi.json')).body.paths;
});
afterAll(() => deployment?.close());

const operationOf = (method: string, path: string) => paths[`/api/v1${path}`][method];

it.each<[method: string, path: string, statuses: number[]]>([
  ['get', '/orders', [200]],
  ['post', '/orders', [201, 409, ...BODY]],
  ['get', '/orders/{id}', [200, 304, 404]],
  ['put', '/orders/{id}', [200, 404, 409, 412, ...BODY]],
  ['patch', '/orders/{id}', [200, 404, 409, 412, ...BODY]],
  ['delete', '/orders/{id}', [204, 404, 409, 412, ...BODY]],
  ['patch', '/orders/{id}/status', [200, 404, 409, 412, ...BODY]],
  ['get', '/orders/{id}/status-history', [200, 404]],
])('%s %s: documents exactly these statuses', (method, path, statuses) => {
  // In ascending order, as keys that are numbers always are.
  const described = Object.keys(operationOf(method, path).responses).map(Number);
  expect(described).toEqual([...ALWAYS, ...statuses].toSorted((a, b) => a - b));
});

it('lists the reasons of each 409', () => {
  const conflictOf = (method: string, path: string) => operationOf(method, path).responses[409].description;
  expect(conflictOf('post', '/orders')).toBe('insufficient-stock, conflict');
  expect(conflictOf('put', '/orders/{id}')).toBe('insufficient-stock, conflict');
  expect(conflictOf('delete', '/orders/{id}')).toBe('conflict');
  expect(conflictOf('patch', '/orders/{id}/status')).toBe('invalid-transition');
});

it('lists the supported request headers', () => {
  const headersOf = (method: string, path: string) =>
    operationOf(method, path)
      .parameters.filter((parameter: { in: string }) => parameter.in === 'header')
      .map(({ name }: { name: string }) => name);
  expect(headersOf('post', '/orders')).toEqual(['idempotency-key']);
  for (const [method, tail] of [
    ['put', ''],
    ['patch', ''],
    ['delete', ''],
    ['patch', '/status'],
  ] as const)
    expect(headersOf(method, `/orders/{id}${tail}`)).toEqual(['if-match']);
  const { headers } = operationOf('post', '/orders').responses[201];
  expect(Object.keys(headers)).toEqual(['ETag', 'Location']);
});

it('lists every query parameter and no others', () => {
  const names = operationOf('get', '/orders').parameters.map(({ name }: { name: string }) => name);
  expect(names.toSorted()).toEqual(['customerId', 'from', 'page', 'perPage', 'q', 'sort', 'status', 'to']);
});
