// The isolation check detects leaks and operations without a case. It runs on fakes, because the service has neither.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { projectRpcs } from '../../cli/isolation/rpcs.ts';
import { isFailure, type Finding } from '../../cli/isolation/operation.ts';
import { ROUTES, RPCS } from '../../cli/isolation/cases.ts';
import { routesOf, type OpenApi } from '../../cli/isolation/routes.ts';
import { rpcsOf, type DeclaredRpc } from '../../cli/isolation/rpcs.ts';
import { runProbes } from '../../cli/isolation/run-probes.ts';
import { refused } from '../support/fake-core.ts';
import { leakingCore, type Defect as CoreDefect } from './leaking-core.ts';
import {
  DOCUMENT,
  problem,
  productOf,
  SIDES,
  startFakeGateway,
  type Defect,
  type FakeGateway,
  type FakeRequest,
} from './fake-gateway.ts';

const GET = 'GET /products/{id}';
const PATCH = 'PATCH /products/{id}';
const LIST = 'GET /products';
const POST = 'POST /products';
const SERVICE = 'authservice.business.v1.ProductService';
const BOTH = [productOf(SIDES.own), productOf(SIDES.foreign)];

/** Failed operations, each once. */
const failed = (findings: readonly Finding[]) =>
  [...new Set(findings.filter(isFailure).map(({ operation }) => operation))].toSorted();

describe('probes of routes', () => {
  let gateway: FakeGateway;
  beforeAll(async () => {
    gateway = await startFakeGateway();
  });
  afterAll(() => gateway?.close());

  const walkRoutes = (defect?: Defect, document: OpenApi = DOCUMENT) => {
    gateway.leakBy(defect);
    return runProbes(routesOf(document, ROUTES, gateway.http), SIDES);
  };

  it('pass if nothing leaks', async () => {
    const findings = await walkRoutes();
    expect(findings.filter(({ verdict }) => verdict !== 'passed')).toEqual([]);
    expect([...new Set(findings.map(({ operation }) => operation))].toSorted()).toEqual([LIST, GET, PATCH, POST]);
  });

  it.each<[name: string, operations: string[], defect: Defect]>([
    [
      '403 instead of 404',
      [GET, PATCH],
      ({ by, isForeign }) => when(isForeign && by === 'own', problem(403, 'permission-denied')),
    ],
    [
      '403 for both',
      [PATCH],
      ({ by, method }) => when(method === 'PATCH' && by === 'own', problem(403, 'permission-denied')),
    ],
    ['500', [GET, PATCH], ({ by, isForeign }) => when(isForeign && by === 'own', problem(500, 'internal-error'))],
    [
      'the record itself',
      [GET, PATCH],
      ({ by, isForeign }) => when(isForeign && by === 'own', { status: 200, body: productOf(SIDES.foreign) }),
    ],
    [
      'another text',
      [GET, PATCH],
      ({ by, isForeign, id }, { status }) =>
        when(
          isForeign && by === 'own' && status === 404,
          problem(404, 'not-found', { instance: id, detail: 'not yours' }),
        ),
    ],
    [
      'another header',
      [GET, PATCH],
      ({ by, isForeign }, honest) => when(isForeign && by === 'own', { ...honest, headers: { 'x-tenant': 'other' } }),
    ],
    ['a body to HEAD', [GET], ({ isForeign, method }) => when(isForeign && method === 'HEAD', { status: 200 })],
    [
      'a version check before the tenant check',
      [GET],
      ({ isForeign, headers }) => when(isForeign && headers['if-none-match'] !== undefined, { status: 304 }),
    ],
    [
      'a body check before the tenant check',
      [PATCH],
      ({ isForeign, by, body }) =>
        when(isForeign && by === 'own' && body?.unknownToEverybody !== undefined, problem(400, 'validation-error')),
    ],
    ['a list of all tenants', [LIST], (request) => when(listsAll(request), { status: 200, body: BOTH })],
    [
      'a filter over all tenants',
      [LIST],
      ({ query }) => when(query.get('category') === SIDES.foreign.mark, { status: 200, body: BOTH }),
    ],
    [
      'a total over all tenants',
      [LIST],
      ({ by, query }, honest) =>
        when(by === 'own' && query.get('q') === SIDES.foreign.mark, { ...honest, headers: { 'x-total-count': '1' } }),
    ],
    [
      'a record in another tenant',
      [POST],
      ({ method, body }) => when(method === 'POST' && body?.tenantId !== undefined, { status: 201, body: BOTH[1] }),
    ],
    [
      "another tenant's file",
      [PATCH, POST],
      ({ body }) => when(body?.images !== undefined, { status: 200, body: BOTH[0] }),
    ],
    [
      "a difference between a missing file and another tenant's file",
      [PATCH, POST],
      ({ body }, honest) =>
        when(body?.images?.[0]?.uuid === SIDES.foreign.file!.uuid, { ...honest, headers: { 'x-tenant': 'other' } }),
    ],
    [
      'an error with another reason',
      [PATCH, POST],
      ({ body }) =>
        when(body?.images !== undefined, problem(400, 'validation-error', { violations: [{ format: 'required' }] })),
    ],
    [
      'a record that is hidden from its owner',
      [GET],
      ({ isForeign, id }) => when(isForeign, problem(404, 'not-found', { instance: id })),
    ],
  ])('fail for %s', async (_name, operations, defect) => {
    expect(failed(await walkRoutes(defect))).toEqual(operations);
  });

  it('fail for a change that is made although the response is 404', async () => {
    let changes = 0;
    const defect: Defect = ({ by, isForeign, method }, honest) => {
      if (isForeign && method === 'PATCH') changes += 1;
      return when(isForeign && method === 'GET' && by === 'other', { ...honest, headers: { etag: `"${changes}"` } });
    };
    expect(failed(await walkRoutes(defect))).toEqual([GET]);
  });

  it('fail for a route without a case', async () => {
    const paths = { ...DOCUMENT.paths, '/shop/api/v1/invoices/{id}': { get: {} } };
    expect((await walkRoutes(undefined, { paths })).filter(isFailure)).toEqual([
      expect.objectContaining({ operation: 'GET /invoices/{id}', verdict: 'uncovered' }),
    ]);
  });

  it.each([
    ['query.shopId', { get: { parameters: [{ in: 'query', name: 'shopId' }] } }],
    ['body.lines.shopId', { post: bodyOf({ lines: { items: { properties: { shopId: { type: 'string' } } } } }) }],
  ])('fail for an id that no request contains: %s', async (id, method) => {
    const [name] = Object.keys(method);
    const path = '/shop/api/v1/products';
    const paths = { [path]: { ...DOCUMENT.paths[path], ...method } } as OpenApi['paths'];
    expect((await walkRoutes(undefined, { paths })).filter(isFailure)).toEqual([
      expect.objectContaining({
        operation: name === 'get' ? LIST : POST,
        verdict: 'uncovered',
        detail: expect.stringContaining(id),
      }),
    ]);
  });
});

describe('probes of RPCs', () => {
  const declared = projectRpcs();
  const products = declared.filter(({ path }) => path.startsWith(`/${SERVICE}/`));
  const walkRpcs = (defect?: CoreDefect, rpcs: readonly DeclaredRpc[] = products) => {
    const as = { own: { authorization: ['own'] }, other: { authorization: ['other'] } };
    return runProbes(rpcsOf(rpcs, RPCS, leakingCore(defect), as), SIDES);
  };

  it('pass if nothing leaks', async () => {
    const findings = await walkRpcs();
    expect(findings.filter(({ verdict }) => verdict !== 'passed')).toEqual([]);
    expect(new Set(findings.map(({ operation }) => operation)).size).toBe(products.length);
  });

  it.each<[name: string, methods: string[], defect: CoreDefect]>([
    ['another reason', ['GetProduct'], thrown('getProduct', refused('PERMISSION_DENIED'))],
    ['another text', ['DeleteProduct'], thrown('deleteProduct', refused('NOT_FOUND', { message: 'not yours' }))],
    [
      'the record itself',
      ['UpdateProduct'],
      ({ method, isForeign }) => when(isForeign && method === 'updateProduct', { product: BOTH[1] }),
    ],
    [
      'a list of all tenants',
      ['ListProducts'],
      ({ method }, by) => when(by === 'own' && method === 'listProducts', { products: BOTH, page: { total: 2 } }),
    ],
    [
      'a total over all tenants',
      ['ListProducts'],
      ({ request }, by) =>
        when(by === 'own' && request.query === SIDES.foreign.mark, { products: [], page: { total: 1 } }),
    ],
  ])('fail for %s', async (_name, methods, defect) => {
    expect(failed(await walkRpcs(defect))).toEqual(methods.map((method) => `${SERVICE}/${method}`));
  });

  it.each<[name: string, defect: CoreDefect]>([
    ["another tenant's token that is active", ({ isForeign }) => when(isForeign, { active: true, tenantId: 'globex' })],
    [
      "a difference between another tenant's token and an unknown one",
      ({ isForeign }) => when(isForeign, { active: false, sub: 'x' }),
    ],
    ['a client for which no token is active, so that nothing is shown', () => ({ active: false })],
  ])('fail for %s', async (_name, defect) => {
    const rpcs = declared.filter(({ path }) => path.endsWith('/IntrospectToken'));
    const introspection = 'authservice.clientcredentials.v1.ClientCredentialsService/IntrospectToken';
    expect(failed(await walkRpcs(undefined, rpcs))).toEqual([]);
    expect(failed(await walkRpcs(defect, rpcs))).toEqual([introspection]);
  });

  it('fail for an RPC without a case', async () => {
    const added = { ...products[0]!, path: '/authservice.business.v1.InvoiceService/GetInvoice' };
    expect((await walkRpcs(undefined, [added])).map(({ verdict }) => verdict)).toEqual(['uncovered']);
  });

  it('fail for an id that no request contains', async () => {
    const grown = products.map((rpc) => ({ ...rpc, ids: [...rpc.ids, 'shop_id'] }));
    const findings = (await walkRpcs(undefined, grown)).filter(isFailure);
    expect(new Set(findings.map(({ detail }) => detail))).toEqual(new Set([expect.stringContaining('shop_id')]));
    expect(findings).toHaveLength(products.length);
  });

  it('read all ids of nested messages', () => {
    const idsOf = (path: string) => declared.find((rpc) => rpc.path === path)!.ids;
    expect(idsOf('/authservice.business.v1.OrderService/CreateOrder')).toEqual([
      'order.customer_id',
      'order.items.product_id',
      'tenant_id',
    ]);
    expect(idsOf('/authservice.business.v1.FileService/UploadProductImage')).toEqual([
      'start.product_id',
      'start.tenant_id',
      'product_id',
      'tenant_id',
    ]);
    expect(idsOf('/authservice.audit.v1.AuditService/ListAuditRecords')).toEqual([
      'tenant_id',
      'account_id',
      'actor_id',
      'session_id',
    ]);
  });
});

function when<T>(applies: boolean, response: T): T | undefined {
  return applies ? response : undefined;
}

function listsAll({ by, method, id, query }: FakeRequest): boolean {
  return by === 'own' && method === 'GET' && id === undefined && query.has('perPage');
}

function bodyOf(properties: object) {
  return { requestBody: { content: { 'application/json': { schema: { properties } } } } };
}

/** Refuses the other tenant's product in a way of its own. */
function thrown(method: string, error: Error): CoreDefect {
  return (call, by) => {
    if (call.isForeign && call.method === method && by === 'own') throw error;
    return undefined;
  };
}
