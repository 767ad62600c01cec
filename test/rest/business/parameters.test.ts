// Query parameters and enum names: violations of invalid ones.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { deploy, ON_SQLITE, type Deployment } from '../../support/deployment.ts';
import { caller, type Caller } from '../../support/callers.ts';
import { addCustomer } from '../../support/shop/customers.ts';
import { addProduct } from '../../support/shop/products.ts';

describe.each(ON_SQLITE)('$engine over $transport', (kind) => {
  let deployment: Deployment;
  let by: Caller;

  beforeAll(async () => {
    deployment = await deploy(kind);
    by = await caller(deployment);
  });
  afterAll(() => deployment?.close());

  it('a resource without parameters ignores unknown ones', async () => {
    const { id: customer } = await addCustomer(by, {});
    const { id: product } = await addProduct(by, {});
    for (const path of [`/customers/${customer}`, `/customers/${customer}/stats`, `/products/${product}`]) {
      const response = await by.get(`${path}?_=1&page=0`);
      expect([path, response.status, response.body]).toEqual([path, 200, (await by.get(path)).body]);
    }
    expect((await by.get('/dashboard/stats?_=1')).status).toBe(200);
    expect((await by.delete(`/products/${product}?_=1`)).status).toBe(204);
    expect((await by.get('/customers?_=1')).status).toBe(400);
  });

  it.each(['', '%20'])('a category of "%s" has one violation', async (category) => {
    const { status, body } = await by.get(`/products?category=${category}`);
    expect([status, body.violations]).toEqual([400, [expect.objectContaining({ props: ['category'] })]]);
  });

  it('reports one violation for an enum name that is not a text or is repeated', async () => {
    const { id } = await addCustomer(by, {});
    const allowedValues = ['ACTIVE', 'INACTIVE', 'BLOCKED'];
    const message = 'must be equal to one of the allowed values';
    const violations = [{ message, format: 'enum', props: ['status'], params: { allowedValues } }];
    expect((await by.patch(`/customers/${id}/status`, { status: 1 })).body.violations).toEqual(violations);
    expect((await by.patch(`/customers/${id}/status`, { status: null })).body.violations).toEqual(violations);
    expect((await by.get('/customers?status=ACTIVE&status=ACTIVE')).body.violations).toEqual(violations);
    const nullable = [{ ...violations[0], params: { allowedValues: [...allowedValues, null] } }];
    expect((await by.patch(`/customers/${id}`, { status: 1 })).body.violations).toEqual(nullable);
    expect((await by.get('/products?lowStock=true&lowStock=true')).body.violations).toHaveLength(1);
  });

  it('too many images hide no other violation', async () => {
    const images = Array.from({ length: 21 }, () => ({ date: '2026-11-22', uuid: 'x' }));
    const { body } = await by.post('/products', { sku: 'x', name: '', price: 1, images, what: 1 });
    const found = new Set((body.violations as { props: string[] }[]).map(({ props }) => props[0]));
    expect(found).toEqual(new Set(['images', 'name', 'what']));
  });

  it('an order with too many items has a violation for their number only', async () => {
    const items = Array.from({ length: 201 }, () => ({}));
    const { body } = await by.post('/orders', { items, note: '' });
    expect(body.violations).toEqual([expect.objectContaining({ format: 'maxItems', props: ['items'] })]);
  });
});
