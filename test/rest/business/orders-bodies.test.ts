// Bodies of orders: accepted and rejected values.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newId } from '../../../src/platform/db/ids.ts';
import { malformedOf, NO_OBJECTS, NO_STRINGS } from '../../support/bad-bodies.ts';
import { deploy, DIAGONAL, type Deployment } from '../../support/deployment.ts';
import { problem } from '../../support/problems.ts';
import { restClient, type RestResponse } from '../../support/rest-client.ts';
import { API, faults } from '../../support/callers.ts';
import { newOrder, openShop, pathOf, placeOrder, traceOf, type Shop } from '../../support/shop/orders.ts';

const ROSE = '\u{1f339}';

/** Values of a field that are kept as they are. */
const GOOD: readonly [field: string, ...values: unknown[]][] = [
  ['paymentMethod', 'CASH', 'CARD', 'BANK_TRANSFER', 'INVOICE', 'ONLINE'],
  ['deliveryDate', '2000-02-29', '1999-12-31', '9999-12-31', '0001-01-01'],
  ['deliveryAddress', 'x', ROSE.repeat(1_000), "'); DROP TABLE orders; --", '<script>alert(1)</script>', 'a\n\tb'],
  ['note', ROSE.repeat(2_000), '\u202eeman', '%_\\', '${7*7}', 'null'],
];

/** Values of a field that are refused, whatever else the body says. */
const BAD: readonly [field: string, ...values: unknown[]][] = [
  ['customerId', ...NO_STRINGS, '', 'x', ' ', newId(), '%00', 'x'.repeat(60_000)],
  ['items', null, {}, 'x', 1, [], [null], [1], [[]], [{}], [{ productId: newId() }], [{ quantity: 1 }]],
  ['paymentMethod', 'cash', 'BITCOIN', 'PAYMENT_METHOD_CASH', 'UNSPECIFIED', '', 1, true, ['CASH'], {}],
  ['deliveryDate', '2026-02-30', '2025-02-29', '1900-02-29', '2026-13-01', '2026-00-10', '2026-01-00', '2026-04-31'],
  ['deliveryDate', '2026-1-1', '26-01-01', '20260101', '2026-01-01T00:00:00Z', ' 2026-01-01', '2026-01-01\n'],
  ['deliveryDate', '２０２６-01-01', '10000-01-01', '-2026-01-01', 'tomorrow', '', 20260101, ['2026-01-01'], {}],
  ['deliveryAddress', '', ' \n', 'x'.repeat(1_001), ROSE.repeat(1_001), 'a\0b', 'a\u001bb', 1, ['x'], {}],
  ['note', '', '\u00a0', 'x'.repeat(2_001), ROSE.repeat(2_001), 'a\0b', 'a\u007fb', 1, ['x'], {}],
  ['tenantId', 1, null, ['acme'], {}],
  ['customer_id', 'x'],
  ['customer', {}],
  ['version', 1],
  ['Items', []],
];

/** Lines that are refused, with what is wrong in them; `good` is a product that can be had. */
const BAD_LINES: readonly [what: string, items: (good: string) => unknown[], ...props: string[]][] = [
  ...[0, -1, 10_000, 1.5, 1e300, '1', null, true, [1]].map(
    (quantity): [string, (good: string) => unknown[], string] => [
      `the quantity ${JSON.stringify(quantity)}`,
      (productId) => [{ productId, quantity }],
      'items.0.quantity',
    ],
  ),
  ['no quantity', (productId) => [{ productId }], 'items.0.quantity'],
  ['no product', () => [{ quantity: 1 }], 'items.0.productId'],
  ['an unknown product', () => [{ productId: newId(), quantity: 1 }], 'items.0.productId'],
  ['no id', () => [{ productId: 'x', quantity: 1 }], 'items.0.productId'],
  ['an id in capitals', (good) => [{ productId: good.toUpperCase(), quantity: 1 }], 'items.0.productId'],
  ['a number for an id', () => [{ productId: 1, quantity: 1 }], 'items.0.productId'],
  ['an unknown member', (productId) => [{ productId, quantity: 1, sku: 'x' }], 'items.0.sku'],
  ['an id of its own', (productId) => [{ id: 'x', productId, quantity: 1 }], 'items.0.id'],
  ['an invalid second line', (productId) => [{ productId, quantity: 1 }, null], 'items.1'],
  [
    'too many pieces in two lines',
    (productId) => [
      { productId, quantity: 9_999 },
      { productId, quantity: 1 },
    ],
    'items.1.quantity',
  ],
  [
    'two that are wrong',
    (productId) => [
      { productId: 'x', quantity: 1 },
      { productId, quantity: 1 },
      { productId: newId(), quantity: 1 },
    ],
    'items.0.productId',
    'items.2.productId',
  ],
  ['201 lines', (productId) => Array.from({ length: 201 }, () => ({ productId, quantity: 1 })), 'items'],
];

const BAD_STATUS: readonly [body: unknown, ...props: string[]][] = [
  [{}, 'status'],
  ...['LOST', 'confirmed', 'ORDER_STATUS_CONFIRMED', 'UNSPECIFIED', '', null, 1, ['CONFIRMED']].map(
    (status): [unknown, string] => [{ status }, 'status'],
  ),
  ...['', ' ', 'x'.repeat(2_001), 'a\0b', 1, ['x']].map((note): [unknown, string] => [
    { status: 'CONFIRMED', note },
    'note',
  ]),
  [{ status: 'CONFIRMED', more: 1 }, 'more'],
  [{ status: 'CONFIRMED', items: [] }, 'items'],
  [{ status: 'CONFIRMED', photos: 'x' }, 'photos'],
  [{ status: 'CONFIRMED', photos: [{ date: '2026-01-01', uuid: newId() }] }, 'photos', 'photos.0'],
  [
    {
      status: 'READY',
      photos: [
        { date: '2026-01-01', uuid: newId() },
        { date: '', uuid: '' },
      ],
    },
    'photos.0',
    'photos.1',
  ],
  [{ status: 'READY', photos: Array.from({ length: 21 }, () => ({ date: 'x', uuid: 'x' })) }, 'photos'],
  [{ status: 'READY', photos: [{ date: '2026-01-01' }] }, 'photos.0.uuid'],
  [{ status: 'READY', photos: [{ date: 1, uuid: 'x', more: 1 }] }, 'photos.0.date', 'photos.0.more'],
];

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

  it.each(GOOD)('%s: stored unchanged', async (field, ...values) => {
    const order = await placeOrder(shop, { [field]: values[0] });
    expect(order[field]).toBe(values[0]);
    for (const value of values) {
      const { status, body } = await shop.manager.patch(pathOf(order), { [field]: value });
      expect([status, body[field]]).toEqual([200, value]);
    }
    expect((await shop.manager.get(pathOf(order))).body[field]).toBe(values.at(-1));
  });

  it('trims texts', async () => {
    const order = await placeOrder(shop, { deliveryAddress: ' \tHere\n', note: '\u00a0x  y ' });
    expect([order.deliveryAddress, order.note]).toEqual(['Here', 'x  y']);
  });

  it.each(BAD)('%s: rejected (%j …)', async (field, ...values) => {
    const before = await traceOf(deployment, 'acme');
    const sent = values.flatMap((value, index) =>
      // They have one schema, so the first value does for the others.
      ways()
        .slice(0, index === 0 ? undefined : 1)
        .map(([, send]) => [value, send] as const),
    );
    for (const [value, send] of sent) {
      const response = await send(newOrder(shop, { [field]: value }));
      expect([value, response.status, [...new Set(faults(response).map((fault) => fault.split('.')[0]))]]).toEqual([
        value,
        400,
        [field],
      ]);
    }
    expect(await traceOf(deployment, 'acme')).toEqual(before);
  });

  it.each(BAD_LINES)('returns 400 for %s', async (_what, items, ...props) => {
    const before = await traceOf(deployment, 'acme');
    for (const [path, send] of ways()) {
      const response = await send(newOrder(shop, { items: items(shop.productId) }));
      expect(response).toEqual(problem(400, 'validation-error', API + path));
      expect(faults(response)).toEqual(props);
    }
    expect(await traceOf(deployment, 'acme')).toEqual(before);
  });

  it.each(BAD_STATUS)('returns 400 for the status change %j', async (body, ...props) => {
    const path = `${pathOf(kept)}/status`;
    const response = await shop.manager.patch(path, body);
    expect(response).toEqual(problem(400, 'validation-error', API + path));
    expect(faults(response)).toEqual(props);
    expect((await shop.manager.get(pathOf(kept))).body).toEqual(kept);
  });

  it('reports all violations at once', async () => {
    const body = { items: [{}], deliveryDate: 'x', note: 1, colour: 'red' };
    const all = ['colour', 'customerId', 'deliveryDate', 'items.0.productId', 'items.0.quantity', 'note'];
    expect(faults(await shop.manager.post('/orders', body))).toEqual(all);
    const texts = {
      customerId: newId(),
      note: 'a\0',
      deliveryAddress: 'b\0',
      items: [{ productId: 'x', quantity: 1 }],
    };
    expect(faults(await shop.manager.post('/orders', texts))).toEqual([
      'customerId',
      'deliveryAddress',
      'items.0.productId',
      'note',
    ]);
  });

  it('returns 400 at each endpoint for a body that is not an object or not JSON', async () => {
    const before = await traceOf(deployment, 'acme');
    const good = JSON.stringify(newOrder(shop));
    const malformed = malformedOf((rest) => good.replace(/\}$/, `${rest}}`)).map(([, body]) => body);
    const headers = { 'content-type': 'application/json', ...shop.manager.headers };
    for (const [method, path, bodies] of [
      ['POST', '/orders', [...NO_OBJECTS, ...malformed]],
      ['PUT', pathOf(kept), ['[]', '{', '']],
      ['PATCH', pathOf(kept), ['null', '{}x', '']],
      ['PATCH', `${pathOf(kept)}/status`, ['1', '"CONFIRMED"', '']],
    ] as const) {
      for (const body of bodies) {
        const response = await restClient(deployment.url).send(method, API + path, { headers, body });
        expect(response).toEqual(problem(400, 'validation-error', API + path));
      }
    }
    const response = await restClient(deployment.url).send('DELETE', API + pathOf(kept), { headers, body: '{' });
    expect(response).toEqual(problem(400, 'validation-error', API + pathOf(kept)));
    expect(await traceOf(deployment, 'acme')).toEqual(before);
  });
});
