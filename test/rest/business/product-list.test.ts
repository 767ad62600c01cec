// Lists of products: filters, search, order, pages.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { deploy, DIAGONAL, type Deployment } from '../../support/deployment.ts';
import { problem } from '../../support/problems.ts';
import { API, caller, type Caller } from '../../support/callers.ts';
import { addProduct, newProduct } from '../../support/shop/products.ts';

/** In the order in which they are added; those of one line at the same time. */
const STOCKED: readonly Record<string, unknown>[][] = [
  [
    { sku: 'r1', name: 'Rosé', category: 'Roses', price: 3, stock: 5, reorderLevel: 5 },
    { sku: 'R1', name: 'rose%', category: 'roses', price: 3, stock: 6, reorderLevel: 5 },
  ],
  [{ sku: 'a_b', name: 'A\\B', category: 'Rosés', price: 1, stock: 0, status: 'INACTIVE' }],
  [{ sku: 'axb', name: 'ÉPICÉA 🌲', price: 10.5, stock: 100, status: 'ARCHIVED' }],
  [
    { sku: '100%', name: "O'Hara; --", category: 'Roses', price: 2, stock: 1, status: 'INACTIVE' },
    { sku: 'zz', name: 'E\u0301toile', category: 'Trees', price: 3, stock: 1, reorderLevel: 9 },
  ],
];

describe.each(DIAGONAL)('$engine over $transport', (kind) => {
  let deployment: Deployment;
  let manager: Caller;

  beforeAll(async () => {
    deployment = await deploy(kind);
    manager = await caller(deployment);
    for (const products of STOCKED) {
      for (const product of products) await addProduct(manager, product);
      deployment.clock.advance(1000);
    }
    const stranger = await caller(deployment, { tenantId: 'other' });
    await addProduct(stranger, { sku: 'r1', name: 'Rosé', category: 'Roses' });
  });
  afterAll(() => deployment?.close());

  const list = async (query: Record<string, string> | string) => {
    const response = await manager.get(`/products?${new URLSearchParams(query).toString()}`);
    return { status: response.status, skus: response.body.map?.(({ sku }: { sku: string }) => sku), response };
  };
  const total = ({ response }: Awaited<ReturnType<typeof list>>) => Number(response.headers.get('x-total-count'));

  it("returns whole products of the caller's tenant, newest first", async () => {
    const { response, skus } = await list('');
    expect(skus).toEqual(['zz', '100%', 'axb', 'a_b', 'R1', 'r1']);
    expect(response.headers.get('cache-control')).toBe('private, no-cache');
    for (const product of response.body) {
      expect((await manager.get(`/products/${product.id}`)).body).toEqual(product);
      expect(product.tenantId).toBe('acme');
    }
  });

  it.each<[q: string, ...skus: string[]]>([
    ['%', '100%', 'R1'],
    ['_', 'a_b'],
    ['\\', 'a_b'],
    ['\\\\'],
    ['\n'],
    ['rosé\nroses'],
    ['%%'],
    ["'", '100%'],
    ["'; --"],
    ['; --', '100%'],
    ['R1', 'R1', 'r1'],
    ['rose', '100%', 'R1', 'r1'],
    ['ROSÉ', 'a_b', 'r1'],
    ['rose\u0301', 'a_b', 'r1'],
    ['épicÉa', 'axb'],
    ['epicea'],
    ['étoile', 'zz'],
    ['🌲', 'axb'],
    ['  '],
    [' 🌲', 'axb'],
    ['.*'],
    ['a_b%'],
    ['\0'],
    ['x'.repeat(254)],
  ])('q=%j', async (q, ...skus) => {
    const found = await list({ q });
    expect([found.skus, total(found)]).toEqual([skus, skus.length]);
  });

  it.each<[query: string, ...skus: string[]]>([
    ['status=ACTIVE', 'zz', 'R1', 'r1'],
    ['status=INACTIVE', '100%', 'a_b'],
    ['status=ARCHIVED', 'axb'],
    ['category=Roses', '100%', 'r1'],
    ['category=roses', 'R1'],
    ['category=Rose'],
    ['category=%20Trees%20', 'zz'],
    ['lowStock=true', 'zz', 'a_b', 'r1'],
    ['lowStock=false', '100%', 'axb', 'R1'],
    ['status=ACTIVE&lowStock=true', 'zz', 'r1'],
    ['status=INACTIVE&category=Roses&lowStock=false&q=hara&sort=sku', '100%'],
    ['status=ARCHIVED&category=Roses'],
  ])('?%s', async (query, ...skus) => {
    const found = await list(query);
    expect([found.skus, total(found)]).toEqual([skus, skus.length]);
  });

  it.each<[sort: string, ...skus: string[]]>([
    ['sku', '100%', 'R1', 'a_b', 'axb', 'r1', 'zz'],
    ['-sku', 'zz', 'r1', 'axb', 'a_b', 'R1', '100%'],
    // By code points, so capitals first; without a category before all others.
    ['name', 'a_b', 'zz', '100%', 'r1', 'R1', 'axb'],
    ['category', 'axb', 'r1', '100%', 'a_b', 'zz', 'R1'],
    ['-category,sku', 'R1', 'zz', 'a_b', '100%', 'r1', 'axb'],
    ['price', 'a_b', '100%', 'r1', 'R1', 'zz', 'axb'],
    ['-price,-stock', 'axb', 'R1', 'r1', 'zz', '100%', 'a_b'],
    ['stock,-price', 'a_b', 'zz', '100%', 'r1', 'R1', 'axb'],
    ['createdAt', 'r1', 'R1', 'a_b', 'axb', '100%', 'zz'],
    ['-createdAt,sku', '100%', 'zz', 'axb', 'a_b', 'R1', 'r1'],
    ['updatedAt,-sku', 'r1', 'R1', 'a_b', 'axb', 'zz', '100%'],
  ])('sort=%s, with the same order on one page and on many', async (sort, ...skus) => {
    expect((await list({ sort })).skus).toEqual(skus);
    const pages = [];
    for (const page of ['1', '2', '3', '4']) pages.push((await list({ sort, page, perPage: '2' })).skus);
    expect(pages).toEqual([skus.slice(0, 2), skus.slice(2, 4), skus.slice(4), []]);
  });

  it('returns the page in headers, and links to others with the same filters', async () => {
    const { response, skus } = await list('sort=sku&q=o&perPage=2&page=2');
    expect(skus).toEqual(['a_b', 'r1']);
    const headers = ['x-total-count', 'x-page', 'x-per-page'].map((name) => response.headers.get(name));
    expect(headers).toEqual(['5', '2', '2']);
    const link = (page: number, relation: string) =>
      `<${API}/products?sort=sku&q=o&page=${page}&perPage=2>; rel="${relation}"`;
    expect(response.headers.get('link')).toBe(
      [link(1, 'first'), link(1, 'prev'), link(3, 'next'), link(3, 'last')].join(', '),
    );
  });

  it.each(['page=4&perPage=2', 'page=1000000', 'page=1000000&perPage=100&q=rose'])(
    'returns an empty list past the end: ?%s',
    async (query) => {
      const found = await list(query);
      expect([found.status, found.response.text]).toEqual([200, '[]']);
      expect(total(found)).toBe(query.includes('rose') ? 3 : 6);
    },
  );

  it.each([
    'page=0',
    'page=-1',
    'page=1000001',
    'page=1000000000',
    'page=abc',
    'page=',
    'page=1&page=1',
    'perPage=0',
    'perPage=101',
    'perPage=-1',
    'perPage=1e1',
    'sort=',
    'sort=password',
    'sort=id',
    'sort=low_stock',
    'sort=search_text',
    'sort=tenantId',
    'sort=Name',
    'sort=name,name',
    'sort=name,-name',
    'sort=name,',
    'sort=,',
    'sort=-',
    'sort=--name',
    'sort=%2Bname',
    'sort=name%20desc',
    'sort=name%20,sku',
    'sort=(SELECT%201)',
    'sort=constructor',
    'sort=__proto__',
    'sort=name&sort=sku',
    'q=a&q=b',
    `q=${'x'.repeat(255)}`,
    'status=',
    'status=active',
    'status=SOLD',
    'status=UNSPECIFIED',
    'status=ACTIVE,INACTIVE',
    'status=ACTIVE&status=ACTIVE',
    'category=',
    'category=%20',
    'category=a%00b',
    `category=${'x'.repeat(101)}`,
    'lowStock=',
    'lowStock=1',
    'lowStock=TRUE',
    'lowStock=null',
    'low_stock=true',
    'unknown=1',
    'q[]=1',
    '__proto__=1',
    'tenantId=other',
  ])('returns 400 for ?%s', async (query) => {
    expect(await manager.get(`/products?${query}`)).toEqual(problem(400, 'validation-error', `${API}/products`));
  });

  it('is empty for a tenant without products', async () => {
    const response = await (await caller(deployment, { tenantId: 'empty' })).get('/products');
    expect([response.status, response.text, response.headers.get('x-total-count')]).toEqual([200, '[]', '0']);
  });

  it('has a stable order across pages for products with equal creation times', async () => {
    const by = await caller(deployment, { tenantId: 'moment' });
    await Promise.all(Array.from({ length: 9 }, () => by.post('/products', newProduct({ price: 1 }))));
    const idsOf = async (query: string) =>
      (await by.get(`/products?${query}`)).body.map(({ id }: { id: string }) => id) as string[];
    for (const sort of ['price', '-price', 'category', '-updatedAt,price']) {
      const whole = await idsOf(`sort=${sort}`);
      const paged = [];
      for (const page of [1, 2, 3]) paged.push(...(await idsOf(`sort=${sort}&perPage=4&page=${page}`)));
      expect(paged).toEqual(whole);
      expect(new Set(whole).size).toBe(9);
    }
  });
});
