// Products: permissions, tenants and the order of checks.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newId } from '../../../src/platform/db/ids.ts';
import { ROLES, type Role } from '../../../src/auth/access/roles/built-in-roles.ts';
import { deploy, ON_SQLITE, type Deployment } from '../../support/deployment.ts';
import { problem } from '../../support/problems.ts';
import { rawRequest, sendRaw } from '../../support/raw-http.ts';
import { restClient, type RestResponse } from '../../support/rest-client.ts';
import { API, caller, callerWith, comparable, etagOf, type Caller } from '../../support/callers.ts';
import { addProduct, newProduct, pathOf } from '../../support/shop/products.ts';

const WRITERS: readonly Role[] = ['TENANT_ADMIN', 'ADMIN', 'OWNER', 'MANAGER', 'PURCHASER'];
const READERS: readonly Role[] = [...WRITERS, 'SALES', 'ACCOUNTANT', 'FLORIST', 'TENANT_USER'];

/** Every endpoint with a product in its path, with a good request. */
const OF_ONE: readonly [name: string, send: (by: Caller, path: string) => Promise<RestResponse>][] = [
  ['GET', (by, path) => by.get(path)],
  ['PUT', (by, path) => by.put(path, newProduct())],
  ['PATCH', (by, path) => by.patch(path, { stock: 1 })],
  ['PATCH /status', (by, path) => by.patch(`${path}/status`, { status: 'ARCHIVED' })],
  ['DELETE', (by, path) => by.delete(path)],
];

/** The same with requests that are broken in their own right. */
const BROKEN: readonly [name: string, status: number, send: (by: Caller, path: string) => Promise<RestResponse>][] = [
  ['PUT {}', 400, (by, path) => by.put(path, {})],
  ['PUT of no JSON', 400, (by, path) => by.put(path, '{')],
  ['PUT of text', 415, (by, path) => by.put(path, 'x', { 'content-type': 'text/plain' })],
  ['PATCH of an unknown field', 400, (by, path) => by.patch(path, { x: 1 })],
  ['PATCH without a body', 400, (by, path) => by.patch(path)],
  ['PATCH of too much', 413, (by, path) => by.patch(path, ' '.repeat(70_000))],
  ['PATCH /status {}', 400, (by, path) => by.patch(`${path}/status`, {})],
  ['PATCH of an unknown currency', 400, (by, path) => by.patch(path, { currency: 'XXZ' })],
  ["PATCH of another tenant's", 403, (by, path) => by.patch(path, { tenantId: 'other' })],
  ['PATCH of another version', 412, (by, path) => by.patch(path, { stock: 1 }, { 'if-match': '"9"' })],
];

const IMPOSSIBLE_IDS = [
  '%00',
  '%2e%2e',
  '%2e',
  '..%2f..',
  "'--",
  'a'.repeat(101),
  'a'.repeat(3_000),
  '%F0%9F%8C%B9',
  '0',
  'null',
  '*',
  newId().toUpperCase(),
  `%7B${newId()}%7D`,
  newId().replaceAll('-', ''),
  `${newId()}%20`,
  `${newId()}%00`,
];

describe.each(ON_SQLITE)('$engine over $transport', (kind) => {
  let deployment: Deployment;
  let manager: Caller;
  let stranger: Caller;
  let nobody: Caller;

  beforeAll(async () => {
    deployment = await deploy(kind);
    manager = await caller(deployment);
    stranger = await caller(deployment, { tenantId: 'other', roles: ['ADMIN'] });
    nobody = callerWith(deployment.url, manager.account, {});
  });
  afterAll(() => deployment?.close());

  const expectUnchanged = async (product: { id: string }) => {
    const response = await manager.get(pathOf(product));
    expect([etagOf(response), response.body]).toEqual(['"1"', product]);
  };

  it.each(ROLES)('%s', async (role) => {
    const by = await caller(deployment, { roles: [role], ...(role === 'SUPER_ADMIN' && { tenantId: undefined }) });
    const product = await addProduct(manager);
    const [reads, writes] = [READERS.includes(role), WRITERS.includes(role)];
    const responses = [await by.get('/products'), await by.post('/products', newProduct())];
    for (const [, send] of OF_ONE) responses.push(await send(by, pathOf(product)));
    expect(responses.map(({ status }) => status)).toEqual([
      reads ? 200 : 403,
      writes ? 201 : 403,
      reads ? 200 : 403,
      ...(writes ? [200, 200, 200, 204] : [403, 403, 403, 403]),
    ]);
    for (const response of responses.filter(({ status }) => status === 403)) {
      expect(response.body.errorCode).toBe('permission-denied');
    }
    if (!writes) await expectUnchanged(product);
  });

  it('applies the permissions of a second role', async () => {
    const by = await caller(deployment, { roles: ['DELIVERY', 'PURCHASER'] });
    expect((await by.post('/products', newProduct())).status).toBe(201);
  });

  it('checks credential, role, record, body, tenant, version and state in that order', async () => {
    const reader = await caller(deployment, { roles: ['SALES'] });
    const product = await addProduct(manager);
    const [there, gone] = [pathOf(product), pathOf({ id: newId() })];
    for (const [name, status, send] of BROKEN) {
      const statuses = [];
      for (const [by, path] of [
        [nobody, there],
        [reader, there],
        [reader, gone],
        [stranger, there],
        [manager, gone],
        [manager, there],
      ] as const) {
        statuses.push((await send(by, path)).status);
      }
      expect([name, ...statuses]).toEqual([name, 401, 403, 403, 404, 404, status]);
    }
    await expectUnchanged(product);
  });

  it('checks a request without a product in its path in the same order', async () => {
    const reader = await caller(deployment, { roles: ['SALES'] });
    const driver = await caller(deployment, { roles: ['DELIVERY'] });
    for (const [status, body, headers] of [
      [400, {}],
      [400, '{'],
      [415, 'x', { 'content-type': 'text/plain' }],
      [413, ' '.repeat(70_000)],
    ] as const) {
      const statuses = [];
      for (const by of [nobody, reader, manager]) statuses.push((await by.post('/products', body, headers)).status);
      expect(statuses).toEqual([401, 403, status]);
    }
    const statuses = [];
    for (const by of [nobody, driver, manager]) statuses.push((await by.get('/products?page=0')).status);
    expect(statuses).toEqual([401, 403, 400]);
  });

  it('returns 401 without a valid token', async () => {
    const product = await addProduct(manager);
    const garbage = callerWith(deployment.url, manager.account, { authorization: 'Bearer garbage' });
    for (const [by, detail] of [
      [nobody, 'Unauthorized - Missing or invalid token'],
      [garbage, 'Unauthorized - Invalid or expired token'],
    ] as const) {
      const response = await by.get('/products');
      expect(response).toEqual(problem(401, 'unauthorized', `${API}/products`, detail));
      expect(response.headers.get('www-authenticate')).toMatch(/^Bearer/);
      for (const [, send] of OF_ONE) expect((await send(by, pathOf(product))).status).toBe(401);
    }
    await expectUnchanged(product);
  });

  it.each(OF_ONE)("%s: returns the same 404 for another tenant's product and a missing one", async (_name, send) => {
    const product = await addProduct(manager);
    const foreign = await send(stranger, pathOf(product));
    const unknown = await send(stranger, pathOf({ id: newId() }));
    expect(foreign.status).toBe(404);
    expect(comparable(foreign)).toEqual(comparable(unknown));
    await expectUnchanged(product);
  });

  it('returns the same 404 for a malformed id and a missing product', async () => {
    const authorization = `Authorization: ${manager.headers['authorization']}`;
    const ask = (method: string, id: string, suffix = '') => {
      const body = method === 'GET' || method === 'DELETE' ? '' : JSON.stringify(newProduct());
      const lines = [authorization, ...(body === '' ? [] : ['Content-Type: application/json'])];
      return sendRaw(deployment.url, rawRequest(`${method} ${API}/products/${id}${suffix} HTTP/1.1`, lines, body));
    };
    const withoutInstance = ({ status, body }: Awaited<ReturnType<typeof ask>>) => ({
      status,
      ...body,
      instance: undefined,
    });
    const unknown = withoutInstance(await ask('GET', newId()));
    expect(unknown).toMatchObject({ status: 404, errorCode: 'not-found' });
    for (const id of IMPOSSIBLE_IDS) {
      expect([id, withoutInstance(await ask('GET', id))]).toEqual([id, unknown]);
      expect([id, withoutInstance(await ask('PATCH', id))]).toEqual([id, unknown]);
    }
    for (const id of IMPOSSIBLE_IDS.slice(0, 2)) {
      expect(withoutInstance(await ask('PUT', id))).toEqual(unknown);
      expect(withoutInstance(await ask('DELETE', id))).toEqual(unknown);
      expect(withoutInstance(await ask('PATCH', id, '/status'))).toEqual(unknown);
    }
  });

  it.each([
    ['PUT', '/products', 'GET, HEAD, POST, OPTIONS'],
    ['DELETE', '/products', 'GET, HEAD, POST, OPTIONS'],
    ['POST', `/products/${newId()}`, 'GET, HEAD, PUT, PATCH, DELETE, OPTIONS'],
    ['GET', `/products/${newId()}/status`, 'PATCH, OPTIONS'],
  ])('returns 405 for %s %s', async (method, path, allow) => {
    const response = await restClient(deployment.url).send(method, API + path, { headers: manager.headers });
    expect(response).toEqual(problem(405, 'method-not-allowed', API + path));
    expect(response.headers.get('allow')).toBe(allow);
  });

  it.each(['/products/', '/Products', `/products/${newId()}/stock`])('returns 404 for %s', async (path) => {
    expect(await manager.get(path)).toEqual(problem(404, 'not-found', API + path));
  });
});
