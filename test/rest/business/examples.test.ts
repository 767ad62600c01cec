// The examples of bodies in the OpenAPI document: each request succeeds as documented.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { deploy, type Deployment } from '../../support/deployment.ts';
import { restClient } from '../../support/rest-client.ts';
import { openShop, placeOrder } from '../../support/shop/orders.ts';

const OPERATIONS = [
  ['post', '/products', 201],
  ['put', '/products/{id}', 200],
  ['patch', '/products/{id}', 200],
  ['patch', '/products/{id}/status', 200],
  ['post', '/orders', 201],
  ['put', '/orders/{id}', 200],
  ['patch', '/orders/{id}', 200],
  ['patch', '/orders/{id}/status', 200],
  ['post', '/customers', 201],
  ['patch', '/customers/{id}', 200],
  ['post', '/customers/{id}/notes', 201],
  ['patch', '/customers/{id}/status', 200],
] as const;

let deployment: Deployment;
let paths: any; // Whatever came.

beforeAll(async () => {
  deployment = await deploy({ engine: 'sqlite', transport: 'local' });
  paths = (await restClient(deployment.url).send('GET', '/openapi.json')).body.paths;
});
afterAll(() => deployment?.close());

it.each(OPERATIONS)('%s %s: the documented example returns %i', async (method, path, expected) => {
  const tenantId = `${method}${path}`.toLowerCase().replaceAll(/[^a-z]+/g, '-');
  const shop = await openShop(deployment, { tenantId });
  const order = await placeOrder(shop);
  const ids: Record<string, string> = { products: shop.productId, orders: order.id, customers: shop.customerId };

  const { example } = paths[`/api/v1${path}`][method].requestBody.content['application/json'];
  const body = JSON.stringify(example)
    .replace(/(?<="customerId":")[^"]*/, shop.customerId)
    .replace(/(?<="productId":")[^"]*/, shop.productId);
  const { status, body: response } = await shop.manager[method](path.replace('{id}', ids[path.split('/')[1]!]!), body);
  expect([status, response]).toEqual([expected, expect.objectContaining({ tenantId })]);
});

it('every business operation with a JSON body has an example', () => {
  const taking = Object.entries<object>(paths).flatMap(([path, methods]) =>
    Object.entries<any>(methods)
      .filter(([, { requestBody }]) => requestBody?.content['application/json'] !== undefined)
      .map(([method]) => `${method} ${path.replace('/api/v1', '')}`),
  );
  const ofRecords = taking.filter((operation) => /^\w+ \/(?:products|orders|customers)/.test(operation));
  expect(ofRecords.toSorted()).toEqual(OPERATIONS.map(([method, path]) => `${method} ${path}`).toSorted());
});
