// GET /orders: pages, sort orders, filters and invalid parameters.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { deploy, DIAGONAL, type Deployment } from '../../support/deployment.ts';
import { problem } from '../../support/problems.ts';
import { API, caller, faults, type Caller } from '../../support/callers.ts';
import { addCustomer, seedOrder } from '../../support/shop/customers.ts';
import { openShop, orderIn, placeOrder, setStatus, type Shop } from '../../support/shop/orders.ts';

const pagingOf = (headers: Headers) => ['x-total-count', 'x-page', 'x-per-page'].map((name) => headers.get(name));

describe.each(DIAGONAL)('$engine over $transport', (kind) => {
  let deployment: Deployment;
  let shop: Shop;

  beforeAll(async () => {
    deployment = await deploy(kind);
    shop = await openShop(deployment);
  });
  afterAll(() => deployment?.close());

  const list = (query: string, by = shop.manager) => by.get(`/orders${query}`);
  /** The notes of the orders that a list shows, each of one letter. */
  const notes = async (by: Caller, query: string): Promise<string> => {
    const { status, body } = await list(query, by);
    expect([query, status]).toEqual([query, 200]);
    return body.map(({ note }: { note: string }) => note).join('');
  };

  it('returns each order like its GET, newest first, with links to the other pages', async () => {
    const own = await openShop(deployment, { tenantId: 'pages' });
    const orders: object[] = [];
    for (const note of ['a', 'b', 'c', 'd', 'e']) {
      deployment.clock.advance(1_000);
      orders.unshift(await placeOrder(own, { note, paymentMethod: 'CASH' }));
    }
    const link = (page: number, relation: string) =>
      `<${API}/orders?status=NEW&page=${page}&perPage=2>; rel="${relation}"`;
    const seen = async (query: string) => {
      const { status, body, headers } = await list(query, own.manager);
      return { status, body, paging: pagingOf(headers), link: headers.get('link') };
    };
    expect(await seen('')).toMatchObject({ status: 200, body: orders, paging: ['5', '1', '20'] });
    expect((await list('', own.manager)).headers.get('cache-control')).toBe('private, no-cache');
    expect(await seen('?status=NEW&page=2&perPage=2')).toEqual({
      status: 200,
      body: orders.slice(2, 4),
      paging: ['5', '2', '2'],
      link: [link(1, 'first'), link(1, 'prev'), link(3, 'next'), link(3, 'last')].join(', '),
    });
    expect(await seen('?status=NEW&page=1000000&perPage=2')).toEqual({
      status: 200,
      body: [],
      paging: ['5', '1000000', '2'],
      link: [link(1, 'first'), link(3, 'prev'), link(3, 'last')].join(', '),
    });
  });

  it('sends the paging headers with an empty list', async () => {
    const nobody = await caller(deployment, { tenantId: 'empty' });
    const { status, body, headers } = await list('', nobody);
    expect([status, body, pagingOf(headers)]).toEqual([200, [], ['0', '1', '20']]);
    expect(headers.get('link')).toContain('rel="first"');
  });

  it('counts the orders of each status after changes and deletions', async () => {
    const own = await openShop(deployment, { tenantId: 'statuses' });
    const gone = await placeOrder(own);
    await own.manager.delete(`/orders/${gone.id}`);
    for (const status of ['NEW', 'NEW', 'CONFIRMED', 'READY', 'CANCELLED'] as const) await orderIn(own, status);
    const moved = await placeOrder(own);
    await setStatus(own.manager, moved, 'CONFIRMED');
    const seen = async (query: string) => {
      const { body, headers } = await list(query, own.manager);
      return [body.length, headers.get('x-total-count')];
    };
    expect(await seen('')).toEqual([6, '6']);
    for (const [status, count] of [
      ['NEW', 2],
      ['CONFIRMED', 2],
      ['IN_PRODUCTION', 0],
      ['READY', 1],
      ['COMPLETED', 0],
      ['CANCELLED', 1],
    ] as const)
      expect([status, await seen(`?status=${status}`)]).toEqual([status, [count, `${count}`]]);
  });

  it('finds a literal text in number, delivery address or note, in any letter case', async () => {
    const { number } = await placeOrder(shop, {
      note: 'Zwölf ROSEN für 100% _Liebe_',
      deliveryAddress: '5 Ödön-Straße\\7',
    });
    const found = async (text: string) =>
      (await list(`?q=${encodeURIComponent(text)}`)).body.map((order: { number: number }) => order.number);
    for (const text of ['zwölf rosen', 'ZWÖLF', 'FÜR', '100%', '_liebe_', 'ödön', 'ÖDÖN-STRAẞE', 'e\\7', `${number}`])
      expect([text, await found(text)]).toEqual([text, expect.arrayContaining([number])]);
    for (const text of ['zwölf%rosen', 'z_ölf', 'rosenfür', "'", '""', '\\%', 'Liebe_5', '%', '_'])
      expect([text, (await found(text)).includes(number)]).toEqual([text, ['%', '_'].includes(text)]);
  });

  it('filters by the time of the order, both ends included', async () => {
    const tenantId = 'times';
    const by = await caller(deployment, { tenantId });
    const { id: customerId } = await addCustomer(by);
    for (const [note, createdAt] of [
      ['a', Date.UTC(2026, 1, 13, 23, 59, 59, 999)],
      ['b', Date.UTC(2026, 1, 14)],
      ['c', Date.UTC(2026, 1, 14, 12, 0, 0, 500)],
      ['d', Date.UTC(2026, 1, 14, 23, 59, 59, 999)],
      ['e', Date.UTC(2026, 1, 15)],
    ] as const)
      await seedOrder(deployment.database, { tenantId, customerId, note, createdAt });
    const found = (query: string) => notes(by, `?sort=createdAt&${query}`);
    expect(await found('from=2026-02-14&to=2026-02-14')).toBe('bcd');
    expect(await found('from=2026-02-14')).toBe('bcde');
    expect(await found('to=2026-02-14')).toBe('abcd');
    expect(await found('from=2026-02-14T00:00:00Z')).toBe('bcde');
    expect(await found('to=2026-02-14T00:00:00Z')).toBe('ab');
    expect(await found('from=2026-02-14T12:00:00.500Z&to=2026-02-14T12:00:00.500Z')).toBe('c');
    expect(await found('from=2026-02-14T12:00:00.501Z')).toBe('de');
    expect(await found('to=2026-02-14T12:00:00.499Z')).toBe('ab');
    expect(await found('from=2026-02-14T02:00:00%2B02:00&to=2026-02-14T18:59:59.999-05:00')).toBe('bcd');
    expect(await found('from=1970-01-01&to=9999-12-31')).toBe('abcde');
    expect(await found('from=2024-02-29&to=2024-02-29')).toBe('');
  });

  it('sorts by each documented key', async () => {
    const tenantId = 'sorting';
    const by = await caller(deployment, { tenantId });
    const { id: customerId } = await addCustomer(by);
    for (const [note, number, total, deliveryDate, createdAt] of [
      ['a', 3, 500, '2026-05-02', 3_000],
      ['b', 1, 900, '2026-05-03', 2_000],
      ['c', 2, 500, '2026-05-01', 1_000],
    ] as const)
      await seedOrder(deployment.database, {
        tenantId,
        customerId,
        note,
        number,
        total,
        deliveryDate,
        createdAt,
      });
    const sorted = (query: string) => notes(by, `?customerId=${customerId}${query}`);
    for (const [sort, expected] of [
      ['number', 'bca'],
      ['-number', 'acb'],
      ['createdAt', 'cba'],
      ['-createdAt', 'abc'],
      ['deliveryDate', 'cab'],
      ['-deliveryDate', 'bac'],
      ['total,number', 'cab'],
      ['total,-number', 'acb'],
      ['-total,createdAt', 'bca'],
      ['total,deliveryDate,-createdAt,number', 'cab'],
    ])
      expect([sort, await sorted(`&sort=${sort}`)]).toEqual([sort, expected]);
    expect(await sorted('')).toBe('abc');
  });

  it('combines all filters', async () => {
    const own = await openShop(deployment, { tenantId: 'filters' });
    const order = await placeOrder(own, { note: 'needle' });
    await placeOrder(own, { note: 'hay' });
    const query = `?status=NEW&customerId=${own.customerId}&q=NEED&from=2000-01-01&to=9000-01-01&perPage=100&page=1`;
    const { body, headers } = await list(query, own.manager);
    expect([body, headers.get('x-total-count')]).toEqual([[order], '1']);
    expect((await list(query.replace('NEW', 'READY'), own.manager)).body).toEqual([]);
  });

  it.each([
    ['page=0', 'page'],
    ['page=1000001', 'page'],
    ['page=1e2', 'page'],
    ['page=1&page=1', 'page'],
    ['perPage=101', 'perPage'],
    ['perPage=', 'perPage'],
    ['perPage=1&perPage=2', 'perPage'],
    ['sort=', 'sort'],
    ['sort=status', 'sort'],
    ['sort=created_at', 'sort'],
    ['sort=number,-number', 'sort'],
    ['sort=number,', 'sort'],
    ['sort=--number', 'sort'],
    ['sort=%20number', 'sort'],
    ['sort=number;DROP%20TABLE%20orders', 'sort'],
    ['sort=__proto__', 'sort'],
    ['sort=toString', 'sort'],
    ['sort=number&sort=total', 'sort'],
    [`q=${'x'.repeat(255)}`, 'q'],
    ['q=a&q=b', 'q'],
    ['status=', 'status'],
    ['status=new', 'status'],
    ['status=ORDER_STATUS_NEW', 'status'],
    ['status=UNSPECIFIED', 'status'],
    ['status=1', 'status'],
    ['status=NEW,READY', 'status'],
    ['status=NEW&status=READY', 'status'],
    ['customerId=', 'customerId'],
    ['customerId=x', 'customerId'],
    [`customerId=${'x'.repeat(1_000)}`, 'customerId'],
    ['customerId=a&customerId=b', 'customerId'],
    ['from=', 'from'],
    ['from=yesterday', 'from'],
    ['from=2026-02-30', 'from'],
    ['from=2025-02-29', 'from'],
    ['from=2026-2-1', 'from'],
    ['from=20260201', 'from'],
    ['from=2026-02-01T00:00:00', 'from'],
    ['from=2026-02-01T24:00:00Z', 'from'],
    ['from=2026-02-01T00:00:00+02:00', 'from'],
    ['from=2016-12-31T23:59:60Z', 'from'],
    ['from=1770000000', 'from'],
    ['from=1969-12-31', 'from'],
    ['from=0000-01-01', 'from'],
    ['from=2026-01-01&from=2026-01-01', 'from'],
    ['to=2026-13-01', 'to'],
    ['to=9999-12-31T23:59:59.999-01:00', 'to'],
    ['to[]=2026-01-01', 'to[]'],
    ['from=2026-02-02&to=2026-02-01', 'from'],
    ['from=2026-02-01T10:00:00.001Z&to=2026-02-01T10:00:00Z', 'from'],
    ['Status=NEW', 'Status'],
    ['lowStock=true', 'lowStock'],
    ['constructor=1', 'constructor'],
    ['from=x&to=x&status=x&page=x', 'from', 'page', 'status', 'to'],
    ['customerId=x&sort=x', 'customerId', 'sort'],
  ])('returns 400 for ?%s', async (query, ...props) => {
    const response = await list(`?${query}`);
    expect(response).toEqual(problem(400, 'validation-error', `${API}/orders`));
    expect(faults(response)).toEqual(props);
  });

  it.each(['page=0', 'perPage=101', 'page=1&page=2', 'sort=at', 'q=x', 'status=NEW'])(
    'returns 400 for the history with ?%s',
    async (query) => {
      const { id } = await placeOrder(shop);
      const path = `/orders/${id}/status-history`;
      expect(await shop.manager.get(`${path}?${query}`)).toEqual(problem(400, 'validation-error', API + path));
    },
  );
});
