// Repeated orders: the same Idempotency-Key returns the first response.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { deploy, DIAGONAL, type Deployment } from '../../support/deployment.ts';
import { problem } from '../../support/problems.ts';
import { rawRequest, sendRaw } from '../../support/raw-http.ts';
import { bearer, type RestResponse } from '../../support/rest-client.ts';
import { seedSession } from '../../support/sessions.ts';
import { API, caller, callerWith, faults, type Caller } from '../../support/callers.ts';
import { newOrder, openShop, pathOf, setStatus, stockOf, traceOf, type Shop } from '../../support/shop/orders.ts';
import { addProduct } from '../../support/shop/products.ts';

const DAY = 24 * 3_600_000;
const PATH = `${API}/orders`;

/** All of a response that a client could tell from another. */
const whole = ({ status, text, headers }: RestResponse) => [
  status,
  text,
  ...['etag', 'location', 'cache-control', 'content-type'].map((name) => headers.get(name)),
];

describe.each(DIAGONAL)('$engine over $transport', (kind) => {
  let deployment: Deployment;
  let shop: Shop;
  let keys = 0;

  beforeAll(async () => {
    deployment = await deploy(kind);
    shop = await openShop(deployment);
  });
  afterAll(() => deployment?.close());

  const newKey = (): string => `key-${(keys += 1)}`;
  const post = (by: Caller, key: string, body: unknown = newOrder(shop)) =>
    by.post('/orders', body, { 'idempotency-key': key });
  const numberOfOrders = async () => Number((await shop.manager.get('/orders')).headers.get('x-total-count'));

  it('returns the first response for the same key and body, also after the order has changed', async () => {
    const { id: productId } = await addProduct(shop.manager, { stock: 10 });
    const body = newOrder(shop, { items: [{ productId, quantity: 4 }], note: 'once' });
    const key = newKey();
    const first = await post(shop.manager, key, body);
    expect(first.status).toBe(201);
    const repeated = async () => expect(whole(await post(shop.manager, key, body))).toEqual(whole(first));
    await repeated();
    await setStatus(shop.manager, first.body, 'CANCELLED');
    await repeated();
    await shop.manager.patch(`/products/${productId}`, { status: 'INACTIVE', name: 'Another' });
    await repeated();
    await shop.manager.delete(pathOf(first.body));
    await shop.manager.delete(`/products/${productId}`);
    await repeated();
    expect((await shop.manager.get(pathOf(first.body))).status).toBe(404);
  });

  it('treats an equivalent body as the same', async () => {
    const key = newKey();
    const { customerId, productId } = shop;
    const first = await post(shop.manager, key, { customerId, items: [{ productId, quantity: 2 }], note: null });
    const line = `{"quantity":2.0,"name":"x","productId":"${productId}"}`;
    const again = await post(shop.manager, key, `{ "items": [${line}],\n "customerId": "${customerId}", "total": 1 }`);
    expect(whole(again)).toEqual(whole(first));
  });

  it('returns 409 for another body with the same key', async () => {
    const key = newKey();
    const first = await post(shop.manager, key);
    for (const other of [{ note: 'x' }, { items: [{ productId: shop.productId, quantity: 2 }] }, { tenantId: 'acme' }])
      expect(await post(shop.manager, key, newOrder(shop, other))).toEqual(problem(409, 'conflict', PATH));
    expect(whole(await post(shop.manager, key))).toEqual(whole(first));
  });

  it('creates one order for parallel requests', async () => {
    const { id: productId } = await addProduct(shop.manager, { stock: 10 });
    const key = newKey();
    const before = await numberOfOrders();
    const body = newOrder(shop, { items: [{ productId, quantity: 6 }] });
    const responses = await Promise.all(Array.from({ length: 8 }, () => post(shop.manager, key, body)));
    for (const response of responses) expect(whole(response)).toEqual(whole(responses[0]!));
    expect([responses[0]!.status, await numberOfOrders(), await stockOf(shop, productId)]).toEqual([
      201,
      before + 1,
      4,
    ]);
  });

  it('does not store an error response', async () => {
    const { id: productId } = await addProduct(shop.manager);
    const key = newKey();
    const body = newOrder(shop, { items: [{ productId, quantity: 1 }] });
    expect((await post(shop.manager, key, body)).status).toBe(409);
    expect((await post(shop.manager, key, { ...body, note: 1 })).status).toBe(400);
    await shop.manager.patch(`/products/${productId}`, { stock: 1 });
    expect((await post(shop.manager, key, body)).status).toBe(201);
  });

  it('separates the keys of accounts, also in the same tenant', async () => {
    const key = newKey();
    const { body } = await post(shop.manager, key);
    const colleague = await post(await caller(deployment), key);
    expect([colleague.status, colleague.body.number]).toEqual([201, body.number + 1]);
    const stranger = await openShop(deployment, { tenantId: 'globex' });
    expect((await post(stranger.manager, key, newOrder(stranger))).body.number).toBe(1);
  });

  it('returns 403 for a stored response if the account may no longer create orders', async () => {
    const seller = await caller(deployment, { roles: ['SALES'] });
    const key = newKey();
    expect((await post(seller, key)).status).toBe(201);
    await deployment.database.execute('UPDATE accounts SET roles = ? WHERE username = ?', [
      'ACCOUNTANT',
      Buffer.from(seller.account.username),
    ]);
    expect(await post(seller, key)).toEqual(problem(403, 'permission-denied', PATH));
  });

  it.each([
    ['one character', '!'],
    ['255 characters', 'k'.repeat(255)],
    ['visible special characters', '"a,b;c=\\/?%00{}~'],
    ['blanks around it, which are not its own', '  spaced  '],
  ])('returns 201 for a key of %s', async (_what, key) => {
    const first = await post(shop.manager, key);
    expect(first.status).toBe(201);
    expect(whole(await post(shop.manager, key.trim()))).toEqual(whole(first));
  });

  it.each<[what: string, ...lines: string[]]>([
    ['nothing', 'Idempotency-Key:'],
    ['blanks', 'Idempotency-Key:   '],
    ['256 characters', `Idempotency-Key: ${'k'.repeat(256)}`],
    ['a blank inside', 'Idempotency-Key: a b'],
    ['a tab inside', 'Idempotency-Key: a\tb'],
    ['bytes beyond ASCII', 'Idempotency-Key: caf\xe9'],
    ['two keys', 'Idempotency-Key: a', 'Idempotency-Key: b'],
    ['one key twice', 'Idempotency-Key: a', 'idempotency-key: a'],
    ['a key and nothing', 'Idempotency-Key: a', 'Idempotency-Key:'],
    ['nothing and a key', 'Idempotency-Key:', 'Idempotency-Key: a'],
  ])('returns 400 for %s', async (_what, ...lines) => {
    const before = await traceOf(deployment, 'acme');
    const head = [
      `Authorization: ${shop.manager.headers['authorization']}`,
      'Content-Type: application/json',
      ...lines,
    ];
    const bytes = rawRequest(`POST ${PATH} HTTP/1.1`, head, JSON.stringify(newOrder(shop)));
    const response = await sendRaw(deployment.url, bytes);
    expect(response).toEqual(problem(400, 'validation-error', PATH));
    expect(faults(response as unknown as RestResponse)).toEqual(['idempotency-key']);
    expect(await traceOf(deployment, 'acme')).toEqual(before);
  });

  // Last, because it lets a day pass.
  it('accepts the key as a new one after 24 hours', async () => {
    const key = newKey();
    const { account } = shop.manager;
    const later = async (milliseconds: number) => {
      deployment.clock.advance(milliseconds);
      const { accessToken } = await seedSession(deployment, account);
      return post(callerWith(deployment.url, account, bearer(accessToken)), key);
    };
    const first = await later(0);
    expect(whole(await later(DAY - 1))).toEqual(whole(first));
    const next = await later(1);
    expect([next.status, next.body.id === first.body.id]).toEqual([201, false]);
    expect(next.body.number).toBeGreaterThan(first.body.number);
  });
});
