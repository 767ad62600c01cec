// The request shapes and messages that the gateway derives from the protos.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { responseShape } from '../../gateway/contract/request-shape.ts';
import { querySchema } from '../../gateway/contract/request-schemas.ts';
import {
  CustomerFields,
  UpdateCustomerRequest,
  CustomerStatus,
} from '../../proto/gen/authservice/business/v1/customer_service.ts';
import { createMessage } from '../../src/platform/rpc/message.ts';
import {
  CUSTOMERS,
  methodOf,
  namesOf,
  ORDERS,
  PRODUCTS,
  request,
  shapeOf,
  translation,
} from './gateway-contract-fixture.ts';

const DECLARED = ['name', 'email', 'phone', 'address', 'status'];
const byDeclaration = (one: string, other: string) => DECLARED.indexOf(one) - DECLARED.indexOf(other);

describe('the shape', () => {
  it('of an update contains record, mask, precondition and fields', () => {
    const shape = shapeOf(`${CUSTOMERS}/UpdateCustomer`);
    expect(namesOf(shape.record)).toEqual(['id']);
    expect([shape.mask?.key, shape.precondition?.key, shape.tenant?.name]).toEqual([
      'updateMask',
      'precondition',
      'tenantId',
    ]);
    expect(namesOf(shape.fields!.members)).toEqual(['name', 'email', 'phone', 'address', 'status']);
    expect(namesOf(shape.others)).toEqual(['tenantId']);
  });

  it('of a list contains the page and the parameters by their REST names', () => {
    const shape = shapeOf(`${CUSTOMERS}/ListCustomers`);
    expect([shape.page?.key, namesOf(shape.others)]).toEqual(['page', ['q', 'status', 'sort']]);
    expect(Object.keys(querySchema(shape, false)['properties'] as object)).toEqual([
      'page',
      'perPage',
      'q',
      'status',
      'sort',
    ]);
  });

  it.each([
    [`${CUSTOMERS}/ListCustomers`, 'list', 'Customer', false],
    [`${CUSTOMERS}/GetCustomer`, 'record', 'Customer', true],
    [`${CUSTOMERS}/CreateCustomerNote`, 'record', 'CustomerNote', false],
    [`${CUSTOMERS}/GetCustomerStats`, 'whole', 'GetCustomerStatsResponse', false],
    [`${PRODUCTS}/DeleteProduct`, 'nothing', 'DeleteProductResponse', false],
  ])('of the response of %s is a %s', (rpc, kind, type, versioned) => {
    const shape = responseShape(methodOf(rpc));
    expect([shape.kind, shape.type.name, shape.version !== undefined]).toEqual([kind, type, versioned]);
  });
});

describe('a request', () => {
  it('of a PATCH has a mask of the fields in its body, including null', () => {
    const { toMessage } = translation(`${CUSTOMERS}/UpdateCustomer`);
    const message = toMessage(
      request({
        params: { id: 'c-1' },
        body: { name: 'Ann', phone: null, status: 'BLOCKED', id: 7, tenantId: 'acme' },
        headers: { 'if-match': '"3"' },
      }),
    );
    expect(message).toEqual({
      customerId: 'c-1',
      customer: { name: 'Ann', status: CustomerStatus.CUSTOMER_STATUS_BLOCKED },
      updateMask: ['name', 'phone', 'status'],
      tenantId: 'acme',
      precondition: { versions: [3] },
    });
  });

  it('of a PUT has a mask of all fields except the excluded ones', () => {
    const { toMessage } = translation(`${PRODUCTS}/UpdateProduct`, { replaces: true, leaves: ['status', 'images'] });
    const message = toMessage(
      request({ params: { id: 'p' }, body: { sku: 'S', name: 'N', price: 19.99, status: 'ARCHIVED' } }),
    );
    expect(message['product']).toEqual({ sku: 'S', name: 'N', price: 1999, status: 0, images: [] });
    expect(message['updateMask']).toEqual([
      'sku',
      'name',
      'description',
      'category',
      'price',
      'currency',
      'stock',
      'reorder_level',
    ]);
  });

  it('of a list contains texts, booleans, times and the page', () => {
    const { toMessage } = translation(`${ORDERS}/ListOrders`);
    const query = { q: 'x', status: 'READY', from: '2026-02-14', to: '2026-02-14', page: '2' };
    expect(toMessage(request({ query }))).toEqual({
      sort: '',
      query: 'x',
      status: 4,
      from: new Date('2026-02-14T00:00:00.000Z'),
      to: new Date('2026-02-14T23:59:59.999Z'),
      page: { page: 2, perPage: 0 },
    });
    expect(translation(`${PRODUCTS}/ListProducts`).toMessage(request({ query: { lowStock: 'false' } }))).toMatchObject({
      lowStock: false,
    });
  });

  it('contains fields from headers, and items without read-only members', () => {
    const { toMessage } = translation(`${ORDERS}/CreateOrder`);
    const items = [{ productId: 'p', quantity: 2, name: 'Rose', unitPrice: 1 }];
    const message = toMessage(request({ body: { customerId: 'c', items }, headers: { 'idempotency-key': 'k' } }));
    expect(message).toMatchObject({ idempotencyKey: 'k', order: { items: [{ productId: 'p', quantity: 2 }] } });
  });

  it('that is invalid contains only the record and the fields for the permission check', () => {
    const { toAccessCheck } = translation(`${ORDERS}/SetOrderStatus`);
    const broken = (body: unknown) => toAccessCheck(request({ params: { id: 'o' }, body }));
    const nothing = { orderId: 'o', status: 0, photos: [] };
    expect(broken({ status: 'READY', note: 7 })).toEqual({ ...nothing, status: 4 });
    for (const body of [undefined, null, 'x', [], { status: 7 }, { status: 'LOST' }, { status: 'toString' }])
      expect(broken(body)).toEqual(nothing);
  });

  it('can always be encoded, and decodes to the same message', () => {
    const { toMessage } = translation(`${CUSTOMERS}/UpdateCustomer`);
    const text = fc.option(fc.string(), { nil: null });
    const bodies = fc.record(
      {
        name: fc.string(),
        email: text,
        phone: text,
        address: text,
        status: fc.constantFrom('ACTIVE', 'BLOCKED', null),
      },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(bodies, (body) => {
        const message = toMessage(request({ params: { id: 'c' }, body })) as unknown as UpdateCustomerRequest;
        const decoded = UpdateCustomerRequest.decode(UpdateCustomerRequest.encode(message).finish());
        expect(decoded.updateMask).toEqual(Object.keys(body).toSorted(byDeclaration));
        expect(decoded.customer).toEqual(createMessage(CustomerFields, message.customer ?? {}));
      }),
    );
  });
});
