// CustomerService and ReferenceDataService for gRPC clients: requests that REST cannot express, and parallel changes.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  CustomerStatus,
  type CustomerFields,
  type ListCustomersRequest,
  type UpdateCustomerRequest,
} from '../../../proto/gen/authservice/business/v1/customer_service.ts';
import { ReferenceDataServiceService } from '../../../proto/gen/authservice/business/v1/reference_data_service.ts';
import { newId } from '../../../src/platform/db/ids.ts';
import { tenantScope } from '../../../src/platform/db/query/tenant-scope.ts';
import { seedAccount } from '../../support/accounts.ts';
import { deploy, DIAGONAL, type Deployment } from '../../support/deployment.ts';
import { openShop, type Shop } from '../../support/shop/core-shop.ts';
import { outcomeOf, refusal, violationsOf } from '../../support/rpc-outcomes.ts';
import { signIn } from '../../support/sessions.ts';

const GOOD: CustomerFields = { name: 'Good', status: 0 };
const UNKNOWN_STATUS = 17 as CustomerStatus;
const STATUSES = [1, 2, 3] as const satisfies readonly CustomerStatus[];
const BAD_PAGE = { page: { page: 1_000_001, perPage: 101 } };

describe.each(DIAGONAL)('$engine over $transport', ({ engine, transport }) => {
  let deployment: Deployment;
  let shop: Shop;

  beforeAll(async () => {
    deployment = await deploy({ engine, transport });
    shop = await openShop(deployment);
  });
  afterAll(() => deployment?.close());

  const create = (customer?: CustomerFields) => shop.customers.createCustomer({ customer }, shop.as);
  const get = async (customerId: string) => (await shop.customers.getCustomer({ customerId }, shop.as)).customer!;
  const update = (customerId: string, request: Partial<UpdateCustomerRequest>) =>
    shop.customers.updateCustomer({ customerId, ...request }, shop.as);
  const setStatus = (customerId: string, status: CustomerStatus, precondition?: { versions: number[] }) =>
    shop.customers.setCustomerStatus({ customerId, status, precondition }, shop.as);
  const list = (request: Partial<ListCustomersRequest>) =>
    shop.customers.listCustomers({ sort: '', status: 0, ...request }, shop.as);
  const findDuplicates = (request: { email?: string; phone?: string }) =>
    shop.customers.findDuplicateCustomers(request, shop.as);

  describe('fields', () => {
    it.each<[what: string, fields: Partial<CustomerFields>, ...violations: string[]]>([
      ['no name', { name: undefined }, 'name: required'],
      ['a blank name', { name: ' ' }, 'name: length'],
      ['too long a name', { name: 'x'.repeat(201) }, 'name: length'],
      ['a control character', { name: 'a\0' }, 'name: characters'],
      ['an empty e-mail address', { email: '' }, 'email: length'],
      ['too long an e-mail address', { email: `${'x'.repeat(317)}@b.c` }, 'email: length'],
      ['an e-mail address too long once folded', { email: `${'\u{1D160}'.repeat(300)}@b.c` }, 'email: length'],
      ['no e-mail address', { email: '@b' }, 'email: email'],
      ['an e-mail address with a line end', { email: 'a@b\nc' }, 'email: characters'],
      ['too long a telephone number', { phone: '1'.repeat(51) }, 'phone: length'],
      ['a telephone number of other digits', { phone: '\u0661\u0662' }, 'phone: phone'],
      ['too long an address', { address: 'x'.repeat(1_001) }, 'address: length'],
      ['an unknown status', { status: UNKNOWN_STATUS }, 'status: enum'],
      [
        'all wrong',
        { name: '', email: 'x', phone: 'x', address: ' ', status: UNKNOWN_STATUS },
        'name: length',
        'email: email',
        'phone: phone',
        'address: length',
        'status: enum',
      ],
    ])('%s', async (_what, fields, ...violations) => {
      expect(await violationsOf(create({ ...GOOD, ...fields }))).toEqual(violations);
      const updateMask = Object.keys(fields);
      expect(await violationsOf(update(shop.regular, { updateMask, customer: { ...GOOD, ...fields } }))).toEqual(
        violations,
      );
    });

    it('reports all fields as missing if the customer is missing', async () => {
      expect(await violationsOf(create())).toEqual(['name: required']);
    });

    it('stores every field at its maximum', async () => {
      const most = {
        name: '🌹'.repeat(200),
        email: `${'🌹'.repeat(316)}@b.c`,
        phone: '1'.repeat(50),
        address: '🌹'.repeat(1_000),
      };
      const { customer } = await create({ ...GOOD, ...most });
      expect(customer).toMatchObject({ ...most, status: CustomerStatus.CUSTOMER_STATUS_ACTIVE, version: 1 });
      expect(await get(customer!.id)).toEqual(customer);
    });
  });

  describe('the update mask', () => {
    it.each<[what: string, mask: string[] | undefined]>([
      ['none', undefined],
      ['an unknown field', ['name', 'colour']],
      ['a computed field', ['id']],
      ['a name of every object', ['constructor']],
      ['the prototype', ['__proto__']],
      ['a star', ['*']],
      ['a path', ['customer.name']],
    ])('rejects %s', async (_what, updateMask) => {
      const before = await get(shop.regular);
      expect(await violationsOf(update(shop.regular, { updateMask, customer: GOOD }))).toEqual([
        'updateMask: fieldMask',
      ]);
      expect(await get(shop.regular)).toEqual(before);
    });

    it('decides which fields are checked and changed', async () => {
      const id = await shop.customerId({ email: 'a@b.c', phone: '1', address: 'x', status: 3 });
      const before = await get(id);
      const customer = { name: 'Meant', phone: 'none', address: '', status: UNKNOWN_STATUS };
      await update(id, { updateMask: ['name', 'email', 'name'], customer });
      const after = { ...before, name: 'Meant', email: undefined, version: 2 };
      expect(await get(id)).toEqual(after);
      await update(id, { updateMask: ['status'] });
      expect(await get(id)).toEqual({ ...after, status: CustomerStatus.CUSTOMER_STATUS_ACTIVE, version: 3 });
    });

    it('changes nothing if empty', async () => {
      const before = await get(shop.regular);
      await update(shop.regular, { updateMask: [], customer: { ...GOOD, name: '' } });
      expect(await get(shop.regular)).toEqual(before);
    });
  });

  it('a precondition without versions always fails', async () => {
    const customerId = await shop.customerId();
    const precondition = { versions: [] };
    const outcomes = [
      update(customerId, { updateMask: ['name'], customer: GOOD, precondition }),
      update(customerId, { updateMask: [], precondition }),
      setStatus(customerId, 3, precondition),
    ].map(outcomeOf);
    expect(await Promise.all(outcomes)).toEqual(Array(3).fill('PRECONDITION_FAILED'));
    expect(await get(customerId)).toMatchObject({ version: 1, status: 1 });
  });

  it('rejects a missing and an unknown status', async () => {
    expect(await violationsOf(setStatus(shop.regular, 0))).toEqual(['status: required']);
    expect(await violationsOf(setStatus(shop.regular, UNKNOWN_STATUS))).toEqual(['status: enum']);
  });

  it.each<[request: Partial<ListCustomersRequest>, ...violations: string[]]>([
    [BAD_PAGE, 'page: range', 'perPage: range'],
    [{ sort: 'phone' }, 'sort: sort'],
    [{ sort: 'name,', query: 'x'.repeat(255), status: UNKNOWN_STATUS }, 'query: length', 'status: enum', 'sort: sort'],
  ])('rejects a list with %j', async (request, ...violations) => {
    expect(await violationsOf(list(request))).toEqual(violations);
  });

  it('validates pages, notes and duplicate checks without a gateway too', async () => {
    const customerId = shop.regular;
    const pages = ['page: range', 'perPage: range'];
    expect(await violationsOf(shop.customers.listCustomerOrders({ customerId, ...BAD_PAGE }, shop.as))).toEqual(pages);
    expect(await violationsOf(shop.customers.listCustomerNotes({ customerId, ...BAD_PAGE }, shop.as))).toEqual(pages);
    const note = (text: string) => shop.customers.createCustomerNote({ customerId, text }, shop.as);
    for (const text of ['', ' ', 'x'.repeat(2_001)]) expect(await violationsOf(note(text))).toEqual(['text: length']);
    expect(await violationsOf(findDuplicates({}))).toEqual(['undefined: required']);
    expect(await violationsOf(findDuplicates({ email: '', phone: '' }))).toEqual(['email: length', 'phone: length']);
    const referenceData = deployment.client(ReferenceDataServiceService);
    expect(await violationsOf(referenceData.listOrderStatuses(BAD_PAGE, shop.as))).toEqual(pages);
    expect(await violationsOf(referenceData.listPaymentMethods(BAD_PAGE, shop.as))).toEqual(pages);
  });

  it('returns at most the 100 oldest duplicates', async () => {
    const crowd = await openShop(deployment);
    const phone = '0815';
    const ids: string[] = [];
    for (let index = 0; index < 101; index += 1) ids.push(await crowd.customerId({ phone }));
    const { matches } = await crowd.customers.findDuplicateCustomers({ phone }, crowd.as);
    expect(matches.map(({ id }) => id)).toEqual(ids.slice(0, 100));
  });

  it('returns nothing to an account without a tenant', async () => {
    const account = await seedAccount(deployment.database, { roles: ['SUPER_ADMIN'], tenantId: undefined });
    const as = await signIn(deployment, account);
    const { regular: customerId, customers } = shop;
    const outcomes = [customers.getCustomer({ customerId }, as), customers.createCustomer({ customer: GOOD }, as)];
    expect(await Promise.all(outcomes.map(outcomeOf))).toEqual(['PERMISSION_DENIED', 'PERMISSION_DENIED']);
  });

  it("NOT_FOUND for a text that is not an id, an unknown id and another tenant's id", async () => {
    for (const id of ['', '\0', 'x'.repeat(1_000), newId().toUpperCase()])
      expect(await outcomeOf(update(id, { updateMask: ['name'], customer: GOOD }))).toBe('NOT_FOUND');
    const { regular: foreign } = await openShop(deployment);
    const [theirs, unknown] = [await refusal(update(foreign, { updateMask: [] })), await refusal(update(newId(), {}))];
    expect({ ...theirs, requestId: '' }).toEqual({ ...unknown, requestId: '' });
  });

  it('applies and counts all of many parallel changes', async () => {
    const busy = await openShop(deployment);
    const ids = await Promise.all(Array.from({ length: 6 }, () => busy.customerId()));
    const moves = [...ids, ...ids, ...ids].map((customerId, index) =>
      busy.customers.setCustomerStatus({ customerId, status: STATUSES[(index * 2 + 1) % 3]! }, busy.as),
    );
    const added = STATUSES.map((status) => busy.customers.createCustomer({ customer: { ...GOOD, status } }, busy.as));
    const outcomes = await Promise.all([...moves, ...added].map(outcomeOf));
    expect(outcomes).toEqual(Array(outcomes.length).fill('OK'));
    const rows = await tenantScope(deployment.database, busy.tenantId).query<{ status: string; found: number }>(
      'SELECT status, COUNT(*) AS found FROM customers WHERE tenant_id = :tenant GROUP BY status',
    );
    for (const status of STATUSES) {
      const { page } = await busy.customers.listCustomers({ sort: '', status }, busy.as);
      const name = ['', 'ACTIVE', 'INACTIVE', 'BLOCKED'][status];
      expect(page!.total).toBe(rows.find((row) => row.status === name)?.found ?? 0);
    }
    expect(rows.reduce((sum, { found }) => sum + found, 0)).toBe(ids.length + 1 + STATUSES.length);
  });
});
