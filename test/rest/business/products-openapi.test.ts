// The responses of the product endpoints in the OpenAPI document.
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

it.each([
  ['get', '/products', 200],
  ['post', '/products', 201, 409, ...BODY],
  ['get', '/products/{id}', 200, 304, 404],
  ['put', '/products/{id}', 200, 404, 409, 412, ...BODY],
  ['patch', '/products/{id}', 200, 404, 409, 412, ...BODY],
  ['delete', '/products/{id}', 204, 404, 412, ...BODY],
  ['patch', '/products/{id}/status', 200, 404, 412, ...BODY],
] as const)('%s %s: documents exactly these statuses', (method, path, ...statuses) => {
  const described = Object.keys(paths[`/api/v1${path}`][method].responses);
  expect(new Set(described)).toEqual(new Set([...ALWAYS, ...statuses].map(String)));
});
