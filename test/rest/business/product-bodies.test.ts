// Bodies of products: accepted and rejected values.
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newId } from '../../../src/platform/db/ids.ts';
import { malformedOf, NO_OBJECTS } from '../../support/bad-bodies.ts';
import { bodySchemaOf } from '../../support/body-schema.ts';
import { deploy, DIAGONAL, type Deployment } from '../../support/deployment.ts';
import { problem } from '../../support/problems.ts';
import { restClient } from '../../support/rest-client.ts';
import { API, caller, etagOf, faults, type Caller } from '../../support/callers.ts';
import { addProduct, newProduct, pathOf } from '../../support/shop/products.ts';

const ROSE = '\u{1f339}';

/** Values of a field that are kept as they are. */
const GOOD: readonly [field: string, ...values: unknown[]][] = [
  ['price', 0, 0.01, 0.07, 0.1, 1.1, 4.35, 8.2, 19.99, 1e2, 9_999_999.99],
  ['stock', 0, 1, 1_000_000_000],
  ['reorderLevel', 0, 1_000_000_000],
  ['name', 'x', ROSE.repeat(200), "'); DROP TABLE products; --", '<script>alert(1)</script>', '\u202eeman', '%_\\'],
  ['description', ROSE.repeat(4_000), 'one\n\ttwo\r\nthree'],
  ['category', ROSE.repeat(100), 'null'],
  ['currency', 'USD', 'JPY'],
];

/** Values of a field that are refused, whatever else the body says. */
const BAD: readonly [field: string, ...values: unknown[]][] = [
  ['price', 0.001, 19.999, -0.01, -1, 1e7, 1e9, 9_999_999.991, '1', '', null, true, [1], {}],
  ['stock', -1, 0.5, 1_000_000_001, 1e300, '1', true, [], {}],
  ['reorderLevel', -1, 0.5, 1_000_000_001, '0', false, [1], {}],
  ['sku', '', ' ', 'x'.repeat(65), ROSE.repeat(65), 'a\0b', 'a\u001bb', null, 1, ['x'], {}],
  ['name', '', '\t\n', 'x'.repeat(201), '\u0085x\u0085x', 'a\u007fb', null, 1, ['x'], {}],
  ['description', '', '  ', 'x'.repeat(4_001), 'a\0b', 1, ['x'], {}],
  ['category', '', ' ', 'x'.repeat(101), 'a\0b', 1, ['x'], {}],
  ['currency', 'eur', 'EU', 'EURO', 'XYZ', ' EUR', '€', '', 978, ['EUR']],
  ['status', 'active', 'SOLD', 'PRODUCT_STATUS_ACTIVE', 'UNSPECIFIED', '', 1, ['ACTIVE']],
  ['images', {}, 'x', 1, [{}], [1], [null], [{ date: '2026-01-01' }], [{ date: 1, uuid: 'x' }]],
  ['tenantId', 1, null, ['acme'], {}],
  ['lowStock', true],
  ['low_stock', 1],
  ['reorder_level', 1],
  ['version', 1],
  ['Name', 'x'],
];

/** No file is staged, so whichever is named, it is none that could be had. */
const STAGED = [
  { date: '2026-01-02', uuid: newId() },
  { date: '2026-01-02', uuid: 'x' },
  { date: '../..', uuid: '%00' },
  { date: '', uuid: '' },
];

const LEFT_BY_PUT = ['status', 'images'];

const typeOf = (value: unknown): string => {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  return Number.isInteger(value) ? 'integer' : typeof value;
};
/** What is said of a field's type: a type or several, or names, which are strings. */
const typesOf = ({ type, enum: names }: { type?: string | string[]; enum?: unknown[] }): string[] =>
  [type ?? names?.map(typeOf) ?? []].flat();

/** Every field of the schema that has a type. */
const TYPED = Object.entries<object>(bodySchemaOf('authservice.business.v1.ProductService/UpdateProduct').properties)
  .map(([field, schema]) => [field, typesOf(schema)] as const)
  .filter(([, types]) => types.length > 0);

/** One of them with a JSON value of another type. */
const WRONG_FIELD = fc.constantFrom(...TYPED).chain(([field, types]) => {
  const allowed = types.includes('number') ? [...types, 'integer'] : types;
  return fc.tuple(
    fc.constant(field),
    fc.jsonValue().filter((value) => !allowed.includes(typeOf(value))),
  );
});

describe.each(DIAGONAL)('$engine over $transport', (kind) => {
  let deployment: Deployment;
  let manager: Caller;
  let kept: any; // A product that no request here may change.

  beforeAll(async () => {
    deployment = await deploy(kind);
    manager = await caller(deployment);
    kept = await addProduct(manager);
  });
  afterAll(() => deployment?.close());

  const total = async () => (await manager.get('/products?perPage=1')).headers.get('x-total-count');
  const expectUnchanged = async () => {
    const response = await manager.get(pathOf(kept));
    expect([etagOf(response), response.body]).toEqual(['"1"', kept]);
  };

  it.each(GOOD)('%s: stored unchanged', async (field, ...values) => {
    const product = await addProduct(manager, { [field]: values[0] });
    for (const value of values) {
      await manager.patch(pathOf(product), { [field]: value });
      expect((await manager.get(pathOf(product))).body[field]).toBe(value);
    }
  });

  it('keeps a SKU of 64 characters of four bytes', async () => {
    expect(await addProduct(manager, { sku: ROSE.repeat(64) })).toMatchObject({ sku: ROSE.repeat(64) });
  });

  it('converts negative zero to zero', async () => {
    const body = '{"sku":"ZERO","name":"x","price":-0,"stock":-0,"reorderLevel":-0.0}';
    expect((await manager.post('/products', body)).text).toContain(
      '"price":0,"currency":"EUR","stock":0,"reorderLevel":0',
    );
  });

  it.each(BAD)('%s: rejected', async (field, ...values) => {
    const before = await total();
    for (const value of values) {
      const added = await manager.post('/products', newProduct({ [field]: value }));
      const changed = await manager.patch(pathOf(kept), { [field]: value });
      for (const response of [added, changed]) {
        expect([value, response.status, faults(response).map((fault) => fault.split('.')[0])]).toEqual([
          value,
          400,
          expect.arrayContaining([field]),
        ]);
      }
    }
    expect(await total()).toBe(before);
    await expectUnchanged();
  });

  it('reports all violations at once', async () => {
    const response = await manager.post('/products', { sku: '', price: 'x', stock: -1, colour: 'red' });
    expect(faults(response)).toEqual(['colour', 'name', 'price', 'sku', 'stock']);
    expect(faults(await manager.post('/products', { sku: 'x\0', name: 'x\0', price: 1, currency: 'XXZ' }))).toEqual([
      'currency',
      'name',
      'sku',
    ]);
  });

  it('returns 400 at each endpoint for a body that is not an object', async () => {
    const before = await total();
    for (const body of NO_OBJECTS) {
      const init = { headers: { 'content-type': 'application/json', ...manager.headers }, body };
      for (const [method, path] of [
        ['POST', '/products'],
        ['PUT', pathOf(kept)],
        ['PATCH', pathOf(kept)],
        ['PATCH', `${pathOf(kept)}/status`],
      ] as const) {
        const response = await restClient(deployment.url).send(method, API + path, init);
        expect(response).toEqual(problem(400, 'validation-error', API + path));
      }
    }
    expect(await total()).toBe(before);
    await expectUnchanged();
  });

  it.each([
    ['an infinite price', '{"sku":"x","name":"x","price":1e400}'],
    ...malformedOf((rest) => `{"sku":"BROKEN","name":"x","price":1${rest}}`),
  ])('returns 400 for %s', async (_what, body) => {
    const init = { headers: { 'content-type': 'application/json', ...manager.headers }, body };
    const response = await restClient(deployment.url).send('POST', `${API}/products`, init);
    expect(response).toEqual(problem(400, 'validation-error', `${API}/products`));
    expect((await manager.get('/products?q=BROKEN')).body).toEqual([]);
  });

  describe('tenantId', () => {
    it("accepts the caller's tenant", async () => {
      expect(await addProduct(manager, { tenantId: 'acme' })).toMatchObject({ tenantId: 'acme' });
    });

    it.each(['other', 'nobody', 'ACME', 'acme ', ''])('returns 403 for %j', async (tenantId) => {
      const before = await total();
      for (const [path, response] of [
        ['/products', await manager.post('/products', newProduct({ tenantId }))],
        [pathOf(kept), await manager.put(pathOf(kept), newProduct({ tenantId }))],
        [pathOf(kept), await manager.patch(pathOf(kept), { tenantId, stock: 5 })],
        [pathOf(kept), await manager.patch(pathOf(kept), { tenantId })],
        [`${pathOf(kept)}/status`, await manager.patch(`${pathOf(kept)}/status`, { tenantId, status: 'ARCHIVED' })],
      ] as const) {
        expect(response).toEqual(problem(403, 'tenant-mismatch', API + path));
      }
      expect(await total()).toBe(before);
      await expectUnchanged();
    });

    it('is checked after the rest of the body, and before the version and the state', async () => {
      const { sku } = await addProduct(manager);
      const stale = { 'if-match': '"7"' };
      const codeOf = async (body: object) => (await manager.patch(pathOf(kept), body, stale)).body.errorCode;
      expect(await codeOf({ sku, tenantId: 'other', price: -1 })).toBe('validation-error');
      expect(await codeOf({ sku, tenantId: 'other', currency: 'XXZ' })).toBe('validation-error');
      expect(await codeOf({ sku, tenantId: 'other' })).toBe('tenant-mismatch');
      expect(await codeOf({ sku })).toBe('precondition-failed');
      expect((await manager.patch(pathOf(kept), { sku })).body.errorCode).toBe('conflict');
      const taken = newProduct({ sku, tenantId: 'other' });
      expect((await manager.post('/products', taken)).body.errorCode).toBe('tenant-mismatch');
    });
  });

  it('ignores computed fields of any value, and in PUT also the status and the images', async () => {
    for (const value of [newId(), 1, null, [], { a: 1 }]) {
      const computed = { id: value, createdAt: value, updatedAt: value };
      expect((await addProduct(manager, computed)).id).not.toEqual(value);
      const response = await manager.patch(pathOf(kept), computed);
      expect([response.status, response.body]).toEqual([200, kept]);
      const replaced = await addProduct(manager, { status: 'INACTIVE' });
      const left = await manager.put(pathOf(replaced), { ...newProduct(), ...computed, status: value, images: value });
      expect([left.status, left.body.id, left.body.status]).toEqual([200, replaced.id, 'INACTIVE']);
    }
  });

  it('rejects more than 20 images, and every image without a staged file', async () => {
    const indexes = STAGED.map((_file, index) => `images.${index}`);
    for (const response of [
      await manager.post('/products', newProduct({ images: STAGED })),
      await manager.patch(pathOf(kept), { images: STAGED }),
    ]) {
      expect([response.status, faults(response)]).toEqual([400, indexes]);
      const violations = response.body.violations.map(({ message, format }: Record<string, string>) => ({
        message,
        format,
      }));
      expect(violations).toEqual(STAGED.map(() => ({ message: 'names no record', format: 'reference' })));
    }
    const many = Array.from({ length: 21 }, () => STAGED[0]);
    expect(faults(await manager.post('/products', newProduct({ images: many })))).toEqual(['images']);
    expect((await addProduct(manager, { images: [] })).images).toEqual([]);
    await expectUnchanged();
  });

  it('returns 400 for every value of a wrong type, and changes nothing', async () => {
    expect(TYPED.map(([field]) => field)).toEqual(expect.arrayContaining(BAD.slice(0, 11).map(([field]) => field)));
    const before = await total();
    const property = fc.asyncProperty(WRONG_FIELD, async ([field, value]) => {
      const responses = [
        await manager.post('/products', newProduct({ [field]: value })),
        await manager.patch(pathOf(kept), { [field]: value }),
        ...(LEFT_BY_PUT.includes(field) ? [] : [await manager.put(pathOf(kept), newProduct({ [field]: value }))]),
      ];
      expect(responses.map(({ status }) => status)).toEqual(responses.map(() => 400));
    });
    await fc.assert(property, { seed: 8, numRuns: 25 });
    expect(await total()).toBe(before);
    await expectUnchanged();
  });
});
