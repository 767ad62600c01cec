// OrderService.SetOrderStatus: the status transitions, their permissions and the history.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { OrderStatus } from '../../../proto/gen/authservice/business/v1/order_service.ts';
import { insertStatusChange } from '../../../src/business/orders/status-change-store.ts';
import { newId } from '../../../src/platform/db/ids.ts';
import type { Role } from '../../../src/auth/access/roles/built-in-roles.ts';
import { deploy, DIAGONAL, type Deployment } from '../../support/deployment.ts';
import { lead, line, openShop, statusOf, WAYS, type Shop } from '../../support/shop/core-shop.ts';
import { outcomeOf, refusal, violationsOf } from '../../support/rpc-outcomes.ts';

type Status = keyof typeof WAYS;

const ALL = Object.keys(WAYS) as Status[];

/** As the contract has them. */
const MOVES: Readonly<Record<Status, readonly Status[]>> = {
  NEW: ['CONFIRMED', 'CANCELLED'],
  CONFIRMED: ['IN_PRODUCTION', 'CANCELLED'],
  IN_PRODUCTION: ['READY', 'CANCELLED'],
  READY: ['OUT_FOR_DELIVERY', 'COMPLETED', 'CANCELLED'],
  OUT_FOR_DELIVERY: ['DELIVERED'],
  DELIVERED: ['COMPLETED'],
  COMPLETED: [],
  CANCELLED: [],
};

const PRODUCTION: readonly Status[] = ['IN_PRODUCTION', 'READY'];
const DELIVERY: readonly Status[] = ['OUT_FOR_DELIVERY', 'DELIVERED'];

/** Which statuses each role may move orders to. */
const MAY: readonly (readonly [roles: readonly Role[], statuses: readonly Status[]])[] = [
  [['TENANT_ADMIN'], ALL],
  [['ADMIN'], ALL],
  [['OWNER'], ALL],
  [['MANAGER'], ALL],
  [['SALES'], ALL],
  [['FLORIST'], PRODUCTION],
  [['DELIVERY'], DELIVERY],
  [
    ['FLORIST', 'DELIVERY'],
    [...PRODUCTION, ...DELIVERY],
  ],
  [['PURCHASER'], []],
  [['ACCOUNTANT'], []],
  [['TENANT_USER'], []],
];

describe.each(DIAGONAL)('on $engine over $transport', ({ engine, transport }) => {
  let deployment: Deployment;
  let shop: Shop;

  beforeAll(async () => {
    deployment = await deploy({ engine, transport });
    shop = await openShop(deployment);
  });
  afterAll(() => deployment?.close());

  const place = async () => shop.place({ items: [line(await shop.product(), 1)] });

  it.each(ALL)('%s allows only the transitions of the contract', async (from) => {
    const allowed = MOVES[from];
    const order = await lead(shop, await place(), from);
    for (const to of ALL.filter((status) => !allowed.includes(status))) {
      const { reason, violations } = await refusal(shop.setStatus(order, to));
      const violation = { format: 'transition', props: ['status'], params: { from, to, allowed } };
      expect([reason, violations]).toMatchObject(['INVALID_TRANSITION', [violation]]);
    }
    expect(await shop.get(order)).toEqual(order);
  });

  it.each(ALL.flatMap((from) => MOVES[from].map((to) => [from, to] as const)))(
    'changes from %s to %s',
    async (from, to) => {
      const order = await lead(shop, await place(), from);
      const { counters: before } = await shop.counts();
      const moved = await shop.setStatus(order, to);
      expect(moved).toEqual({ ...order, status: OrderStatus[`ORDER_STATUS_${to}`], version: order.version + 1 });
      const { rows, counters } = await shop.counts();
      expect(counters).toEqual(rows);
      expect(counters[to]).toBe((before[to] ?? 0) + 1);
    },
  );

  it.each(MAY)('%j can set the statuses %j', async (roles, statuses) => {
    const as = await shop.actor(roles);
    const order = await place();
    for (const status of ALL) {
      const request = { orderId: newId(), status: OrderStatus[`ORDER_STATUS_${status}`], photos: [] };
      const expected = statuses.includes(status) ? 'NOT_FOUND' : 'PERMISSION_DENIED';
      expect([status, await outcomeOf(shop.orders.setOrderStatus(request, as))]).toEqual([status, expected]);
      // The role is checked before the record, the request and the state.
      const foreign = { ...request, orderId: order.id, tenantId: 'globex', note: '' };
      const expectedForeign = statuses.includes(status) ? 'VALIDATION_ERROR' : 'PERMISSION_DENIED';
      expect([status, await outcomeOf(shop.orders.setOrderStatus(foreign, as))]).toEqual([status, expectedForeign]);
    }
  });

  it('FLORIST and DELIVERY together complete an order', async () => {
    const order = await lead(shop, await place(), 'CONFIRMED');
    const [florist, driver] = [await shop.actor(['FLORIST']), await shop.actor(['DELIVERY'])];
    for (const status of [...PRODUCTION, ...DELIVERY]) {
      const as = PRODUCTION.includes(status) ? florist : driver;
      const request = { orderId: order.id, status: OrderStatus[`ORDER_STATUS_${status}`], photos: [] };
      expect(statusOf((await shop.orders.setOrderStatus(request, as)).order!)).toBe(status);
    }
  });

  it('the history has the order of the changes, also if the clocks of cores differ', async () => {
    const { id } = await place();
    const by = shop.manager.id;
    const move = (version: number, from: Status, to: Status) =>
      insertStatusChange(
        deployment.database,
        { tenantId: shop.tenantId, id, version },
        { from, to, at: deployment.clock.now() - version * 1000, by, note: undefined },
      );
    await move(7, 'CONFIRMED', 'IN_PRODUCTION');
    await move(3, 'NEW', 'CONFIRMED');
    const { changes } = await shop.orders.listOrderStatusHistory({ orderId: id }, shop.as);
    expect(changes.map(({ to: status }) => statusOf({ status }))).toEqual(['NEW', 'CONFIRMED', 'IN_PRODUCTION']);
  });

  it('the history contains the creation and every change', async () => {
    const order = await place();
    const begun = deployment.clock.now();
    deployment.clock.advance(1_000);
    await shop.setStatus(order, 'CONFIRMED', { note: '  by telephone\n' });
    await shop.change(order, { note: 'no move' });
    deployment.clock.advance(1_000);
    await shop.setStatus(order, 'CANCELLED');
    await refusal(shop.setStatus(order, 'NEW'));
    const by = shop.manager.id;
    const change = (from: number, to: number, seconds: number) => ({
      tenantId: order.tenantId,
      from,
      to,
      at: new Date(begun + seconds * 1_000),
      by,
    });
    const changes = [change(0, 1, 0), { ...change(1, 2, 1), note: 'by telephone' }, change(2, 8, 2)];
    const history = (page?: { page: number; perPage: number }) =>
      shop.orders.listOrderStatusHistory({ orderId: order.id, page }, shop.as);
    expect(await history()).toEqual({ changes, page: { page: 1, perPage: 20, total: 3 } });
    expect(await history({ page: 2, perPage: 2 })).toEqual({
      changes: [changes[2]],
      page: { page: 2, perPage: 2, total: 3 },
    });
    expect((await history({ page: 1_000_000, perPage: 100 })).changes).toEqual([]);
    expect(await violationsOf(history({ page: 1_000_001, perPage: 101 }))).toEqual(['page: range', 'perPage: range']);
  });

  describe('VALIDATION_ERROR', () => {
    const photo = { date: '2028-01-01', uuid: newId() };

    it.each<[string, { status?: number; note?: string; photos?: (typeof photo)[] }, string[]]>([
      ['no status', { status: 0 }, ['status: required']],
      ['an unknown status', { status: 9, photos: [photo] }, ['status: enum', 'photos.0: reference']],
      ['a negative status', { status: -1 }, ['status: enum']],
      ['an empty note', { note: ' ' }, ['note: length']],
      ['a long note', { note: 'x'.repeat(2_001) }, ['note: length']],
      ['a NUL in the note', { note: 'a\u0000b' }, ['note: characters']],
      ['photos of another status', { photos: [photo] }, ['photos: status', 'photos.0: reference']],
      [
        'photos that are not staged',
        { status: 4, photos: [photo, photo] },
        ['photos.0: reference', 'photos.1: reference'],
      ],
      ['too many photos', { status: 6, photos: Array.from({ length: 21 }, () => photo) }, ['photos: maxItems']],
    ])('%s', async (_what, { status = 2, ...more }, expected) => {
      const order = await place();
      const request = { orderId: order.id, status: status as OrderStatus, photos: [], ...more };
      expect(await violationsOf(shop.orders.setOrderStatus(request, shop.as))).toEqual(expected);
      expect(await shop.get(order)).toEqual(order);
    });
  });

  it('checks role, record, request, tenant, version and state in that order', async () => {
    const order = await lead(shop, await place(), 'CANCELLED');
    const stranger = await openShop(deployment);
    const call = (shopOfCaller: Shop, more: object) => outcomeOf(shopOfCaller.setStatus(order, 'READY', { ...more }));
    const bad = { note: '', tenantId: 'globex', precondition: { versions: [] } };
    expect(await call(stranger, bad)).toBe('NOT_FOUND');
    expect(await outcomeOf(shop.setStatus({ id: 'x' }, 'READY', bad))).toBe('NOT_FOUND');
    expect(await call(shop, bad)).toBe('VALIDATION_ERROR');
    expect(await call(shop, { ...bad, note: 'x' })).toBe('TENANT_MISMATCH');
    expect(await call(shop, { ...bad, note: 'x', tenantId: shop.tenantId })).toBe('PRECONDITION_FAILED');
    expect(await call(shop, {})).toBe('INVALID_TRANSITION');
  });
});
