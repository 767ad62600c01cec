// Resources of a customer: duplicates, orders, statistics, notes.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Order } from '../../../src/business/orders/order.ts';
import { deploy, DIAGONAL, type Deployment } from '../../support/deployment.ts';
import { problem } from '../../support/problems.ts';
import { API, caller, faults, type Caller } from '../../support/callers.ts';
import { addCustomer, seedOrder } from '../../support/shop/customers.ts';

describe.each(DIAGONAL)('$engine over $transport', (kind) => {
  let deployment: Deployment;
  let by: Caller;

  beforeAll(async () => {
    deployment = await deploy(kind);
    by = await caller(deployment);
  });
  afterAll(() => deployment?.close());

  const order = (customerId: string, seed: Partial<Omit<Order, 'items'>> = {}) =>
    seedOrder(deployment.database, { tenantId: 'acme', customerId, ...seed });

  describe('GET /customers/check-duplicate', () => {
    let ann: string;
    let ben: string;
    let company: string;
    beforeAll(async () => {
      ann = (await addCustomer(by, { name: 'Ann', email: 'Ann.É@Example.org', phone: '+49 (30) 123' })).id;
      deployment.clock.advance(1);
      ben = (await addCustomer(by, { name: 'Ben', email: 'ben@example.org', phone: '4930123' })).id;
      deployment.clock.advance(1);
      company = (await addCustomer(by, { name: 'Company', email: 'ann.é@example.org' })).id;
    });

    type Match = [who: () => string, ...matchedOn: string[]];
    const BY_EMAIL = 'email=ANN.%C3%89@example.org';
    it.each<[query: string, ...matches: Match[]]>([
      [BY_EMAIL, [() => ann, 'email'], [() => company, 'email']],
      ['email=ann.e%CC%81@EXAMPLE.ORG', [() => ann, 'email'], [() => company, 'email']],
      ['phone=4930123', [() => ann, 'phone'], [() => ben, 'phone']],
      ['phone=+49-30-1-2-3', [() => ann, 'phone'], [() => ben, 'phone']],
      [`${BY_EMAIL}&phone=4930123`, [() => ann, 'email', 'phone'], [() => ben, 'phone'], [() => company, 'email']],
      ['email=ben@example.org&phone=1', [() => ben, 'email']],
      ['phone=030123'],
      ['email=ben@example.or'],
      ['email=%25@example.org'],
      [`email=${'a'.repeat(316)}@b.c`],
    ])('%s', async (query, ...matches) => {
      const { status, body } = await by.get(`/customers/check-duplicate?${query}`);
      const found = body.matches.map((match: { id: string; matchedOn: string[] }) => [match.id, ...match.matchedOn]);
      expect([status, body.duplicate]).toEqual([200, matches.length > 0]);
      expect(found).toEqual(matches.map(([who, ...matchedOn]) => [who(), ...matchedOn]));
    });

    it('returns the matched fields of each duplicate', async () => {
      const { tenantId } = by.account;
      const { body } = await by.get(`/customers/check-duplicate?${BY_EMAIL}`);
      expect(body.matches).toEqual([
        { id: ann, tenantId, name: 'Ann', email: 'Ann.É@Example.org', phone: '+49 (30) 123', matchedOn: ['email'] },
        { id: company, tenantId, name: 'Company', email: 'ann.é@example.org', matchedOn: ['email'] },
      ]);
    });

    it('finds changed values, and no longer finds cleared values', async () => {
      const { id } = await addCustomer(by, { email: 'old@x.test', phone: '555' });
      await by.patch(`/customers/${id}`, { email: 'New@x.test', phone: null });
      const found = async (query: string) => (await by.get(`/customers/check-duplicate?${query}`)).body.duplicate;
      expect(await Promise.all(['email=old@x.test', 'phone=555', 'email=new@x.test'].map(found))).toEqual([
        false,
        false,
        true,
      ]);
    });

    it.each<[query: string, ...faults: string[]]>([
      ['', ''],
      ['?email=', 'email'],
      ['?email=none', 'email'],
      ['?email=a@b@c', 'email'],
      [`?email=${'a'.repeat(317)}@b.c`, 'email'],
      ['?phone=', 'phone'],
      ['?phone=none', 'phone'],
      [`?phone=${'1'.repeat(51)}`, 'phone'],
      ['?email=a@b.c&email=d@e.f', 'email'],
      ['?phone=1&phone=2', 'phone'],
      ['?email=x&phone=y', 'email', 'phone'],
      ['?email=a@b.c&name=x', 'name'],
      ['?page=1', 'page'],
    ])('returns 400 for %s', async (query, ...props) => {
      const response = await by.get(`/customers/check-duplicate${query}`);
      expect(response).toEqual(problem(400, 'validation-error', `${API}/customers/check-duplicate`));
      expect(faults(response)).toEqual(props);
    });
  });

  describe('GET /customers/:id/orders', () => {
    it('lists the orders of the customer, newest first, like GET /orders', async () => {
      const { id } = await addCustomer(by);
      const { id: other } = await addCustomer(by);
      const times = [5_000, 9_000, 7_000];
      const orders: Order[] = [];
      for (const createdAt of times) orders.push(await order(id, { createdAt }));
      await order(other);
      const first = await by.get(`/customers/${id}/orders?perPage=2`);
      expect(first.status).toBe(200);
      expect(first.body.map((found: { id: string }) => found.id)).toEqual([orders[1]!.id, orders[2]!.id]);
      expect(first.body[0]).toEqual((await by.get(`/orders/${orders[1]!.id}`)).body);
      const last = await by.get(`/customers/${id}/orders?perPage=2&page=2`);
      expect(last.body).toMatchObject([{ id: orders[0]!.id, customerId: id, total: 10, tenantId: 'acme' }]);
      const shown = ['x-total-count', 'x-page', 'x-per-page'].map((name) => last.headers.get(name));
      expect(shown).toEqual(['3', '2', '2']);
      const path = `${API}/customers/${id}/orders`;
      const link = (page: number, relation: string) => `<${path}?page=${page}&perPage=2>; rel="${relation}"`;
      expect(first.headers.get('link')).toBe([link(1, 'first'), link(2, 'next'), link(2, 'last')].join(', '));
      expect((await by.get(`/customers/${id}/orders?page=9`)).body).toEqual([]);
    });
  });

  describe('GET /customers/:id/stats', () => {
    const at = (day: number) => Date.UTC(2025, 0, day);
    const time = (day: number) => new Date(at(day)).toISOString();
    const NOTHING = { orderCount: 0, totalSpent: 0, averageOrderValue: 0, currency: 'EUR' };

    type Seeds = readonly Partial<Omit<Order, 'items'>>[];
    it.each<[what: string, seeds: Seeds, stats: object]>([
      ['no orders', [], NOTHING],
      ['cancelled orders only', [{ status: 'CANCELLED' }], NOTHING],
      [
        'orders of every other status, cancelled ones left out',
        [
          { total: 1_001, createdAt: at(3), status: 'COMPLETED' },
          { total: 500, createdAt: at(2) },
          { total: 9_999, createdAt: at(1), status: 'CANCELLED' },
          { total: 9_999, createdAt: at(9), status: 'CANCELLED' },
        ],
        {
          orderCount: 2,
          totalSpent: 15.01,
          averageOrderValue: 7.51,
          firstOrderAt: time(2),
          lastOrderAt: time(3),
          currency: 'EUR',
        },
      ],
      [
        'the currency of most orders',
        [
          { total: 100_000, currency: 'EUR', createdAt: at(1) },
          { total: 100, currency: 'USD', createdAt: at(2) },
          { total: 100, currency: 'USD', createdAt: at(3) },
          { total: 101, currency: 'USD', createdAt: at(4) },
        ],
        {
          orderCount: 3,
          totalSpent: 3.01,
          averageOrderValue: 1,
          firstOrderAt: time(2),
          lastOrderAt: time(4),
          currency: 'USD',
        },
      ],
      [
        'cancelled orders do not decide on the currency, and a tie the alphabet',
        [
          { total: 1, currency: 'USD', createdAt: at(1) },
          { total: 2, currency: 'CHF', createdAt: at(2) },
          { total: 3, currency: 'USD', status: 'CANCELLED' },
        ],
        {
          orderCount: 1,
          totalSpent: 0.02,
          averageOrderValue: 0.02,
          firstOrderAt: time(2),
          lastOrderAt: time(2),
          currency: 'CHF',
        },
      ],
    ])('%s', async (_what, seeds, stats) => {
      const { id } = await addCustomer(by);
      for (const seed of seeds) await order(id, seed);
      await order((await addCustomer(by)).id);
      const { status, body, headers } = await by.get(`/customers/${id}/stats`);
      expect([status, body, headers.get('cache-control')]).toEqual([200, stats, 'private, no-cache']);
    });

    it('caps the sum of orders at the largest safe integer', async () => {
      const { id } = await addCustomer(by);
      const total = 200 * 9_999 * 999_999_999;
      for (let count = 0; count < 5; count += 1) await order(id, { total });
      const { status, body } = await by.get(`/customers/${id}/stats`);
      expect([status, body.orderCount, body.totalSpent]).toEqual([200, 5, Number.MAX_SAFE_INTEGER / 100]);
    });
  });

  describe('notes', () => {
    it('have the caller as their author, and are listed newest first', async () => {
      const { id } = await addCustomer(by);
      const path = `/customers/${id}/notes`;
      const seller = await caller(deployment, { roles: ['SALES'] });
      const first = await by.post(path, { text: '  Likes roses\n & <b>tulips</b> 🌷 ' });
      const createdAt = new Date(deployment.clock.now()).toISOString();
      expect(first.status).toBe(201);
      expect(first.body).toEqual({
        id: first.body.id,
        tenantId: 'acme',
        text: 'Likes roses\n & <b>tulips</b> 🌷',
        authorId: by.account.id,
        createdAt,
      });
      expect(first.headers.get('location')).toBeNull();
      deployment.clock.advance(1_000);
      const second = await seller.post(path, { text: 'x'.repeat(2000), authorId: by.account.id, id: 1, createdAt: 2 });
      expect(second.body).toMatchObject({ authorId: seller.account.id });
      const { status, body, headers } = await by.get(path);
      expect([status, body, headers.get('x-total-count')]).toEqual([200, [second.body, first.body], '2']);
      const last = await by.get(`${path}?perPage=1&page=2`);
      expect([last.body, last.headers.get('x-page')]).toEqual([[first.body], '2']);
      expect(last.headers.get('link')).toContain(`<${API}${path}?page=1&perPage=1>; rel="prev"`);
      expect((await by.get(`${path}?page=3`)).body).toEqual([]);
      expect((await by.get(`/customers/${id}`)).headers.get('etag')).toBe('"1"');
    });

    it('are listed for one customer only', async () => {
      const [{ id }, { id: other }] = [await addCustomer(by), await addCustomer(by)];
      await by.post(`/customers/${id}/notes`, { text: 'x' });
      const { body, headers } = await by.get(`/customers/${other}/notes`);
      expect([body, headers.get('x-total-count')]).toEqual([[], '0']);
    });

    it('may be 2,000 characters of four bytes', async () => {
      const { id } = await addCustomer(by);
      const text = '🌹'.repeat(2000);
      expect((await by.post(`/customers/${id}/notes`, { text })).body.text).toBe(text);
    });

    describe('400', () => {
      let path: string;
      beforeAll(async () => {
        path = `/customers/${(await addCustomer(by)).id}/notes`;
      });

      it.each<[what: string, body: unknown, ...faults: string[]]>([
        ['no body', undefined, ''],
        ['no JSON', '{'],
        ['no text', {}, 'text'],
        ['an empty text', { text: '' }, 'text'],
        ['a blank text', { text: ' \n ' }, 'text'],
        ['2,001 characters', { text: 'x'.repeat(2001) }, 'text'],
        ['control characters', { text: 'a\u0007' }, 'text'],
        ['null', { text: null }, 'text'],
        ['an unknown member', { text: 'x', pinned: true }, 'pinned'],
      ])('%s', async (_what, body, ...props) => {
        const response = await by.post(path, body);
        expect(response).toEqual(problem(400, 'validation-error', API + path));
        expect(faults(response)).toEqual(props);
        expect((await by.get(path)).body).toEqual([]);
      });
    });

    it('return 403 for another tenantId', async () => {
      const path = `/customers/${(await addCustomer(by)).id}/notes`;
      expect(await by.post(path, { text: 'x', tenantId: 'globex' })).toEqual(
        problem(403, 'tenant-mismatch', API + path),
      );
      expect((await by.get(path)).body).toEqual([]);
      expect((await by.post(path, { text: 'x', tenantId: 'acme' })).status).toBe(201);
    });
  });
});
