// Lists of customers: order, search, filter, pages, and invalid parameters.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { deploy, DIAGONAL, type Deployment } from '../../support/deployment.ts';
import { problem } from '../../support/problems.ts';
import { API, caller, type Caller } from '../../support/callers.ts';
import { addCustomer } from '../../support/shop/customers.ts';

const PATH = `${API}/customers`;

/** In the order in which they are added. */
const CUSTOMERS = [
  { name: 'Émile Zola', email: 'zola@example.org' },
  { name: 'Ann', email: 'Ann@example.org', phone: '+49 30 11', status: 'BLOCKED' },
  { name: 'Ben_50%', phone: '030/2222' },
  { name: 'ann', email: 'BEN@example.org', status: 'INACTIVE' },
  { name: 'Straße \\ 7', address: 'nowhere' },
];
const [ZOLA, ANN, BEN, LOWER_ANN, STREET] = CUSTOMERS.map(({ name }) => name) as [
  string,
  string,
  string,
  string,
  string,
];

describe.each(DIAGONAL)('$engine over $transport', (kind) => {
  let deployment: Deployment;
  let by: Caller;

  beforeAll(async () => {
    deployment = await deploy(kind);
    by = await caller(deployment);
    for (const fields of CUSTOMERS) {
      deployment.clock.advance(1_000);
      await addCustomer(by, fields);
    }
  });
  afterAll(() => deployment?.close());

  const names = async (query: string) => {
    const { status, body } = await by.get(`/customers${query}`);
    expect(status).toBe(200);
    return (body as { name: string }[]).map(({ name }) => name);
  };

  it('returns whole customers', async () => {
    const [first] = (await by.get('/customers')).body;
    expect(first).toEqual((await by.get(`/customers/${first.id}`)).body);
  });

  it.each<[query: string, ...names: string[]]>([
    ['', STREET, LOWER_ANN, BEN, ANN, ZOLA],
    ['?sort=createdAt', ZOLA, ANN, BEN, LOWER_ANN, STREET],
    ['?sort=-updatedAt', STREET, LOWER_ANN, BEN, ANN, ZOLA],
    ['?sort=name', ANN, BEN, STREET, LOWER_ANN, ZOLA],
    ['?sort=-name', ZOLA, LOWER_ANN, STREET, BEN, ANN],
    ['?sort=email,name', BEN, STREET, ANN, LOWER_ANN, ZOLA],
    ['?sort=-email,-createdAt', ZOLA, LOWER_ANN, ANN, STREET, BEN],
    ['?status=ACTIVE', STREET, BEN, ZOLA],
    ['?status=BLOCKED', ANN],
    ['?q=ANN', LOWER_ANN, ANN],
    ['?q=ann&status=INACTIVE', LOWER_ANN],
    ['?q=%C3%89MILE', ZOLA],
    ['?q=E%CC%81mile', ZOLA],
    ['?q=STRA%C3%9FE', STREET],
    ['?q=Ben', LOWER_ANN, BEN],
    ['?q=%40EXAMPLE.org&sort=name', ANN, LOWER_ANN, ZOLA],
    ['?q=30%2F2', BEN],
    ['?q=%25', BEN],
    ['?q=_', BEN],
    ['?q=%5C', STREET],
    ['?q=nowhere'],
    ["?q='"],
    [`?q=${'x'.repeat(254)}`],
    ['?perPage=2', STREET, LOWER_ANN],
    ['?perPage=2&page=2', BEN, ANN],
    ['?perPage=2&page=3', ZOLA],
    ['?perPage=2&page=4'],
    ['?page=1000000&perPage=100'],
    ['?sort=name&perPage=2&page=2', STREET, LOWER_ANN],
    ['?q=ann&perPage=1&page=2', ANN],
  ])('%s', async (query, ...expected) => {
    expect(await names(query)).toEqual(expected);
  });

  it('returns the page in headers, and links to the others', async () => {
    const { headers } = await by.get('/customers?status=ACTIVE&perPage=1&page=2');
    const shown = ['x-total-count', 'x-page', 'x-per-page'].map((name) => headers.get(name));
    expect(shown).toEqual(['3', '2', '1']);
    const link = (page: number, relation: string) =>
      `<${PATH}?status=ACTIVE&page=${page}&perPage=1>; rel="${relation}"`;
    const links = [link(1, 'first'), link(1, 'prev'), link(3, 'next'), link(3, 'last')];
    expect(headers.get('link')).toBe(links.join(', '));
    expect(headers.get('cache-control')).toBe('private, no-cache');
  });

  it('returns the total of the filtered list, also past its end and if it is empty', async () => {
    const total = async (query: string) => (await by.get(`/customers${query}`)).headers.get('x-total-count');
    const totals = ['', '?page=9', '?status=INACTIVE', '?q=ann', '?q=ann&status=ACTIVE'].map(total);
    expect(await Promise.all(totals)).toEqual(['5', '5', '1', '2', '0']);
    const stranger = await caller(deployment, { tenantId: 'empty' });
    const none = await stranger.get('/customers?status=BLOCKED');
    expect([none.status, none.body, none.headers.get('x-total-count')]).toEqual([200, [], '0']);
  });

  it('counts customers by status after each change', async () => {
    const other = await caller(deployment, { tenantId: 'counted' });
    const total = async (query: string) => (await other.get(`/customers${query}`)).headers.get('x-total-count');
    const totals = () => Promise.all(['', '?status=ACTIVE', '?status=INACTIVE', '?status=BLOCKED'].map(total));
    const { id } = await addCustomer(other);
    await addCustomer(other, { status: 'BLOCKED' });
    expect(await totals()).toEqual(['2', '1', '0', '1']);
    await other.patch(`/customers/${id}/status`, { status: 'BLOCKED' });
    expect(await totals()).toEqual(['2', '0', '0', '2']);
    await other.patch(`/customers/${id}`, { status: 'INACTIVE' });
    await other.patch(`/customers/${id}`, { name: 'x' });
    expect(await totals()).toEqual(['2', '0', '1', '1']);
    await other.patch(`/customers/${id}/status`, { status: 'ACTIVE' }, { 'if-match': '"1"' });
    expect(await totals()).toEqual(['2', '0', '1', '1']);
    await Promise.all([1, 2, 3, 4, 5].map(() => addCustomer(other)));
    expect(await totals()).toEqual(['7', '5', '1', '1']);
  });

  it('finds customers by their current texts, not by earlier ones', async () => {
    const other = await caller(deployment, { tenantId: 'renamed' });
    const { id } = await addCustomer(other, { name: 'Before', email: 'before@x.test' });
    await other.patch(`/customers/${id}`, { name: 'After', email: null });
    const found = async (q: string) => (await other.get(`/customers?q=${q}`)).body.length;
    expect([await found('before'), await found('after')]).toEqual([0, 1]);
  });

  it.each([
    '?page=0',
    '?page=-1',
    '?page=1.5',
    '?page=x',
    '?page=',
    '?page=1000001',
    '?page=1&page=2',
    '?perPage=0',
    '?perPage=101',
    '?perPage=1e1',
    '?sort=',
    '?sort=phone',
    '?sort=--name',
    '?sort=name,name',
    '?sort=name,-name',
    '?sort=name,',
    '?sort=created_at',
    '?sort=Name',
    '?sort=constructor',
    '?sort=name%3BDROP',
    '?sort=name&sort=email',
    `?q=${'x'.repeat(255)}`,
    '?q=a&q=b',
    '?status=',
    '?status=active',
    '?status=NEW',
    '?status=ACTIVE&status=BLOCKED',
    '?status[]=ACTIVE',
    '?email=x',
    '?tenantId=acme',
    '?__proto__=x',
  ])('returns 400 for %s', async (query) => {
    const response = await by.get(`/customers${query}`);
    expect(response).toEqual(problem(400, 'validation-error', PATH));
    expect(response.body.violations).not.toEqual([]);
  });
});
