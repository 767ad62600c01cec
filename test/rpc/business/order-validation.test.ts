// OrderService for gRPC clients: violations of invalid requests.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  OrderFields as FieldsCodec,
  OrderServiceService as Orders,
  UpdateOrderRequest,
  type OrderFields,
} from '../../../proto/gen/authservice/business/v1/order_service.ts';
import type { Product } from '../../../proto/gen/authservice/business/v1/product_service.ts';
import { newId } from '../../../src/platform/db/ids.ts';
import type { Client } from '../../../src/platform/rpc/types.ts';
import { deploy, ON_SQLITE, type Deployment } from '../../support/deployment.ts';
import { line, openShop, type Shop } from '../../support/shop/core-shop.ts';
import { outcomeOf, refusal, violationsOf } from '../../support/rpc-outcomes.ts';
import { createMessage } from '../../../src/platform/rpc/message.ts';

const MAX_INT32 = 2 ** 31 - 1;

// Over gRPC: some of the messages exist only on the wire.
describe.each(ON_SQLITE)('on $engine', ({ engine }) => {
  let deployment: Deployment;
  let shop: Shop;
  let stranger: Shop;
  let product: Product;
  let foreign: Product;

  beforeAll(async () => {
    deployment = await deploy({ engine, transport: 'grpc' });
    shop = await openShop(deployment);
    stranger = await openShop(deployment);
    product = await shop.product({ stock: 100 });
    foreign = await stranger.product();
  });
  afterAll(() => deployment?.close());

  type Case = [what: string, fields: () => Partial<OrderFields>, expected: string[]];

  // Each is wrong at the creation and, where it names fields, as a change of them.
  const CASES: readonly Case[] = [
    ['no items', () => ({ items: [] }), ['items: required']],
    ['201 lines', () => ({ items: Array(201).fill(line(product, 1)) as OrderFields['items'] }), ['items: maxItems']],
    ['no pieces', () => ({ items: [line(product, 0)] }), ['items.0.quantity: range']],
    ['negative pieces', () => ({ items: [line(product, -1)] }), ['items.0.quantity: range']],
    ['10,000 pieces', () => ({ items: [line(product, 1), line(product, 10_000)] }), ['items.1.quantity: range']],
    [
      'extreme pieces',
      () => ({ items: [line(product, MAX_INT32), line(product, -MAX_INT32 - 1)] }),
      ['items.0.quantity: range', 'items.1.quantity: range'],
    ],
    [
      'a sum of 10,000 pieces',
      () => ({ items: [line(product, 9_999), line(product, 1), line(product, 1)] }),
      ['items.1.quantity: range'],
    ],
    ['an unknown product', () => ({ items: [line({ id: newId() }, 1)] }), ['items.0.productId: reference']],
    [
      "another tenant's product",
      () => ({ items: [line(product, 1), line(foreign, 1)] }),
      ['items.1.productId: reference'],
    ],
    [
      'ids that cannot be ones',
      () => ({ items: ['', 'x', '\u0000', product.id.toUpperCase()].map((id) => line({ id }, 1)) }),
      [0, 1, 2, 3].map((index) => `items.${index}.productId: reference`),
    ],
    ['an unknown customer', () => ({ customerId: newId() }), ['customerId: reference']],
    ["another tenant's customer", () => ({ customerId: stranger.regular }), ['customerId: reference']],
    ['a customer id that cannot be one', () => ({ customerId: "' OR 1=1" }), ['customerId: reference']],
    ['no customer', () => ({ customerId: undefined }), ['customerId: required']],
    ['an unknown payment method', () => ({ paymentMethod: 6 as 5 }), ['paymentMethod: enum']],
    ['a negative payment method', () => ({ paymentMethod: -1 }), ['paymentMethod: enum']],
    ['an invalid day', () => ({ deliveryDate: '2027-02-29' }), ['deliveryDate: date']],
    ['a time', () => ({ deliveryDate: '2027-02-28T00:00' }), ['deliveryDate: date']],
    ['month 13', () => ({ deliveryDate: '2027-13-01' }), ['deliveryDate: date']],
    ['an empty day', () => ({ deliveryDate: '' }), ['deliveryDate: date']],
    ['a day and a line', () => ({ deliveryDate: '2027-02-28\n' }), ['deliveryDate: date']],
    ['an empty address', () => ({ deliveryAddress: ' \n' }), ['deliveryAddress: length']],
    ['a long address', () => ({ deliveryAddress: '🌹'.repeat(1_001) }), ['deliveryAddress: length']],
    ['a NUL in the address', () => ({ deliveryAddress: 'a\u0000b' }), ['deliveryAddress: characters']],
    ['an empty note', () => ({ note: '' }), ['note: length']],
    ['a long note', () => ({ note: 'x'.repeat(2_001) }), ['note: length']],
    ['an escape character in the note', () => ({ note: '\u001b[2J' }), ['note: characters']],
    [
      'everything',
      () => ({ customerId: newId(), items: [line(foreign, 0)], paymentMethod: 99 as 5, deliveryDate: 'x', note: '' }),
      [
        'items.0.quantity: range',
        'paymentMethod: enum',
        'deliveryDate: date',
        'note: length',
        'customerId: reference',
        'items.0.productId: reference',
      ],
    ],
  ];

  it.each(CASES)('returns VALIDATION_ERROR for %s', async (_what, fields, expected) => {
    const order = await shop.place({ items: [line(product, 1)] });
    expect(await violationsOf(shop.place({ items: [line(product, 1)], ...fields() }))).toEqual(expected);
    expect(await violationsOf(shop.change(order, fields()))).toEqual(expected);
    expect(await shop.get(order)).toEqual(order);
    await shop.remove(order);
    expect(await shop.stockOf(product)).toBe(100);
  });

  it('returns VALIDATION_ERROR without an order', async () => {
    const expected = ['customerId: required', 'items: required'];
    expect(await violationsOf(shop.orders.createOrder({}, shop.as))).toEqual(expected);
  });

  it('returns VALIDATION_ERROR for products of several currencies, also in a change', async () => {
    const [dollars, order] = [await shop.product({ currency: 'USD' }), await shop.place({ items: [line(product, 1)] })];
    const items = [line(product, 1), line(dollars, 1)];
    expect(await violationsOf(shop.place({ items }))).toEqual(['items: currency']);
    expect(await violationsOf(shop.change(order, { items }))).toEqual(['items: currency']);
    const { violations } = await refusal(shop.place({ items: [...items, line(foreign, 1)] }));
    expect(violations).toMatchObject([
      { props: ['items', '2', 'productId'] },
      { params: { currencies: ['EUR', 'USD'] } },
    ]);
    expect(await shop.change(order, { items: [line(dollars, 2)] })).toMatchObject({ currency: 'USD', total: 500 });
    await shop.remove(order);
  });

  it("returns the same error for another tenant's ids and for unknown ones", async () => {
    const responses = [foreign.id, newId(), 'x'].map(async (id) => {
      const {
        requestId: _requestId,
        diagnostics: _diagnostics,
        ...response
      } = await refusal(
        shop.place({ customerId: id === foreign.id ? stranger.regular : id, items: [line({ id }, 1)] }),
      );
      return response;
    });
    const [first, ...rest] = await Promise.all(responses);
    expect(first!.violations).toEqual([
      { message: 'names no record', format: 'reference', props: ['customerId'] },
      { message: 'names no record', format: 'reference', props: ['items', '0', 'productId'] },
    ]);
    // Malformed ids are reported first.
    expect(rest.map(({ violations }) => violations.length)).toEqual([2, 2]);
    expect(rest[0]).toEqual(first);
  });

  it.each([
    [undefined, 'updateMask: fieldMask'],
    [['items', 'status'], 'updateMask: fieldMask'],
    [['customerId'], 'updateMask: fieldMask'],
    [['__proto__'], 'updateMask: fieldMask'],
  ])('returns VALIDATION_ERROR for the mask %j', async (updateMask, expected) => {
    const order = await shop.place({ items: [line(product, 1)] });
    const fields = { customerId: shop.regular, items: [line(product, 2)], paymentMethod: 0 as const };
    const call = shop.orders.updateOrder({ orderId: order.id, order: fields, updateMask }, shop.as);
    expect(await violationsOf(call)).toEqual([expected]);
    expect(await shop.get(order)).toEqual(order);
    await shop.remove(order);
  });

  it("returns NOT_FOUND for another tenant's orders and missing ones", async () => {
    const order = await stranger.place({ items: [line(foreign, 1)] });
    for (const id of [order.id, newId(), order.id.toUpperCase(), '', 'x', '\u0000', 'ü'.repeat(10_000)]) {
      const calls = [
        shop.get({ id }),
        // What else is wrong with the request is not looked at.
        shop.change({ id }, { note: '' }, { tenantId: 'globex' }),
        shop.setStatus({ id }, 'CANCELLED', { note: '' }),
        shop.remove({ id }),
        shop.orders.listOrderStatusHistory({ orderId: id, page: { page: -1, perPage: -1 } }, shop.as),
      ];
      expect(await Promise.all(calls.map(outcomeOf))).toEqual(Array(5).fill('NOT_FOUND'));
    }
    expect(await stranger.get(order)).toEqual(order);
  });

  it('checks request, tenant, version and state in that order', async () => {
    const order = await shop.place({ items: [line(product, 1)] });
    await shop.setStatus(order, 'CANCELLED');
    const bad = { tenantId: 'globex', precondition: { versions: [] } };
    const customerId = stranger.regular;
    expect(await outcomeOf(shop.change(order, { customerId }, bad))).toBe('VALIDATION_ERROR');
    expect(await outcomeOf(shop.change(order, { note: 'x' }, bad))).toBe('TENANT_MISMATCH');
    expect(await outcomeOf(shop.change(order, { note: 'x' }, { ...bad, tenantId: shop.tenantId }))).toBe(
      'PRECONDITION_FAILED',
    );
    expect(await outcomeOf(shop.change(order, { deliveryAddress: 'x' }))).toBe('CONFLICT');
    expect(await outcomeOf(shop.place({ items: [line(product, 0)] }, { tenantId: 'globex' }))).toBe('VALIDATION_ERROR');
    expect(await outcomeOf(shop.place({ items: [line(product, 9_999)] }, { tenantId: 'globex' }))).toBe(
      'TENANT_MISMATCH',
    );
    expect(await outcomeOf(shop.place({ items: [line(product, 101)] }, { tenantId: shop.tenantId }))).toBe(
      'INSUFFICIENT_STOCK',
    );
  });

  it('does nothing for a valid request with the access-check flag', async () => {
    const order = await shop.place({ items: [line(product, 1)] });
    const marked = { ...shop.as, accessCheckOnly: true };
    const fields = { customerId: shop.regular, items: [line(product, 2)], paymentMethod: 0 as const };
    const named = { orderId: order.id };
    const calls = [
      shop.orders.createOrder({ order: fields }, marked),
      shop.orders.updateOrder({ ...named, order: fields, updateMask: ['items'] }, marked),
      shop.orders.setOrderStatus({ ...named, status: 0, photos: [] }, marked),
      shop.orders.deleteOrder(named, marked),
      shop.orders.listOrders({ sort: '', status: 0 }, marked),
      shop.orders.listOrderStatusHistory(named, marked),
      shop.orders.getOrder(named, marked),
    ];
    expect(await Promise.all(calls.map(outcomeOf))).toEqual(Array(7).fill('VALIDATION_ERROR'));
    expect(await shop.list()).toContainEqual(order);
    await shop.remove(order);
  });

  it('rejects numbers above the safe integers as an invalid message', async () => {
    // A version of 2^63 - 1, which the generated code can read but not represent.
    const bytes = Buffer.concat([
      UpdateOrderRequest.encode({ orderId: newId(), order: createMessage(FieldsCodec), updateMask: [] }).finish(),
      Buffer.from([0x2a, 0x0a, 0x08, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f]),
    ]);
    const raw = { ...Orders.updateOrder, requestSerialize: () => bytes };
    const client = deployment.client({ updateOrder: raw }) as Pick<Client<typeof Orders>, 'updateOrder'>;
    const { reason } = await refusal(client.updateOrder({ orderId: '' }, shop.as));
    expect(reason).toBe('VALIDATION_ERROR');
  });
});
