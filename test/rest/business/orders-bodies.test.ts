// Bodies of orders: accepted and rejected values.
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { insertProduct } from '../../../src/business/products/product-store.ts';
import { newId } from '../../../src/db/ids.ts';
import { bodySchemaOf } from '../../support/body-schema.ts';
import { malformedOf, NO_OBJECTS, NO_STRINGS } from '../../support/bad-bodies.ts';
import { deploy, DIAGONAL, type Deployment } from '../../support/deployment.ts';
import { problem } from '../../support/problems.ts';
import { restClient, type Answer } from '../../support/rest-client.ts';
import { API, etagOf, faults } from '../../support/callers.ts';
import { hostileBodies } from './hostile-bodies.ts';
import { newOrder, openShop, pathOf, placeOrder, traceOf, type Shop } from '../../support/shop/orders.ts';

const ROSE = '\u{1f339}';
const MAX_BODY = 327_680;
const ORDERS = 'authservice.business.v1.OrderService';

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
  const ways = (): readonly [path: string, send: (body: unknown) => Promise<Answer>][] => [
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
      const answer = await send(newOrder(shop, { [field]: value }));
      expect([value, answer.status, [...new Set(faults(answer).map((fault) => fault.split('.')[0]))]]).toEqual([
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
      const answer = await send(newOrder(shop, { items: items(shop.productId) }));
      expect(answer).toEqual(problem(400, 'validation-error', API + path));
      expect(faults(answer)).toEqual(props);
    }
    expect(await traceOf(deployment, 'acme')).toEqual(before);
  });

  it.each(BAD_STATUS)('returns 400 for the status change %j', async (body, ...props) => {
    const path = `${pathOf(kept)}/status`;
    const answer = await shop.manager.patch(path, body);
    expect(answer).toEqual(problem(400, 'validation-error', API + path));
    expect(faults(answer)).toEqual(props);
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
        const answer = await restClient(deployment.url).send(method, API + path, { headers, body });
        expect(answer).toEqual(problem(400, 'validation-error', API + path));
      }
    }
    const answer = await restClient(deployment.url).send('DELETE', API + pathOf(kept), { headers, body: '{' });
    expect(answer).toEqual(problem(400, 'validation-error', API + pathOf(kept)));
    expect(await traceOf(deployment, 'acme')).toEqual(before);
  });

  describe('size', () => {
    it('accepts the GET response of 200 items with the longest names, in any escaping', async () => {
      const names = Array.from({ length: 200 }, (_, index) => 'é'.repeat(197) + `${index}`.padStart(3, '0'));
      const items: { productId: string; quantity: number }[] = [];
      for (const [index, name] of names.entries()) {
        const id = newId();
        items.push({ productId: id, quantity: 9_999 });
        await insertProduct(deployment.database, {
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
      const answer = await shop.manager.put(pathOf(order), escaped);
      expect([answer.status, etagOf(answer), answer.body.items]).toEqual([200, '"2"', order.items]);
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
          const answer = await send(body);
          expect(answer).toEqual(problem(400, 'validation-error', API + path));
          expect(answer.body.violations).toEqual([
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
    async function survives(body: () => fc.Arbitrary<unknown>, send: (target: any, body: unknown) => Promise<Answer>) {
      const seen = new Set<number>();
      let target = await placeOrder(shop);
      let before = await traceOf(deployment, 'acme');
      const property = fc.asyncProperty(body(), async (value) => {
        const answer = await send(target, value);
        seen.add(answer.status);
        expect([answer.text, EXPECTED.includes(answer.status)]).toEqual([answer.text, true]);
        if (answer.status < 300) {
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
