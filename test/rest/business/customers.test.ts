// Single customers: created, read, updated.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { deploy, DIAGONAL, type Deployment } from '../../support/deployment.ts';
import { problem } from '../../support/problems.ts';
import { API, caller, faults, type Caller } from '../../support/callers.ts';
import { addCustomer, type CustomerBody } from '../../support/shop/customers.ts';

const WHOLE = {
  name: 'Ann & Söhne <GmbH> 🌹',
  email: 'Ann@Example.org',
  phone: '+49 (30) 123',
  address: 'Rosenweg 1\n10115 Berlin',
  status: 'INACTIVE',
};

type Row = [what: string, body: unknown, ...faults: string[]];

/** What neither a new nor a changed customer may be. */
const BAD_FIELDS: readonly Row[] = [
  ['an empty name', { name: '' }, 'name'],
  ['a blank name', { name: ' \t ' }, 'name'],
  ['a name of 201 characters', { name: 'x'.repeat(201) }, 'name'],
  ['no name but null', { name: null }, 'name'],
  ['a number for a name', { name: 7 }, 'name'],
  ['control characters', { name: 'a\u0000b' }, 'name'],
  ['an empty e-mail address', { email: '' }, 'email'],
  ['an e-mail address without @', { email: 'ann.example.org' }, 'email'],
  ['an e-mail address with two @', { email: 'a@b@c' }, 'email'],
  ['an e-mail address with a blank', { email: 'ann b@example.org' }, 'email'],
  ['an e-mail address of 321 characters', { email: `${'a'.repeat(317)}@b.c` }, 'email'],
  ['an e-mail address that grows when it is folded', { email: `${'\u{1D160}'.repeat(300)}@b.c` }, 'email'],
  ['a list of e-mail addresses', { email: ['a@b.c'] }, 'email'],
  ['an empty telephone number', { phone: '' }, 'phone'],
  ['a telephone number without digits', { phone: 'none' }, 'phone'],
  ['a telephone number of 51 characters', { phone: '1'.repeat(51) }, 'phone'],
  ['a number for a telephone number', { phone: 4930123 }, 'phone'],
  ['an empty address', { address: '' }, 'address'],
  ['an address of 1,001 characters', { address: 'x'.repeat(1001) }, 'address'],
  ['an object for an address', { address: { city: 'Berlin' } }, 'address'],
  ['an unknown status', { status: 'NEW' }, 'status'],
  ['a status in lower case', { status: 'active' }, 'status'],
  ['a number for a status', { status: 1 }, 'status'],
  ['a number for a tenant', { tenantId: 1 }, 'tenantId'],
  ['an unknown member', { vip: true }, 'vip'],
  ['the version', { version: 1 }, 'version'],
  ['everything wrong', { name: '', email: 1, vip: 1 }, 'email', 'name', 'vip'],
];

const BAD_BODIES: readonly Row[] = [
  ['no body', undefined, ''],
  ['a list', [], ''],
  ['null', 'null', ''],
  ['no JSON', '{"name":'],
  ['a name twice', '{"name":"a","name":"b"}'],
];

describe.each(DIAGONAL)('$engine over $transport', (kind) => {
  let deployment: Deployment;
  let by: Caller;
  /** What is refused is tried on it. */
  let unchanged: CustomerBody;

  beforeAll(async () => {
    deployment = await deploy(kind);
    by = await caller(deployment);
    unchanged = await addCustomer(by);
  });
  afterAll(() => deployment?.close());

  const now = () => new Date(deployment.clock.now()).toISOString();
  const shown = async (id: string) => (await by.get(`/customers/${id}`)).body;

  describe('POST', () => {
    it('returns 201 with the customer, its Location and its ETag', async () => {
      const answer = await by.post('/customers', WHOLE);
      const { id } = answer.body;
      expect(answer.status).toBe(201);
      expect(answer.body).toEqual({ ...WHOLE, id, tenantId: 'acme', createdAt: now(), updatedAt: now() });
      expect(answer.headers.get('location')).toBe(`${API}/customers/${id}`);
      expect(answer.headers.get('etag')).toBe('"1"');
      expect(answer.headers.get('cache-control')).toBe('private, no-cache');
      expect(await shown(id)).toEqual(answer.body);
    });

    it('requires only a name, and omits missing and null members', async () => {
      const { body } = await by.post('/customers', {
        name: 'B',
        email: null,
        phone: null,
        address: null,
        status: null,
      });
      expect(Object.keys(body).toSorted()).toEqual(['createdAt', 'id', 'name', 'status', 'tenantId', 'updatedAt']);
      expect(body.status).toBe('ACTIVE');
      expect(await shown(body.id)).toEqual(body);
    });

    it('ignores computed members of any value', async () => {
      const { status, body } = await by.post('/customers', { name: 'C', id: 7, createdAt: null, updatedAt: ['x'] });
      expect([status, body.createdAt]).toEqual([201, now()]);
    });

    it.each([
      ['the longest of all', { name: '🌹'.repeat(200), email: `${'ß'.repeat(316)}@b.c`, phone: '1'.repeat(50) }],
      ['the shortest of all', { name: 'x', email: 'a@b', phone: '1', address: 'x' }],
      ['SQL', { name: "'); DROP TABLE customers; --", address: '%_\\' }],
      ['two with one e-mail address', { email: WHOLE.email }],
    ])('stores values unchanged: %s', async (_what, fields) => {
      expect(await shown((await addCustomer(by, fields)).id)).toMatchObject(fields);
    });

    it('trims texts', async () => {
      const { id } = await addCustomer(by, { name: '  D ', email: ' d@e.f ', phone: ' 1 ', address: '\tx\n' });
      expect(await shown(id)).toMatchObject({ name: 'D', email: 'd@e.f', phone: '1', address: 'x' });
    });

    it.each([
      ...BAD_FIELDS.map(([what, fields, ...props]): Row => [what, { name: 'x', ...(fields as object) }, ...props]),
      ...BAD_BODIES,
      ['no name', {}, 'name'] as Row,
    ])('returns 400 for %s', async (_what, body, ...props) => {
      const answer = await by.post('/customers', body);
      expect(answer).toEqual(problem(400, 'validation-error', `${API}/customers`));
      expect(faults(answer)).toEqual(props);
    });

    it("belongs to the caller's tenant, and returns 403 for any other", async () => {
      expect((await by.post('/customers', { name: 'E', tenantId: 'acme' })).status).toBe(201);
      const total = (await by.get('/customers')).headers.get('x-total-count');
      for (const tenantId of ['globex', '', 'ACME']) {
        const answer = await by.post('/customers', { name: 'E', tenantId });
        expect(answer).toEqual(problem(403, 'tenant-mismatch', `${API}/customers`));
      }
      expect((await by.get('/customers')).headers.get('x-total-count')).toBe(total);
    });
  });

  describe('GET', () => {
    it('returns the ETag, and 304 to a client that has this version', async () => {
      const { id } = await addCustomer(by);
      const answer = await by.get(`/customers/${id}`);
      expect([answer.status, answer.headers.get('etag')]).toEqual([200, '"1"']);
      const again = await by.get(`/customers/${id}`, { 'if-none-match': 'W/"1"' });
      expect([again.status, again.text, again.headers.get('etag')]).toEqual([304, '', '"1"']);
      expect((await by.get(`/customers/${id}`, { 'if-none-match': '"2"' })).status).toBe(200);
    });

    it('returns the same headers for HEAD', async () => {
      const { id } = await addCustomer(by);
      const response = await fetch(`${deployment.url}${API}/customers/${id}`, { method: 'HEAD', headers: by.headers });
      expect([response.status, response.headers.get('etag'), await response.text()]).toEqual([200, '"1"', '']);
      const known = await by.send('HEAD', `/customers/${id}`, null, { 'if-none-match': '"1"' });
      expect([known.status, known.headers.get('content-length')]).toEqual([304, null]);
    });
  });

  describe('PATCH', () => {
    it('changes the given members and no others', async () => {
      const before = await addCustomer(by, WHOLE);
      deployment.clock.advance(1_000);
      const answer = await by.patch(`/customers/${before.id}`, { name: 'Ben', phone: '0', id: 1, createdAt: 2 });
      expect(answer.status).toBe(200);
      expect(answer.body).toEqual({ ...before, name: 'Ben', phone: '0', updatedAt: now() });
      expect(answer.headers.get('etag')).toBe('"2"');
      expect(await shown(before.id)).toEqual(answer.body);
    });

    it('clears members that are null, and resets the status to its default', async () => {
      const { id } = await addCustomer(by, WHOLE);
      const { body } = await by.patch(`/customers/${id}`, { email: null, phone: null, address: null, status: null });
      expect(Object.keys(body).toSorted()).toEqual(['createdAt', 'id', 'name', 'status', 'tenantId', 'updatedAt']);
      expect(body.status).toBe('ACTIVE');
      expect(await shown(id)).toEqual(body);
    });

    it.each([
      ['nothing', {}],
      ['computed members', { id: 'x' }],
      ['the tenant', { tenantId: 'acme' }],
    ])('changes nothing for %s', async (_what, body) => {
      const before = await addCustomer(by);
      deployment.clock.advance(1_000);
      const answer = await by.patch(`/customers/${before.id}`, body);
      expect([answer.status, answer.body, answer.headers.get('etag')]).toEqual([200, before, '"1"']);
      const stale = await by.patch(`/customers/${before.id}`, body, { 'if-match': '"2"' });
      expect(stale.status).toBe(412);
    });

    it.each([...BAD_FIELDS, ...BAD_BODIES])('returns 400 for %s', async (_what, body, ...props) => {
      const path = `/customers/${unchanged.id}`;
      const answer = await by.patch(path, body);
      expect(answer).toEqual(problem(400, 'validation-error', API + path));
      expect(faults(answer)).toEqual(props);
    });
  });

  describe('PATCH /status', () => {
    it('changes from any status to any other', async () => {
      const before = await addCustomer(by);
      const path = `/customers/${before.id}`;
      const moves = ['BLOCKED', 'ACTIVE', 'INACTIVE', 'BLOCKED', 'BLOCKED'];
      for (const [index, status] of moves.entries()) {
        deployment.clock.advance(1_000);
        const answer = await by.patch(`${path}/status`, { status });
        expect(answer.status).toBe(200);
        expect(answer.body).toEqual({ ...before, status, updatedAt: now() });
        expect(answer.headers.get('etag')).toBe(`"${index + 2}"`);
        expect(await shown(before.id)).toEqual(answer.body);
      }
    });

    it.each<Row>([
      ...BAD_BODIES,
      ['no status', {}, 'status'],
      ['null', { status: null }, 'status'],
      ['an unknown status', { status: 'ARCHIVED' }, 'status'],
      ['another field', { status: 'BLOCKED', name: 'x' }, 'name'],
    ])('returns 400 for %s', async (_what, body, ...props) => {
      const path = `/customers/${unchanged.id}/status`;
      const answer = await by.patch(path, body);
      expect(answer).toEqual(problem(400, 'validation-error', API + path));
      expect(faults(answer)).toEqual(props);
    });
  });

  describe.each([
    ['PATCH', '', { name: 'Changed' }],
    ['PATCH /status', '/status', { status: 'BLOCKED' }],
  ])('%s', (_name, suffix, change) => {
    it("belongs to the caller's tenant, and returns 403 for any other", async () => {
      const before = await addCustomer(by);
      const path = `/customers/${before.id}`;
      const refused = await by.patch(path + suffix, { ...change, tenantId: 'globex' });
      expect(refused).toEqual(problem(403, 'tenant-mismatch', API + path + suffix));
      expect(await shown(before.id)).toEqual(before);
      expect((await by.patch(path + suffix, { ...change, tenantId: 'acme' })).status).toBe(200);
    });

    it.each(['"1"', '*', '"7", "1"', ' "1" ', 'W/"1"'])('If-Match %s: changes the customer', async (tag) => {
      const { id } = await addCustomer(by);
      expect((await by.patch(`/customers/${id}${suffix}`, change, { 'if-match': tag })).status).toBe(200);
    });

    it.each(['"2"', '"0"', 'W/"2"', '1', '"x"', '""'])('If-Match %s: returns 412', async (tag) => {
      const path = `/customers/${unchanged.id}${suffix}`;
      const answer = await by.patch(path, change, { 'if-match': tag });
      expect(answer).toEqual(problem(412, 'precondition-failed', API + path));
    });
  });

  it('rejected requests have changed nothing', async () => {
    const answer = await by.get(`/customers/${unchanged.id}`);
    expect([answer.body, answer.headers.get('etag')]).toEqual([unchanged, '"1"']);
  });

  it('exactly one of parallel changes with the same If-Match succeeds', async () => {
    const { id } = await addCustomer(by);
    const change = (name: string) => by.patch(`/customers/${id}`, { name }, { 'if-match': '"1"' });
    const responses = await Promise.all(['a', 'b', 'c', 'd'].map(change));
    expect(responses.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(responses.filter(({ status }) => status === 412)).toHaveLength(3);
    expect((await by.get(`/customers/${id}`)).headers.get('etag')).toBe('"2"');
  });
});
