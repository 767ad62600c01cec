// Large bodies of orders, and random invalid ones.
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PRODUCTS } from '../../../src/business/products/product-store.ts';
import { newId } from '../../../src/platform/db/ids.ts';
import { bodySchemaOf } from '../../support/body-schema.ts';
import { deploy, DIAGONAL, type Deployment } from '../../support/deployment.ts';
import { problem } from '../../support/problems.ts';
import { type RestResponse } from '../../support/rest-client.ts';
import { API, etagOf } from '../../support/callers.ts';
import { hostileBodies } from './hostile-bodies.ts';
import { openShop, pathOf, placeOrder, traceOf, type Shop } from '../../support/shop/orders.ts';

const MAX_BODY = 327_680;
const ORDERS = 'authservice.business.v1.OrderService';

describe.each(DIAGONAL)('$engine over $transport', (kind) => {
  let deployment: Deployment;
  let shop: Shop;
  let kept: any; // An order that no request of a refusal may change.

  beforeAll(async () => {
    deployment = await deploy(kind);
    shop = await openShop(deployment);
    kept = await placeOrder(shop);
  });
  afterAll(() => deployment?.close());

  /** Each way to send a body for an order, with its path. */
  const ways = (): readonly [path: string, send: (body: unknown) => Promise<RestResponse>][] => [
    ['/orders', (body) => shop.manager.post('/orders', body)],
    [pathOf(kept), (body) => shop.manager.put(pathOf(kept), body)],
    [pathOf(kept), (body) => shop.manager.patch(pathOf(kept), body)],
  ];

  describe('size', () => {
    it('accepts the GET response of 200 items with the longest names, in any escaping', async () => {
      const names = Array.from({ length: 200 }, (_, index) => 'é'.repeat(197) + `${index}`.padStart(3, '0'));
      const items: { productId: string; quantity: number }[] = [];
      for (const [index, name] of names.entries()) {
        const id = newId();
        items.push({ productId: id, quantity: 9_999 });
        await PRODUCTS.insert(deployment.database, {
          id,
          tenantId: 'acme',
          sku: `LONG-${index}`,
          name,
          description: undefined,
          category: undefined,
          price: 999_999_999,
          currency: 'EUR',
          stock: 9_999,
          reorderLevel: 0,
          status: 'ACTIVE',
          createdAt: 0,
          updatedAt: 0,
          version: 1,
        });
      }
      const long = { deliveryAddress: 'é'.repeat(1_000), note: 'é'.repeat(2_000) };
      const order = await placeOrder(shop, { items, ...long });
      expect(order.items.map(({ name }: { name: string }) => name)).toEqual(names);
      expect(order.total).toBe(19_997_999_980_002);
      const { text } = await shop.manager.get(pathOf(order));
      const escaped = text.replaceAll('é', '\\u00e9');
      expect(escaped.length).toBeGreaterThan(270_000);
      const response = await shop.manager.put(pathOf(order), escaped);
      expect([response.status, etagOf(response), response.body.items]).toEqual([200, '"2"', order.items]);
    });

    it('returns 413 above 327,680 bytes', async () => {
      const before = await traceOf(deployment, 'acme');
      const million = `{"items":[${'{},'.repeat(1_000_000)}{}]}`;
      const padded = (length: number) => '{}'.padStart(length);
      for (const [path, send] of ways()) {
        expect(await send(million)).toEqual(problem(413, 'payload-too-large', API + path));
        expect(await send(padded(MAX_BODY + 1))).toEqual(problem(413, 'payload-too-large', API + path));
        expect((await send(padded(MAX_BODY))).status).not.toBe(413);
      }
      expect(await traceOf(deployment, 'acme')).toEqual(before);
    });

    it('reports too many items once, not each item', async () => {
      for (const item of ['{}', '1']) {
        const body = `{"items":[${`${item},`.repeat(60_000)}${item}],"more":1}`;
        for (const [path, send] of ways()) {
          const response = await send(body);
          expect(response).toEqual(problem(400, 'validation-error', API + path));
          expect(response.body.violations).toEqual([
            {
              message: 'must NOT have more than 200 items',
              format: 'maxItems',
              props: ['items'],
              params: { limit: 200 },
            },
          ]);
        }
      }
    });
  });

  describe('random invalid bodies', () => {
    const EXPECTED = [200, 201, 400, 403, 409];

    /** Sends such bodies: none is a defect, and what is refused changes nothing. `target` is an order of its own. */
    async function survives(
      body: () => fc.Arbitrary<unknown>,
      send: (target: any, body: unknown) => Promise<RestResponse>,
    ) {
      const seen = new Set<number>();
      let target = await placeOrder(shop);
      let before = await traceOf(deployment, 'acme');
      const property = fc.asyncProperty(body(), async (value) => {
        const response = await send(target, value);
        seen.add(response.status);
        expect([response.text, EXPECTED.includes(response.status)]).toEqual([response.text, true]);
        if (response.status < 300) {
          target = await placeOrder(shop);
          before = await traceOf(deployment, 'acme');
        } else expect(await traceOf(deployment, 'acme')).toEqual(before);
      });
      await fc.assert(property, { numRuns: 20 });
      expect([...seen]).toContain(400);
    }

    const samples = () => ({
      customerId: fc.constantFrom(...Array.from({ length: 9 }, () => shop.customerId), newId()),
      productId: fc.constantFrom(...Array.from({ length: 9 }, () => shop.productId), newId()),
      deliveryDate: fc.constantFrom('2026-05-01', '2024-02-29', '2026-12-31', null, '2023-02-29'),
      tenantId: fc.constantFrom('acme', 'acme', 'acme', 'globex'),
    });

    it('POST', () =>
      survives(
        () => hostileBodies(bodySchemaOf(`${ORDERS}/CreateOrder`), samples()),
        (_target, body) => shop.manager.post('/orders', JSON.stringify(body) ?? ''),
      ));

    it('PUT', () =>
      survives(
        () => hostileBodies(bodySchemaOf(`${ORDERS}/UpdateOrder`, true), samples()),
        (target, body) => shop.manager.put(pathOf(target), JSON.stringify(body) ?? ''),
      ));

    it('PATCH', () =>
      survives(
        () => hostileBodies(bodySchemaOf(`${ORDERS}/UpdateOrder`), samples()),
        (target, body) => shop.manager.patch(pathOf(target), JSON.stringify(body) ?? ''),
      ));

    it('PATCH status', () =>
      survives(
        () => {
          const photo = { properties: { date: { type: 'string' }, uuid: { type: 'string' } } };
          const properties = { note: { type: 'string' }, photos: { items: photo }, status: {}, tenantId: {} };
          const status = fc.constantFrom('CONFIRMED', 'READY', 'CANCELLED', 'NEW', 'DELIVERED', 'LOST');
          return hostileBodies({ properties }, { ...samples(), status });
        },
        (target, body) => shop.manager.patch(`${pathOf(target)}/status`, JSON.stringify(body) ?? ''),
      ));

    it('GET with random queries and paths', async () => {
      const name = fc.constantFrom('page', 'perPage', 'sort', 'q', 'status', 'customerId', 'from', 'to', 'more');
      const value = fc.oneof(
        fc.string({ unit: 'grapheme', maxLength: 30 }),
        fc.constantFrom('1', '100', '-total', 'NEW', '2026-01-01', '2026-01-01T00:00:00Z', newId(), '\0', '🌹'),
      );
      await fc.assert(
        fc.asyncProperty(fc.array(fc.tuple(name, value), { maxLength: 3 }), value, async (query, id) => {
          const listed = await shop.manager.get(`/orders?${new URLSearchParams(query).toString()}`);
          expect([200, 400]).toContain(listed.status);
          const shown = await shop.manager.get(`/orders/x${encodeURIComponent(id)}`);
          expect(shown.status).toBe(404);
        }),
        { numRuns: 20 },
      );
    });
  });
});
