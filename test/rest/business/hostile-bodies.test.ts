// Invalid bodies, generated from the OpenAPI schemas: rejected as documented, without a change.
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { deploy, DIAGONAL, type Deployment } from '../../support/deployment.ts';
import { withoutReferences } from '../../support/openapi-document.ts';
import { restClient } from '../../support/rest-client.ts';
import { ROUNDS } from '../../support/rounds.ts';
import { hostileBodies } from './hostile-bodies.ts';
import { openShop, type Shop } from '../../support/shop/orders.ts';

const SAMPLES = {
  tenantId: fc.constantFrom('acme', 'acme', 'acme', 'globex'),
  email: fc.constantFrom('ann@example.org', 'A@B', 'nobody'),
  phone: fc.constantFrom('+49 (30) 123', '0', 'none'),
  price: fc.constantFrom(0, 12.5, 9_999_999.99, 0.001, -1, 10_000_000),
  currency: fc.constantFrom('EUR', 'USD', 'XYZ', 'eur'),
};

// Orders have tests of their own, with an order for each body.
const OPERATIONS = [
  ['post', '/products'],
  ['put', '/products/{id}'],
  ['patch', '/products/{id}'],
  ['patch', '/products/{id}/status'],
  ['post', '/customers'],
  ['patch', '/customers/{id}'],
  ['patch', '/customers/{id}/status'],
  ['post', '/customers/{id}/notes'],
  ['post', '/staging/files/prepare'],
] as const;

describe.each(DIAGONAL)('$engine over $transport', (kind) => {
  let deployment: Deployment;
  let shop: Shop;
  let paths: any; // Whatever came.

  beforeAll(async () => {
    deployment = await deploy(kind);
    shop = await openShop(deployment);
    paths = withoutReferences((await restClient(deployment.url).send('GET', '/openapi.json')).body).paths;
  });
  afterAll(() => deployment?.close());

  /** Every change of a record of any tenant changes it. */
  async function trace(): Promise<unknown[]> {
    const rows: object[] = [];
    for (const table of ['products', 'customers'])
      rows.push(...(await deployment.database.query(`SELECT COUNT(*) AS n, SUM(version) AS v FROM ${table}`)));
    for (const table of ['customer_notes', 'files'])
      rows.push(...(await deployment.database.query(`SELECT COUNT(*) AS n FROM ${table}`)));
    return rows.map((row) => Object.values(row).map(Number));
  }

  it.each(OPERATIONS)('%s %s: rejects invalid bodies as documented, and changes nothing', async (method, path) => {
    const { requestBody, responses } = paths[`/api/v1${path}`][method];
    const target = path.replace('{id}', path.startsWith('/products') ? shop.productId : shop.customerId);
    const seen = new Set<number>();
    const property = fc.asyncProperty(
      hostileBodies(requestBody.content['application/json'].schema, SAMPLES),
      async (body) => {
        const before = await trace();
        const response = await shop.manager[method](target, JSON.stringify(body) ?? '');
        seen.add(response.status);
        expect([response.text, response.status < 500, `${response.status}` in responses]).toEqual([
          response.text,
          true,
          true,
        ]);
        if (response.status >= 400) expect(await trace()).toEqual(before);
      },
    );
    await fc.assert(property, { seed: 4, numRuns: 10 * ROUNDS });
    expect([...seen]).toContain(400);
  });
});
