// Orders: permissions by status, tenants and the order of checks.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ORDER_STATUSES } from '../../../src/business/orders/order-status.ts';
import { newId } from '../../../src/platform/db/ids.ts';
import { ROLES, type Role } from '../../../src/auth/access/roles/built-in-roles.ts';
import { deploy, ON_SQLITE, type Deployment } from '../../support/deployment.ts';
import { problem } from '../../support/problems.ts';
import type { RestResponse } from '../../support/rest-client.ts';
import { API, caller, callerWith, comparable, type Caller } from '../../support/callers.ts';
import { newOrder, openShop, orderIn, pathOf, placeOrder, traceOf, type Shop } from '../../support/shop/orders.ts';

const WRITERS: readonly Role[] = ['TENANT_ADMIN', 'ADMIN', 'OWNER', 'MANAGER', 'SALES'];
const READERS: readonly Role[] = ROLES.filter((role) => !['SUPER_ADMIN', 'AUDITOR', 'HELP_DESK'].includes(role));
/** To which statuses somebody may move an order who may not write orders. */
const MOVERS: Partial<Record<Role, readonly string[]>> = {
  FLORIST: ['IN_PRODUCTION', 'READY'],
  DELIVERY: ['OUT_FOR_DELIVERY', 'DELIVERED'],
};
const STALE = { 'if-match': '"0"' };
const BROKEN = '{"note":';

/** A request as it may fail, each time with all that is wrong later as well. */
interface Attempt {
  readonly by: Caller;
  readonly id: string;
  readonly body: unknown;
  readonly query: string;
  readonly headers: Record<string, string>;
}

interface Endpoint {
  readonly name: string;
  readonly send: (attempt: Attempt) => Promise<RestResponse>;
  /** A role that may not. */
  readonly excluded: Role;
  /** The status of an order that forbids it. */
  readonly forbiddenIn?: 'DELIVERED';
  /** A good body; undefined where none is read. */
  readonly body?: (shop: Shop) => Record<string, unknown>;
  readonly success: number;
}

const ENDPOINTS: readonly Endpoint[] = [
  {
    name: 'GET',
    send: ({ by, id, headers }) => by.get(pathOf({ id }), headers),
    excluded: 'SUPER_ADMIN',
    success: 200,
  },
  {
    name: 'GET history',
    send: ({ by, id, query, headers }) => by.get(`${pathOf({ id })}/status-history${query}`, headers),
    excluded: 'SUPER_ADMIN',
    success: 200,
  },
  {
    name: 'PUT',
    send: ({ by, id, body, headers }) => by.put(pathOf({ id }), body, headers),
    excluded: 'ACCOUNTANT',
    forbiddenIn: 'DELIVERED',
    body: newOrder,
    success: 200,
  },
  {
    name: 'PATCH',
    send: ({ by, id, body, headers }) => by.patch(pathOf({ id }), body, headers),
    excluded: 'FLORIST',
    forbiddenIn: 'DELIVERED',
    body: () => ({ deliveryAddress: 'x' }),
    success: 200,
  },
  {
    name: 'PATCH status',
    send: ({ by, id, body, headers }) => by.patch(`${pathOf({ id })}/status`, body, headers),
    excluded: 'PURCHASER',
    forbiddenIn: 'DELIVERED',
    body: () => ({ status: 'CONFIRMED' }),
    success: 200,
  },
  {
    name: 'DELETE',
    send: ({ by, id, headers }) => by.delete(pathOf({ id }), headers),
    excluded: 'DELIVERY',
    forbiddenIn: 'DELIVERED',
    success: 204,
  },
];

const codeOf = ({ status, body }: RestResponse) => [status, body?.errorCode];

describe.each(ON_SQLITE)('$engine over $transport', (kind) => {
  let deployment: Deployment;
  let shop: Shop;
  let nobody: Caller;
  const by = new Map<Role, Caller>();

  beforeAll(async () => {
    deployment = await deploy(kind);
    shop = await openShop(deployment);
    nobody = callerWith(deployment.url, shop.manager.account, {});
    for (const role of ROLES) {
      const tenant = role === 'SUPER_ADMIN' ? { tenantId: undefined } : {};
      by.set(role, await caller(deployment, { roles: [role], ...tenant }));
    }
  });
  afterAll(() => deployment?.close());

  describe('permission by role', () => {
    it.each(ROLES)('%s', async (role) => {
      const actor = by.get(role)!;
      const { id } = await placeOrder(shop);
      const reads = READERS.includes(role);
      const writes = WRITERS.includes(role);
      for (const path of ['/orders', `/orders/${id}`, `/orders/${id}/status-history`]) {
        const response = await actor.get(path);
        if (reads) expect(response.status).toBe(200);
        else expect(response).toEqual(problem(403, 'permission-denied', API + path));
      }
      const changes: readonly [answer: RestResponse, status: number, path: string][] = [
        [await actor.post('/orders', newOrder(shop)), 201, '/orders'],
        [await actor.put(`/orders/${id}`, newOrder(shop)), 200, `/orders/${id}`],
        [await actor.patch(`/orders/${id}`, { note: 'x' }), 200, `/orders/${id}`],
        [await actor.delete(`/orders/${id}`), 204, `/orders/${id}`],
      ];
      for (const [response, status, path] of changes) {
        if (writes) expect(response.status).toBe(status);
        else expect(response).toEqual(problem(403, 'permission-denied', API + path));
      }
      if (!writes) expect((await shop.manager.get(`/orders/${id}`)).headers.get('etag')).toBe('"1"');
    });

    it.each(ROLES)('%s can set some statuses only', async (role) => {
      const id = newId();
      const path = `/orders/${id}/status`;
      const allowed: readonly string[] = WRITERS.includes(role) ? ORDER_STATUSES : (MOVERS[role] ?? []);
      for (const status of ORDER_STATUSES) {
        const response = await by.get(role)!.patch(path, { status });
        const expected = allowed.includes(status)
          ? problem(404, 'not-found', API + path)
          : problem(403, 'permission-denied', API + path);
        expect([status, response]).toEqual([status, expected]);
      }
    });

    it('FLORIST and DELIVERY together complete an order', async () => {
      const order = await orderIn(shop, 'CONFIRMED');
      for (const [role, status] of [
        ['FLORIST', 'IN_PRODUCTION'],
        ['FLORIST', 'READY'],
        ['DELIVERY', 'OUT_FOR_DELIVERY'],
        ['DELIVERY', 'DELIVERED'],
      ] as const)
        expect((await by.get(role)!.patch(`${pathOf(order)}/status`, { status })).body.status).toBe(status);
    });

    it('checks the role for a status before the rest of the body', async () => {
      const order = await placeOrder(shop);
      const send = (body: object) => by.get('FLORIST')!.patch(`${pathOf(order)}/status`, body);
      expect(codeOf(await send({ status: 'CONFIRMED', note: 1 }))).toEqual([403, 'permission-denied']);
      expect(codeOf(await send({ status: 'READY', note: 1 }))).toEqual([400, 'validation-error']);
      expect(codeOf(await send({ status: 'READY' }))).toEqual([409, 'invalid-transition']);
      for (const status of ['LOST', ['CONFIRMED'], null])
        expect(codeOf(await send({ status }))).toEqual([400, 'validation-error']);
    });
  });

  describe('order of checks', () => {
    it.each(ENDPOINTS)('$name: returns 401, 403, 404, 400, 403, 412 and 409 in that order', async (endpoint) => {
      const { send, excluded, forbiddenIn, success } = endpoint;
      const { id } = forbiddenIn ? await orderIn(shop, forbiddenIn) : await placeOrder(shop);
      const before = await traceOf(deployment, 'acme');
      // Whatever can be wrong is wrong, and then one thing less each time.
      const worst = { query: '?page=0', body: BROKEN, headers: { ...STALE, 'content-type': 'application/json' } };
      expect(codeOf(await send({ ...worst, by: nobody, id: 'x' }))).toEqual([401, 'unauthorized']);
      expect(codeOf(await send({ ...worst, by: by.get(excluded)!, id: 'x' }))).toEqual([403, 'permission-denied']);
      for (const missing of ['x', newId()])
        expect(codeOf(await send({ ...worst, by: shop.manager, id: missing }))).toEqual([404, 'not-found']);
      const rest = { by: shop.manager, id, query: '', headers: STALE };
      const good = endpoint.body?.(shop);
      if (good) {
        const mismatch = { ...good, tenantId: 'globex' };
        for (const body of [BROKEN, { ...mismatch, more: 1 }, { ...mismatch, note: 'x'.repeat(2_001) }])
          expect(codeOf(await send({ ...rest, body }))).toEqual([400, 'validation-error']);
        expect(codeOf(await send({ ...rest, body: mismatch }))).toEqual([403, 'tenant-mismatch']);
      }
      if (endpoint.name === 'GET history')
        expect(codeOf(await send({ ...rest, query: '?page=0', body: undefined }))).toEqual([400, 'validation-error']);
      if (forbiddenIn) {
        expect(codeOf(await send({ ...rest, body: good }))).toEqual([412, 'precondition-failed']);
        expect((await send({ ...rest, body: good, headers: {} })).status).toBe(409);
      }
      expect(await traceOf(deployment, 'acme')).toEqual(before);

      const order = await placeOrder(shop);
      expect((await send({ ...rest, id: order.id, body: good, headers: {} })).status).toBe(success);
    });

    it('POST: returns 401, 403, 400, 403 and 409 in that order', async () => {
      const before = await traceOf(deployment, 'acme');
      const good = newOrder(shop, { items: [{ productId: shop.productId, quantity: 9_999 }] });
      const scarce = await shop.manager.post('/products', { sku: 'SCARCE', name: 'Scarce', price: 1 });
      const items = [{ productId: scarce.body.id, quantity: 1 }];
      const mismatch = { ...good, items, tenantId: 'globex' };
      const bad = { ...mismatch, more: 1 };
      expect(codeOf(await nobody.post('/orders', bad))).toEqual([401, 'unauthorized']);
      expect(codeOf(await by.get('FLORIST')!.post('/orders', bad))).toEqual([403, 'permission-denied']);
      expect(codeOf(await shop.manager.post('/orders', bad))).toEqual([400, 'validation-error']);
      const unknown = { ...mismatch, customerId: newId() };
      expect(codeOf(await shop.manager.post('/orders', unknown))).toEqual([400, 'validation-error']);
      expect(codeOf(await shop.manager.post('/orders', mismatch))).toEqual([403, 'tenant-mismatch']);
      expect(codeOf(await shop.manager.post('/orders', { ...good, items }))).toEqual([409, 'insufficient-stock']);
      expect((await shop.manager.delete(`/products/${scarce.body.id}`)).status).toBe(204);
      expect(await traceOf(deployment, 'acme')).toEqual(before);
    });

    it('GET /orders: returns 401, 403 and 400 in that order', async () => {
      const path = '/orders?page=0';
      expect(codeOf(await nobody.get(path))).toEqual([401, 'unauthorized']);
      expect(codeOf(await by.get('SUPER_ADMIN')!.get(path))).toEqual([403, 'permission-denied']);
      expect(codeOf(await shop.manager.get(path))).toEqual([400, 'validation-error']);
    });

    it.each<[what: string, status: number, body: string | undefined, headers: Record<string, string>]>([
      ['another media type', 415, 'x', { 'content-type': 'text/plain' }],
      ['no body', 400, undefined, {}],
      ['a body that is too large', 413, ' '.repeat(400_000), {}],
    ])('%s', async (_what, status, body, headers) => {
      const { id } = await placeOrder(shop);
      for (const [method, tail] of [
        ['put', ''],
        ['patch', ''],
        ['patch', '/status'],
      ] as const) {
        const send = async (actor: Caller, of: string) =>
          (await actor[method](`/orders/${of}${tail}`, body, headers)).status;
        expect(await send(nobody, 'x')).toBe(401);
        expect(await send(by.get('TENANT_USER')!, 'x')).toBe(403);
        expect(await send(shop.manager, 'x')).toBe(404);
        expect(await send(shop.manager, id)).toBe(status);
      }
      expect((await nobody.post('/orders', body, headers)).status).toBe(401);
      expect((await shop.manager.post('/orders', body, headers)).status).toBe(status);
    });
  });

  describe('tenants', () => {
    it.each(ENDPOINTS)(
      "$name: returns the same 404 for another tenant's record, an unknown id and an invalid id",
      async (endpoint) => {
        const stranger = await openShop(deployment, { tenantId: 'globex' });
        const order = await placeOrder(stranger);
        const before = await traceOf(deployment, 'globex');
        const attempt = { by: shop.manager, query: '', headers: {}, body: endpoint.body?.(shop) };
        const responses: RestResponse[] = [];
        for (const id of [order.id, newId(), 'x', order.id.toUpperCase(), '%00', "'--", 'a'.repeat(3_000)])
          responses.push(await endpoint.send({ ...attempt, id }));
        expect(codeOf(responses[0]!)).toEqual([404, 'not-found']);
        for (const response of responses) expect(comparable(response)).toEqual(comparable(responses[0]!));
        expect(await traceOf(deployment, 'globex')).toEqual(before);
        expect(
          (await endpoint.send({ ...attempt, by: stranger.manager, id: order.id, body: endpoint.body?.(stranger) }))
            .status,
        ).toBe(endpoint.success);
      },
    );

    it('lists contain no orders of another tenant, with any parameters', async () => {
      const stranger = await openShop(deployment, { tenantId: 'initech' });
      const order = await placeOrder(stranger, { note: 'a needle of initech' });
      const seen = async (by: Caller, query: string) => {
        const { body, headers } = await by.get(`/orders${query}`);
        return [body.map(({ id }: { id: string }) => id), headers.get('x-total-count')];
      };
      for (const query of ['', '?q=needle', `?customerId=${stranger.customerId}`, '?status=NEW', '?from=2000-01-01'])
        expect([query, await seen(stranger.manager, query)]).toEqual([query, [[order.id], '1']]);
      for (const query of ['?q=needle', `?customerId=${stranger.customerId}`, `?customerId=${newId()}`])
        expect([query, await seen(shop.manager, query)]).toEqual([query, [[], '0']]);
    });

    it.each(['POST', 'PUT', 'PATCH', 'PATCH status'])("%s: accepts the caller's tenantId", async (name) => {
      const { id } = await placeOrder(shop);
      const endpoint = ENDPOINTS.find((candidate) => candidate.name === name);
      const send = (tenantId: unknown) =>
        endpoint
          ? endpoint.send({ by: shop.manager, id, query: '', headers: {}, body: { ...endpoint.body!(shop), tenantId } })
          : shop.manager.post('/orders', newOrder(shop, { tenantId }));
      for (const other of ['globex', 'ACME', '', ' acme'])
        expect(codeOf(await send(other))).toEqual([403, 'tenant-mismatch']);
      for (const none of [null, 1, ['acme']]) expect(codeOf(await send(none))).toEqual([400, 'validation-error']);
      expect((await send('acme')).status).toBe(name === 'POST' ? 201 : 200);
    });
  });
});
