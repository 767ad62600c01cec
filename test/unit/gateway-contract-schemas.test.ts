// The JSON, the schemas and the operations that the gateway derives from the protos.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CUSTOMER_STATUS } from '../../src/business/customers/customer.ts';
import { compileDecode } from '../../gateway/contract/decode.ts';
import { documented, withDocumented } from '../../gateway/schema/documented.ts';
import { compileEncode } from '../../gateway/contract/encode.ts';
import { membersOf } from '../../gateway/contract/members.ts';
import { responseMessageSchema } from '../../gateway/contract/message-schemas.ts';
import { derivedRoutes, operationOf } from '../../gateway/contract/derived.ts';
import { responseShape } from '../../gateway/contract/request-shape.ts';
import { commentOf, failuresOf } from '../../gateway/contract/contracts.ts';
import { querySchema } from '../../gateway/contract/request-schemas.ts';
import { bodySchemaOf } from '../support/body-schema.ts';
import { CUSTOMERS, methodOf, ORDERS, PRODUCTS, shapeOf } from './gateway-contract-fixture.ts';

describe('the JSON of a message', () => {
  const encode = compileEncode(responseShape(methodOf(`${CUSTOMERS}/GetCustomer`)).type);
  const time = new Date('2026-01-02T03:04:05.006Z');
  const CUSTOMER = { id: 'c', tenantId: 't', name: 'n', status: 1, createdAt: time, updatedAt: time, version: 3 };

  it('has no hidden fields, and contains enum names and times as texts', () => {
    expect(JSON.parse(JSON.stringify(encode(CUSTOMER, '/api/v1')))).toEqual({
      id: 'c',
      tenantId: 't',
      name: 'n',
      status: 'ACTIVE',
      createdAt: '2026-01-02T03:04:05.006Z',
      updatedAt: '2026-01-02T03:04:05.006Z',
    });
  });

  it.each([{ status: 0 }, { status: 9 }, { createdAt: undefined }])(
    'is rejected with %j, which the core must set',
    (lack) => {
      expect(() => encode({ ...CUSTOMER, ...lack }, '/api/v1')).toThrow(TypeError);
    },
  );

  it('contains null if a rule requires it', () => {
    const history = compileEncode(responseShape(methodOf(`${ORDERS}/ListOrderStatusHistory`)).type);
    const change = { from: 0, to: 1, at: time, by: 'a', tenantId: 't' };
    expect(history(change, '/api/v1')).toMatchObject({ from: null, to: 'NEW', note: undefined });
  });

  it('has the same amounts as the message', () => {
    const product = responseShape(methodOf(`${PRODUCTS}/GetProduct`)).type;
    const fields = shapeOf(`${PRODUCTS}/CreateProduct`).fields!.members;
    const price = {
      encode: compileEncode(product),
      decode: compileDecode(fields.filter(({ name }) => name === 'price')),
    };
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 999_999_999 }), (units) => {
        const shown = price.encode({ price: units, status: 1, images: [], createdAt: time, updatedAt: time }, '');
        expect(price.decode({ price: shown['price'] })).toEqual({ price: units });
      }),
    );
  });
});

describe('a schema', () => {
  it('of a creation requires the fields with the rule required, and accepts null for defaults', () => {
    const { properties, ...schema } = bodySchemaOf(`${CUSTOMERS}/CreateCustomer`) as unknown as {
      properties: Record<string, Record<string, unknown>>;
    };
    expect(schema).toMatchObject({ additionalProperties: false, required: ['name'] });
    expect(properties['name']).toMatchObject({ type: 'string', minLength: 1, maxLength: 200, pattern: '\\S' });
    expect(properties['status']).toMatchObject({ enum: [...CUSTOMER_STATUS.names, null] });
    expect(properties['status']).not.toHaveProperty('type');
    expect(properties['tenantId']).toMatchObject({ type: 'string' });
    expect(properties['createdAt']).toEqual({ description: 'Ignored.' });
    expect(properties).not.toHaveProperty('version');
  });

  it('of an update requires only the fields that every request needs', () => {
    expect(bodySchemaOf(`${CUSTOMERS}/UpdateCustomer`)).toMatchObject({ required: [] });
    expect(bodySchemaOf(`${PRODUCTS}/UpdateProduct`, true)).toMatchObject({ required: ['sku', 'name', 'price'] });
    expect(bodySchemaOf(`${ORDERS}/SetOrderStatus`)).toMatchObject({ required: ['status'] });
  });

  it('of an item ignores read-only members, unless the response has another type', () => {
    const { items, ...others } = bodySchemaOf(`${ORDERS}/CreateOrder`).properties as Record<string, { items?: object }>;
    expect(items!.items).toMatchObject({ title: 'OrderLine', required: ['productId', 'quantity'] });
    const { properties } = items!.items as { properties: object };
    expect(Object.keys(properties)).toEqual(['productId', 'quantity', 'name', 'unitPrice', 'lineTotal']);
    expect(Object.keys(others)).toEqual(expect.arrayContaining(['number', 'total', 'productionPhotos']));
    const { images } = bodySchemaOf(`${PRODUCTS}/CreateProduct`).properties as Record<string, { items?: object }>;
    expect(Object.keys((images!.items as { properties: object }).properties)).toEqual(['date', 'uuid']);
  });

  it('lists the members that are always present, and keeps the values of enums', () => {
    const duplicate = methodOf(`${CUSTOMERS}/FindDuplicateCustomers`).output.fields.find(
      ({ name }) => name === 'matches',
    )!;
    expect(responseMessageSchema(duplicate.message!)).toMatchObject({
      title: 'DuplicateCustomer',
      required: ['id', 'name', 'matchedOn', 'tenantId'],
      properties: { matchedOn: { type: 'array', items: { type: 'string', enum: ['email', 'phone'] } } },
    });
  });

  it('has documentation keywords at any depth', () => {
    const schema = {
      properties: { a: { minLength: 1, ...documented({ pattern: 'x' }) } },
      list: [documented({ b: 1 })],
    };
    expect(withDocumented(schema)).toEqual({ properties: { a: { minLength: 1, pattern: 'x' } }, list: [{ b: 1 }] });
  });

  it('of a sort order documents the values that the core accepts', () => {
    const { sort } = querySchema(shapeOf(`${CUSTOMERS}/ListCustomers`), false)['properties'] as Record<string, object>;
    const { pattern } = withDocumented(sort) as { readonly pattern: string };
    const isTaken = (text: string) => new RegExp(pattern).test(text);
    expect(['name', '-name', 'name,-email', '-createdAt,updatedAt,name'].filter(isTaken)).toHaveLength(4);
    expect(
      ['', 'x', 'name,name', 'name,-name', 'email,name,-email', 'name,', '--name', 'names'].filter(isTaken),
    ).toEqual([]);
  });
});

describe('an operation', () => {
  it('has its summary from the comment of its RPC, and its errors from the option', () => {
    const method = methodOf(`${ORDERS}/UpdateOrder`);
    expect(operationOf(method, 'Orders', 'PATCH')).toMatchObject({ summary: 'Update an order', tags: ['Orders'] });
    expect(operationOf(method, 'Orders', 'PUT')).toMatchObject({ summary: 'Replace an order' });
    expect(failuresOf(`${ORDERS}/UpdateOrder`).slice(-5)).toEqual([
      'NOT_FOUND',
      'TENANT_MISMATCH',
      'PRECONDITION_FAILED',
      'INSUFFICIENT_STOCK',
      'CONFLICT',
    ]);
  });

  it('has the paths that its RPC declares, with the names of REST', () => {
    const routes = derivedRoutes('/shop').filter(([, , rpc]) => rpc === `${ORDERS}/UpdateOrder`);
    expect(routes.map(([method, url]) => `${method} ${url}`)).toEqual([
      'PUT /shop/api/v1/orders/:id',
      'PATCH /shop/api/v1/orders/:id',
    ]);
  });

  it('throws if no proto declares it', () => {
    expect(() => methodOf(`${ORDERS}/Unknown`)).toThrow('Missing descriptor of');
  });
});

it('every field of a business response has a description', () => {
  const types = ['GetCustomer', 'CreateCustomerNote'].map(
    (name) => responseShape(methodOf(`${CUSTOMERS}/${name}`)).type,
  );
  const orders = responseShape(methodOf(`${ORDERS}/GetOrder`)).type;
  for (const type of [...types, orders])
    for (const { path } of membersOf(type)) expect(commentOf(`${type.typeName}.${path}`)).toMatch(/\.$/);
});
