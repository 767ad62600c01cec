// The status of an order over its life, and the history of it.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { deploy, DIAGONAL, type Deployment } from '../../support/deployment.ts';
import { API, caller, etagOf } from '../../support/callers.ts';
import { openShop, orderIn, pathOf, placeOrder, setStatus, stockOf, type Shop } from '../../support/shop/orders.ts';
import { addProduct } from '../../support/shop/products.ts';

describe.each(DIAGONAL)('$engine over $transport', (kind) => {
  let deployment: Deployment;
  let shop: Shop;

  beforeAll(async () => {
    deployment = await deploy(kind);
    shop = await openShop(deployment);
  });
  afterAll(() => deployment?.close());

  const now = () => new Date(deployment.clock.now()).toISOString();
  const read = async (order: { readonly id: string }) => (await shop.manager.get(pathOf(order))).body;
  const product = (fields: Record<string, unknown> = {}) => addProduct(shop.manager, { stock: 100, ...fields });
  const line = ({ id }: { readonly id: string }, quantity = 1) => ({ productId: id, quantity });

  it('contains each status change with its actor, time and reason, from the creation on', async () => {
    const florist = await caller(deployment, { roles: ['FLORIST'] });
    const order = await placeOrder(shop);
    const { tenantId } = shop.manager.account;
    const moves = [{ tenantId, from: null, to: 'NEW', at: now(), by: shop.manager.account.id }] as object[];
    let from = 'NEW';
    for (const [by, to, note] of [
      [shop.manager, 'CONFIRMED', undefined],
      [florist, 'IN_PRODUCTION', ' Started\n'],
      [florist, 'READY', null],
      [shop.manager, 'CANCELLED', 'x'.repeat(2_000)],
    ] as const) {
      deployment.clock.advance(1_000);
      const response = await setStatus(by, order, to, { note });
      expect([response.status, etagOf(response)]).toEqual([200, `"${moves.length + 1}"`]);
      expect(response.body).toEqual({ ...order, status: to, updatedAt: now() });
      expect(await read(order)).toEqual(response.body);
      moves.push({
        tenantId,
        from,
        to,
        at: now(),
        by: by.account.id,
        ...(typeof note === 'string' && { note: note.trim() }),
      });
      from = to;
    }
    const path = `${pathOf(order)}/status-history`;
    const all = await shop.manager.get(path);
    expect([all.status, all.body]).toEqual([200, moves]);
    const page = await shop.manager.get(`${path}?page=2&perPage=2`);
    expect(page.body).toEqual(moves.slice(2, 4));
    expect(['x-total-count', 'x-page', 'x-per-page'].map((name) => page.headers.get(name))).toEqual(['5', '2', '2']);
    expect(page.headers.get('link')).toContain(`<${API}${path}?page=3&perPage=2>; rel="next"`);
  });

  it.each(['IN_PRODUCTION', 'READY'] as const)(
    'releases the stock once if an order that was %s is cancelled',
    async (last) => {
      const { id } = await product();
      const order = await orderIn(shop, last, { items: [line({ id }, 10)] });
      expect(await stockOf(shop, id)).toBe(90);
      expect((await setStatus(shop.manager, order, 'CANCELLED')).status).toBe(200);
      expect((await setStatus(shop.manager, order, 'CANCELLED')).status).toBe(409);
      expect(await stockOf(shop, id)).toBe(100);
    },
  );
});
