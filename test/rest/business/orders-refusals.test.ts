// The exact errors of order requests under both disclosure modes.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ORDER_STATUSES, ORDER_STATUS_TABLE } from '../../../src/business/orders/order-status.ts';
import { deploy, ON_SQLITE, type Deployment } from '../../support/deployment.ts';
import { addGateway, type AddedGateway } from '../../support/gateways.ts';
import { leaksOf } from '../../support/leaks.ts';
import type { RestResponse } from '../../support/rest-client.ts';
import { API, callerWith, type Caller } from '../../support/callers.ts';
import { addCustomer } from '../../support/shop/customers.ts';
import { newOrder, openShop, orderIn, pathOf, placeOrder, setStatus, type Shop } from '../../support/shop/orders.ts';
import { addProduct } from '../../support/shop/products.ts';

/** What a refusal is in both modes. */
interface Refusal {
  readonly title: string;
  readonly errorCode: string;
  /** Under minimal disclosure. */
  readonly detail: string;
  readonly violations?: readonly object[];
}

const STATUS = 409;

describe.each(ON_SQLITE)('$engine over $transport', (kind) => {
  let deployment: Deployment;
  let minimal: AddedGateway;
  let shop: Shop;
  let guarded: Caller;

  beforeAll(async () => {
    deployment = await deploy({ ...kind, settings: { 'app.api.error-disclosure.mode': 'maximal' } });
    minimal = await addGateway(deployment, { 'app.api.error-disclosure.mode': 'minimal' });
    shop = await openShop(deployment);
    guarded = callerWith(minimal.url, shop.manager.account, shop.manager.headers);
  });
  afterAll(async () => {
    await minimal?.close();
    await deployment?.close();
  });

  /** Sends it twice; `actual` is what maximal disclosure tells instead of the detail. */
  async function expectRefusal(
    send: (by: Caller) => Promise<RestResponse>,
    path: string,
    { title, errorCode, detail, violations }: Refusal,
    actual: string,
  ): Promise<void> {
    const document = {
      type: `urn:service:error:${errorCode}`,
      title,
      status: STATUS,
      detail,
      errorCode,
      instance: API + path,
      ...(violations && { violations }),
    };
    const response = await send(guarded);
    expect([response.status, response.headers.get('content-type')]).toEqual([STATUS, 'application/problem+json']);
    expect(response.text).toBe(JSON.stringify(document));
    const tellsAll = await send(shop.manager);
    expect(tellsAll.status).toBe(STATUS);
    expect(tellsAll.body).toEqual({
      ...document,
      detail: actual,
      exceptionType: 'ServiceError',
      exceptionMessage: expect.any(String),
      stackTrace: expect.any(String),
    });
    expect(leaksOf(tellsAll.text)).toEqual([]);
  }

  it('insufficient-stock lists every short product with its available units', async () => {
    const [plenty, few, none] = [
      await addProduct(shop.manager, { stock: 100 }),
      await addProduct(shop.manager, { stock: 2 }),
      await addProduct(shop.manager),
    ];
    const items = [plenty, few, none, few].map(({ id: productId }) => ({ productId, quantity: 3 }));
    const missing = (index: number, productId: string, requested: number, available: number) => ({
      message: `only ${available} can be had`,
      format: 'stock',
      props: ['items', `${index}`],
      params: { productId, requested, available },
    });
    const detail = 'The stock of a product is too low';
    const refusal = {
      title: 'Insufficient stock',
      errorCode: 'insufficient-stock',
      detail,
      violations: [missing(1, few.id, 6, 2), missing(2, none.id, 3, 0)],
    };
    await expectRefusal((by) => by.post('/orders', newOrder(shop, { items })), '/orders', refusal, detail);

    // What the order has counts as well.
    const order = await placeOrder(shop, { items: [{ productId: few.id, quantity: 2 }] });
    const more = { items: [{ productId: few.id, quantity: 3 }] };
    const violations = [missing(0, few.id, 3, 2)];
    await expectRefusal((by) => by.patch(pathOf(order), more), pathOf(order), { ...refusal, violations }, detail);
    await expectRefusal(
      (by) => by.put(pathOf(order), newOrder(shop, more)),
      pathOf(order),
      { ...refusal, violations },
      detail,
    );
  });

  describe('conflict', () => {
    const CONFLICT = { title: 'Conflict', errorCode: 'conflict', detail: 'The state of the resource forbids this' };

    it.each(['INACTIVE', 'ARCHIVED'])('of a product that is %s', async (status) => {
      const { id: productId } = await addProduct(shop.manager, { stock: 100, status });
      const items = [
        { productId: shop.productId, quantity: 1 },
        { productId, quantity: 1 },
      ];
      const violations = [
        { message: 'cannot be ordered', format: 'status', props: ['items', '1'], params: { productId, status } },
      ];
      const send = (by: Caller) => by.post('/orders', newOrder(shop, { items }));
      await expectRefusal(send, '/orders', { ...CONFLICT, violations }, 'a product that is ordered is not ACTIVE');
    });

    it('of a customer that is BLOCKED', async () => {
      const { id: customerId } = await addCustomer(shop.manager, { status: 'BLOCKED' });
      const send = (by: Caller) => by.post('/orders', newOrder({ ...shop, customerId }));
      await expectRefusal(send, '/orders', CONFLICT, 'the customer is BLOCKED');
      const order = await placeOrder(shop);
      await expectRefusal(
        (by) => by.patch(pathOf(order), { customerId }),
        pathOf(order),
        CONFLICT,
        'the customer is BLOCKED',
      );
    });

    it('of an order whose status allows no change or deletion', async () => {
      const order = await orderIn(shop, 'READY');
      const path = pathOf(order);
      const fixed = 'the order is READY, so its items, customer and delivery do not change any more';
      await expectRefusal((by) => by.put(path, newOrder(shop)), path, CONFLICT, fixed);
      await expectRefusal((by) => by.patch(path, { deliveryAddress: 'x' }), path, CONFLICT, fixed);
      const kept = 'the order is READY; only NEW and CANCELLED ones can go';
      await expectRefusal((by) => by.delete(path), path, CONFLICT, kept);
    });

    it('of an idempotency key that was used for another request', async () => {
      const headers = { 'idempotency-key': 'conflicting' };
      expect((await shop.manager.post('/orders', newOrder(shop), headers)).status).toBe(201);
      const send = (by: Caller) => by.post('/orders', newOrder(shop, { note: 'other' }), headers);
      await expectRefusal(send, '/orders', CONFLICT, 'the idempotency key came with another request before');
    });
  });

  it.each(ORDER_STATUSES)('invalid-transition from %s lists the allowed statuses', async (from) => {
    const order = await orderIn(shop, from);
    const path = `${pathOf(order)}/status`;
    const allowed = ORDER_STATUS_TABLE[from].next;
    const message = allowed.length > 0 ? `must be one of ${allowed.join(', ')}` : `cannot change from ${from} any more`;
    const detail = 'The order cannot go to this status from its own';
    const violationsOf = (to: string) => [
      { message, format: 'transition', props: ['status'], params: { from, to, allowed } },
    ];
    // Staying where it is is no move either.
    const refusal = {
      title: 'Invalid transition',
      errorCode: 'invalid-transition',
      detail,
      violations: violationsOf(from),
    };
    await expectRefusal((by) => by.patch(path, { status: from }), path, refusal, detail);
    for (const to of ORDER_STATUSES.filter((status) => !allowed.includes(status))) {
      const { status, body } = await setStatus(guarded, order, to);
      expect([status, body.violations]).toEqual([409, violationsOf(to)]);
    }
    expect((await shop.manager.get(pathOf(order))).body).toEqual(order);
    for (const to of allowed) {
      const another = await orderIn(shop, from);
      expect((await setStatus(shop.manager, another, to)).body.status).toBe(to);
    }
  });
});
