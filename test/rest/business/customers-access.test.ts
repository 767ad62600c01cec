// Customers: permissions, tenants and the order of checks.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newId } from '../../../src/platform/db/ids.ts';
import { ROLES, type Role } from '../../../src/auth/access/roles/built-in-roles.ts';
import { deploy, ON_SQLITE, type Deployment } from '../../support/deployment.ts';
import { problem } from '../../support/problems.ts';
import type { RestResponse } from '../../support/rest-client.ts';
import { API, caller, callerWith, comparable, type Caller } from '../../support/callers.ts';
import { addCustomer, seedOrder } from '../../support/shop/customers.ts';

const WRITERS: readonly Role[] = ['TENANT_ADMIN', 'ADMIN', 'OWNER', 'MANAGER', 'SALES'];
const READERS: readonly Role[] = [...WRITERS, 'ACCOUNTANT', 'DELIVERY', 'TENANT_USER'];

type Call = (by: Caller, id: string) => Promise<RestResponse>;
type Row = [endpoint: string, call: Call];

const READS_WITHOUT_RECORD: readonly Row[] = [
  ['GET /customers', (by) => by.get('/customers')],
  ['GET /customers/check-duplicate', (by) => by.get('/customers/check-duplicate?phone=1')],
];
const READS: readonly Row[] = [
  ['GET /customers/:id', (by, id) => by.get(`/customers/${id}`)],
  ['GET /customers/:id/orders', (by, id) => by.get(`/customers/${id}/orders`)],
  ['GET /customers/:id/stats', (by, id) => by.get(`/customers/${id}/stats`)],
  ['GET /customers/:id/notes', (by, id) => by.get(`/customers/${id}/notes`)],
];
const WRITES: readonly Row[] = [
  ['PATCH /customers/:id', (by, id) => by.patch(`/customers/${id}`, { name: 'Changed' })],
  ['PATCH /customers/:id/status', (by, id) => by.patch(`/customers/${id}/status`, { status: 'BLOCKED' })],
  ['POST /customers/:id/notes', (by, id) => by.post(`/customers/${id}/notes`, { text: 'A note' })],
];
const CREATE: Row = ['POST /customers', (by) => by.post('/customers', { name: 'New' })];

describe.each(ON_SQLITE)('$engine over $transport', (kind) => {
  let deployment: Deployment;
  let by: Caller;
  let nobody: Caller;
  /** FLORIST: neither reads nor writes customers. */
  let florist: Caller;
  /** DELIVERY: reads them only. */
  let driver: Caller;
  let id: string;

  beforeAll(async () => {
    deployment = await deploy(kind);
    by = await caller(deployment);
    nobody = callerWith(deployment.url, by.account, {});
    florist = await caller(deployment, { roles: ['FLORIST'] });
    driver = await caller(deployment, { roles: ['DELIVERY'] });
    ({ id } = await addCustomer(by));
  });
  afterAll(() => deployment?.close());

  describe('permission by role', () => {
    it.each(ROLES)('%s', async (role) => {
      const who = await caller(deployment, { roles: [role], ...(role === 'SUPER_ADMIN' && { tenantId: undefined }) });
      const mayRead = READERS.includes(role);
      const mayWrite = WRITERS.includes(role);
      for (const [endpoint, call] of [...READS_WITHOUT_RECORD, ...READS]) {
        const answer = await call(who, id);
        expect([endpoint, answer.status]).toEqual([endpoint, mayRead ? 200 : 403]);
        if (!mayRead) expect(answer.body.errorCode).toBe('permission-denied');
      }
      for (const [endpoint, call] of [...WRITES, CREATE]) {
        const answer = await call(who, id);
        const good = endpoint.startsWith('POST') ? 201 : 200;
        expect([endpoint, answer.status]).toEqual([endpoint, mayWrite ? good : 403]);
        if (!mayWrite) expect(answer.body.errorCode).toBe('permission-denied');
      }
    });

    it.each([...READS_WITHOUT_RECORD, ...READS, ...WRITES, CREATE])(
      '%s: returns 401 without a token',
      async (_name, call) => {
        const answer = await call(nobody, id);
        expect(answer).toEqual(
          problem(401, 'unauthorized', expect.any(String) as never, 'Unauthorized - Missing or invalid token'),
        );
        expect(answer.headers.get('www-authenticate')).toMatch(/^Bearer/);
        expect(answer.headers.get('cache-control')).toBe('private, no-cache');
      },
    );
  });

  describe('tenants', () => {
    it.each([...READS, ...WRITES])(
      '%s: returns the same 404 for an id of another tenant, a missing one and a malformed one',
      async (_name, call) => {
        const stranger = await caller(deployment, { tenantId: 'globex' });
        const foreign = await addCustomer(stranger, { email: 'found@globex.test', phone: '99999' });
        const responses: RestResponse[] = [];
        for (const of of [foreign.id, newId(), 'x', id.toUpperCase(), '%00', 'a'.repeat(3000)])
          responses.push(await call(by, of));
        expect(responses[0]).toMatchObject({ status: 404, body: { errorCode: 'not-found' } });
        for (const answer of responses) expect(comparable(answer)).toEqual(comparable(responses[0]!));
        const { body } = await stranger.get(`/customers/${foreign.id}`);
        expect(body).toEqual(foreign);
        expect((await stranger.get(`/customers/${foreign.id}/notes`)).body).toEqual([]);
      },
    );

    it("lists, counts and finds customers of the caller's tenant only", async () => {
      const stranger = await caller(deployment, { tenantId: 'initech' });
      const foreign = await addCustomer(stranger, { name: 'Foreigner', email: 'who@initech.test', phone: '77777' });
      expect((await by.get('/customers?q=foreigner')).body).toEqual([]);
      expect((await by.get('/customers/check-duplicate?email=who@initech.test&phone=77777')).body).toEqual({
        duplicate: false,
        matches: [],
      });
      const own = await stranger.get('/customers');
      expect([own.body, own.headers.get('x-total-count')]).toEqual([[foreign], '1']);
    });

    it('returns no orders, notes or statistics of another tenant, even with equal ids', async () => {
      const { tenantId } = by.account;
      await by.post(`/customers/${id}/notes`, { text: 'Ours' });
      await seedOrder(deployment.database, { tenantId: tenantId!, customerId: id });
      await seedOrder(deployment.database, { tenantId: 'globex', customerId: id });
      expect((await by.get(`/customers/${id}/orders`)).headers.get('x-total-count')).toBe('1');
      expect((await by.get(`/customers/${id}/stats`)).body).toMatchObject({ orderCount: 1 });
    });
  });

  describe('order of checks', () => {
    const broken: readonly [what: string, send: Call, code?: string][] = [
      ['a change of no JSON', (who, of) => who.patch(`/customers/${of}`, '{"name":')],
      ['a change of a wrong type', (who, of) => who.patch(`/customers/${of}`, { name: 1, tenantId: 'globex' })],
      ['a change that only the core refuses', (who, of) => who.patch(`/customers/${of}`, { email: 'none' })],
      ['a status that is unknown', (who, of) => who.patch(`/customers/${of}/status`, { status: 'x' })],
      ['a note without text', (who, of) => who.post(`/customers/${of}/notes`, {})],
      ['a note of control characters', (who, of) => who.post(`/customers/${of}/notes`, { text: '\u0000' })],
    ];
    const brokenReads: readonly [what: string, send: Call][] = [
      ['a bad page of orders', (who, of) => who.get(`/customers/${of}/orders?page=0`)],
      ['a bad page of notes', (who, of) => who.get(`/customers/${of}/notes?perPage=101`)],
      ['an unknown parameter', (who, of) => who.get(`/customers/${of}/orders?status=NEW`)],
    ];

    it.each([...broken, ...brokenReads])(
      '%s: checks credential, role, record and body in that order',
      async (_what, send) => {
        expect((await send(nobody, 'x')).status).toBe(401);
        expect((await send(florist, 'x')).status).toBe(403);
        expect((await send(by, 'x')).status).toBe(404);
        expect((await send(by, newId())).status).toBe(404);
        expect(await send(by, id)).toMatchObject({ status: 400, body: { errorCode: 'validation-error' } });
      },
    );

    it.each(broken)('%s: returns 403 for an account that can only read', async (_what, send) => {
      expect((await send(driver, id)).status).toBe(403);
    });

    it.each<[what: string, send: (who: Caller) => Promise<RestResponse>]>([
      ['a new customer of nothing', (who) => who.post('/customers', {})],
      ['a list of a bad page', (who) => who.get('/customers?page=x')],
      ['a list of an unknown order', (who) => who.get('/customers?sort=phone')],
      ['a search for nothing', (who) => who.get('/customers/check-duplicate')],
    ])('%s: checks credential, role and body in that order', async (_what, send) => {
      expect((await send(nobody)).status).toBe(401);
      expect((await send(florist)).status).toBe(403);
      expect(await send(by)).toMatchObject({ status: 400, body: { errorCode: 'validation-error' } });
    });

    it('checks the tenant after the body and before the version', async () => {
      const path = `/customers/${id}`;
      const change = { name: 'x', tenantId: 'globex' };
      expect((await by.patch(path, { ...change, email: 'none' })).status).toBe(400);
      expect((await by.patch(path, change, { 'if-match': '"0"' })).status).toBe(403);
      expect((await by.patch(path, { ...change, tenantId: 'acme' }, { 'if-match': '"0"' })).status).toBe(412);
    });

    it.each<[what: string, status: number, headers: Record<string, string>, body: string]>([
      ['another media type', 415, { 'content-type': 'text/plain' }, 'x'],
      ['a body that is too large', 413, { 'content-type': 'application/json' }, ' '.repeat(70_000)],
    ])('%s', async (_what, status, headers, body) => {
      for (const path of ['/customers', `/customers/${id}/notes`]) {
        expect((await nobody.post(path, body, headers)).status).toBe(401);
        expect((await driver.post(path, body, headers)).status).toBe(403);
        expect((await by.post(path, body, headers)).status).toBe(status);
      }
    });
  });

  it.each([
    ['PUT', '/customers/x', 'GET, HEAD, PATCH, OPTIONS'],
    ['DELETE', '/customers/x', 'GET, HEAD, PATCH, OPTIONS'],
    ['POST', '/customers/check-duplicate', 'GET, HEAD, OPTIONS'],
    ['GET', '/customers/x/status', 'PATCH, OPTIONS'],
  ])('returns 405 for %s %s', async (method, path, allow) => {
    const response = await fetch(deployment.url + API + path, { method, headers: by.headers });
    expect([response.status, response.headers.get('allow')]).toEqual([405, allow]);
  });
});
