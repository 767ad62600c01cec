// Names, links and headers of the shop's operations in the OpenAPI document.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { deploy, type Deployment } from '../../support/deployment.ts';
import { restClient } from '../../support/rest-client.ts';

const PRODUCTS = '/api/v1/products';

interface Response {
  readonly headers?: Readonly<Record<string, unknown>>;
  readonly links?: Readonly<Record<string, unknown>>;
}
interface Operation {
  readonly operationId: string;
  readonly responses: Readonly<Record<string, Response>>;
}

let deployment: Deployment;
let paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;

beforeAll(async () => {
  deployment = await deploy({ engine: 'sqlite', transport: 'local' });
  ({ paths } = (await restClient(deployment.url).send('GET', '/openapi.json')).body);
});
afterAll(() => deployment?.close());

const linksOf = (path: string) => paths[path]!['post']!.responses['201']?.links;

it('names operations after their RPCs, and PUT apart from PATCH', () => {
  expect(paths['/api/v1/orders/{id}/status-history']!['get']!.operationId).toBe('listOrderStatusHistory');
  expect(paths[`${PRODUCTS}/{id}`]!['patch']!.operationId).toBe('updateProduct');
  expect(paths[`${PRODUCTS}/{id}`]!['put']!.operationId).toBe('updateProductWhole');
});

it('links operations that create a record to operations with its id', () => {
  const ofProduct = { parameters: { id: '$response.body#/id' } };
  expect(linksOf(PRODUCTS)).toMatchObject({ getProduct: ofProduct, deleteProduct: ofProduct });
  expect(Object.keys(linksOf(PRODUCTS)!)).not.toContain('downloadProductImage');
  expect(Object.keys(linksOf('/api/v1/orders')!)).not.toContain('getProduct');
  expect(linksOf('/api/v1/staging/files/prepare')).toMatchObject({
    uploadFile: { parameters: { date: '$response.body#/date', uuid: '$response.body#/uuid' } },
  });
  expect(linksOf('/api/v1/customers/{id}/notes')).toBeUndefined();
});

it('documents the headers of file downloads', () => {
  const { responses } = paths['/api/v1/files/staging/{date}/{uuid}']!['get']!;
  const shown = ['Accept-Ranges', 'Content-Disposition', 'ETag', 'X-Content-Type-Options'];
  expect(Object.keys(responses['200']!.headers!).toSorted()).toEqual(shown);
  expect(Object.keys(responses['206']!.headers!).toSorted()).toEqual([...shown, 'Content-Range'].toSorted());
  expect(Object.keys(responses['416']!.headers!)).toEqual(['Content-Range']);
});
