// ProductService for gRPC clients: requests that REST cannot express, and products in orders.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  ProductStatus,
  type ListProductsRequest,
  type ProductFields,
  type UpdateProductRequest,
} from '../../../proto/gen/authservice/business/v1/product_service.ts';
import { newId } from '../../../src/platform/db/ids.ts';
import { seedAccount } from '../../support/accounts.ts';
import { deploy, DIAGONAL, type Deployment } from '../../support/deployment.ts';
import { seedSession } from '../../support/sessions.ts';
import { line, openShop, type Shop } from '../../support/shop/core-shop.ts';
import { outcomeOf, refusal, violationsOf } from '../../support/rpc-outcomes.ts';

const STAGED = { date: '2026-01-02', uuid: newId() };
const GOOD: ProductFields = { sku: 'GOOD', name: 'Good', price: 1, status: 0, images: [] };
const UNKNOWN_STATUS = 17 as ProductStatus;

describe.each(DIAGONAL)('$engine over $transport', ({ engine, transport }) => {
  let deployment: Deployment;
  let shop: Shop;

  beforeAll(async () => {
    deployment = await deploy({ engine, transport });
    shop = await openShop(deployment);
  });
  afterAll(() => deployment?.close());

  const create = (product?: ProductFields) => shop.products.createProduct({ product }, shop.as);
  const update = (productId: string, request: Partial<UpdateProductRequest>) =>
    shop.products.updateProduct({ productId, ...request }, shop.as);
  const list = (request: Partial<ListProductsRequest>) =>
    shop.products.listProducts({ sort: '', status: 0, ...request }, shop.as);

  describe('fields', () => {
    it.each<[what: string, fields: Partial<ProductFields>, ...violations: string[]]>([
      ['a price below 0', { price: -1 }, 'price: range'],
      ['too high a price', { price: 1_000_000_000 }, 'price: range'],
      ['the highest number for a price', { price: Number.MAX_SAFE_INTEGER }, 'price: range'],
      ['a stock below 0', { stock: -1 }, 'stock: range'],
      ['too large a stock', { stock: 1_000_000_001 }, 'stock: range'],
      ['too high a level', { reorderLevel: 1_000_000_001 }, 'reorderLevel: range'],
      ['too long a SKU', { sku: 'x'.repeat(65) }, 'sku: length'],
      ['a blank name', { name: ' ' }, 'name: length'],
      ['too long a description', { description: 'x'.repeat(4_001) }, 'description: length'],
      ['too long a category', { category: 'x'.repeat(101) }, 'category: length'],
      ['a control character', { category: 'a\0' }, 'category: characters'],
      ['small letters', { currency: 'eur' }, 'currency: currency'],
      ['an empty currency', { currency: '' }, 'currency: currency'],
      ['an unknown status', { status: UNKNOWN_STATUS }, 'status: enum'],
      ['an image', { images: [STAGED] }, 'images.0: reference'],
      ['too many images', { images: Array.from({ length: 21 }, () => STAGED) }, 'images: maxItems'],
      [
        'nothing',
        { sku: undefined, name: undefined, price: undefined },
        'sku: required',
        'name: required',
        'price: required',
      ],
    ])('%s', async (_what, fields, ...violations) => {
      expect(await violationsOf(create({ ...GOOD, ...fields }))).toEqual(violations);
    });

    it('reports all fields as missing if the product is missing', async () => {
      expect(await violationsOf(create())).toEqual(['sku: required', 'name: required', 'price: required']);
    });

    it('accepts every field at its maximum', async () => {
      const most = { price: 999_999_999, stock: 1_000_000_000, reorderLevel: 1_000_000_000 };
      const { product } = await create({ ...GOOD, ...most });
      expect(product).toMatchObject({
        ...most,
        currency: 'EUR',
        status: ProductStatus.PRODUCT_STATUS_ACTIVE,
        version: 1,
      });
    });
  });

  describe('the update mask', () => {
    it.each<[what: string, mask: string[] | undefined]>([
      ['none', undefined],
      ['an unknown field', ['name', 'colour']],
      ['a computed field', ['id']],
      ["JSON's spelling", ['reorderLevel']],
      ['a star', ['*']],
      ['a path', ['product.name']],
    ])('rejects %s', async (_what, updateMask) => {
      const { id } = await shop.product();
      expect(await violationsOf(update(id, { updateMask, product: GOOD }))).toContain('updateMask: fieldMask');
    });

    it('decides which fields are checked and changed', async () => {
      const before = await shop.product({ stock: 5, currency: 'CHF', description: 'x' });
      const given = { ...GOOD, name: 'Meant', price: -5, stock: -5, images: [STAGED] };
      const updateMask = ['name', 'currency', 'description', 'name'];
      const { product } = await update(before.id, { updateMask, product: given });
      expect(product).toEqual({ ...before, name: 'Meant', currency: 'EUR', description: undefined, version: 2 });
      expect(await violationsOf(update(before.id, { updateMask: ['sku', 'price'] }))).toEqual([
        'sku: required',
        'price: required',
      ]);
    });

    it('changes nothing if empty', async () => {
      const before = await shop.product();
      const { product } = await update(before.id, { updateMask: [], product: { ...GOOD, price: -1 } });
      expect(product).toEqual(before);
    });
  });

  it('a precondition without versions always fails', async () => {
    const { id: productId } = await shop.product();
    const precondition = { versions: [] };
    const reasons = [
      await outcomeOf(update(productId, { updateMask: ['stock'], precondition })),
      await outcomeOf(update(productId, { updateMask: [], precondition })),
      await outcomeOf(shop.products.setProductStatus({ productId, status: 1, precondition }, shop.as)),
      await outcomeOf(shop.products.deleteProduct({ productId, precondition }, shop.as)),
    ];
    expect(reasons).toEqual(Array(4).fill('PRECONDITION_FAILED'));
  });

  it('rejects a missing and an unknown status', async () => {
    const { id: productId } = await shop.product();
    const set = (status: ProductStatus) => shop.products.setProductStatus({ productId, status }, shop.as);
    expect(await violationsOf(set(0))).toEqual(['status: required']);
    expect(await violationsOf(set(UNKNOWN_STATUS))).toEqual(['status: enum']);
  });

  it.each<[request: Partial<ListProductsRequest>, ...violations: string[]]>([
    [{ page: { page: 1_000_001, perPage: 101 } }, 'page: range', 'perPage: range'],
    [{ sort: 'password' }, 'sort: sort'],
    [
      { sort: 'name,name', query: 'x'.repeat(255), status: UNKNOWN_STATUS, category: ' ' },
      'query: length',
      'status: enum',
      'category: length',
      'sort: sort',
    ],
  ])('rejects a list with %j', async (request, ...violations) => {
    expect(await violationsOf(list(request))).toEqual(violations);
  });

  it('returns no products to an account without a tenant', async () => {
    const account = await seedAccount(deployment.database, { roles: ['SUPER_ADMIN'], tenantId: undefined });
    const as = { authorization: [`Bearer ${(await seedSession(deployment, account)).accessToken}`] };
    const { id: productId } = await shop.product();
    expect(await outcomeOf(shop.products.getProduct({ productId }, as))).toBe('PERMISSION_DENIED');
    expect(await outcomeOf(shop.products.createProduct({ product: GOOD }, as))).toBe('PERMISSION_DENIED');
  });

  it('returns NOT_FOUND for a text that is not an id', async () => {
    for (const productId of ['', '\0', 'x'.repeat(1_000), newId().toUpperCase()]) {
      expect(await outcomeOf(shop.products.deleteProduct({ productId }, shop.as))).toBe('NOT_FOUND');
    }
  });

  it("returns the same error for another tenant's product and a missing one", async () => {
    const elsewhere = await openShop(deployment);
    const { id } = await elsewhere.product();
    const [foreign, unknown] = [await refusal(update(id, { updateMask: [] })), await refusal(update(newId(), {}))];
    expect({ ...foreign, requestId: '' }).toEqual({ ...unknown, requestId: '' });
  });

  describe('deletion', () => {
    it('keeps the orders of the product, which continue without it', async () => {
      const [deleted, kept] = [await shop.product(), await shop.product()];
      const order = await shop.place({ items: [line(deleted, 3), line(kept, 2)] });
      await shop.products.deleteProduct({ productId: deleted.id }, shop.as);
      expect(await shop.get(order)).toEqual(order);
      await shop.setStatus(order, 'CANCELLED');
      expect(await shop.stockOf(kept)).toBe(10);
      expect(await outcomeOf(shop.stockOf(deleted))).toBe('NOT_FOUND');
    });

    it('in parallel with orders of the product keeps every order consistent', async () => {
      const product = await shop.product({ stock: 100 });
      const placed = Array.from({ length: 5 }, () => outcomeOf(shop.place({ items: [line(product, 1)] })));
      const deleted = outcomeOf(shop.products.deleteProduct({ productId: product.id }, shop.as));
      const outcomes = await Promise.all(placed);
      expect(await deleted).toBe('OK');
      expect(outcomes.filter((outcome) => !['OK', 'VALIDATION_ERROR'].includes(outcome))).toEqual([]);
    });
  });

  it('parallel orders and stock changes never reserve more than the stock', async () => {
    const product = await shop.product({ stock: 0 });
    await update(product.id, { updateMask: ['stock'], product: { ...GOOD, stock: 3 } });
    const outcomes = await Promise.all([
      ...Array.from({ length: 5 }, () => outcomeOf(shop.place({ items: [line(product, 1)] }))),
      ...Array.from({ length: 4 }, (_, index) =>
        outcomeOf(update(product.id, { updateMask: ['name'], product: { ...GOOD, name: `Name ${index}` } })),
      ),
    ]);
    expect(outcomes.slice(5)).toEqual(Array(4).fill('OK'));
    const taken = outcomes.filter((outcome) => outcome === 'OK').length - 4;
    expect([taken, await shop.stockOf(product)]).toEqual([3, 0]);
    const { product: after } = await shop.products.getProduct({ productId: product.id }, shop.as);
    expect(after!.version).toBe(2 + 3 + 4);
  });
});
