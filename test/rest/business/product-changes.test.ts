// Changes of a product with If-Match, and parallel changes.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { deploy, DIAGONAL, type Deployment } from '../../support/deployment.ts';
import { problem } from '../../support/problems.ts';
import type { RestResponse } from '../../support/rest-client.ts';
import { API, caller, etagOf, type Caller } from '../../support/callers.ts';
import { addProduct, newProduct, pathOf, tallyOf } from '../../support/shop/products.ts';

type Change = (by: Caller, path: string, headers: Record<string, string>) => Promise<RestResponse>;

const CHANGES: readonly [name: string, suffix: string, change: Change][] = [
  ['PUT', '', (by, path, headers) => by.put(path, newProduct(), headers)],
  ['PATCH', '', (by, path, headers) => by.patch(path, { stock: 9 }, headers)],
  ['PATCH of the status', '/status', (by, path, headers) => by.patch(path, { status: 'ARCHIVED' }, headers)],
  ['DELETE', '', (by, path, headers) => by.delete(path, headers)],
];

/** For a product in version 2; every spelling is in test/unit/gateway-entity-tags.test.ts. */
const HOLDS = ['"2"', '*', '"1", "2"', 'W/"2"'];
const FAILS = ['"1"', '"1", "3"', 'W/"1"', 'garbage'];

describe.each(DIAGONAL)('$engine over $transport', (kind) => {
  let deployment: Deployment;
  let manager: Caller;

  beforeAll(async () => {
    deployment = await deploy(kind);
    manager = await caller(deployment);
  });
  afterAll(() => deployment?.close());

  describe.each(CHANGES)('If-Match on %s', (_name, suffix, change) => {
    it('accepts a change for the current version', async () => {
      for (const tags of HOLDS) {
        const product = await addProduct(manager);
        await manager.patch(pathOf(product), { stock: 1 });
        const response = await change(manager, pathOf(product) + suffix, { 'if-match': tags });
        expect([tags, response.status]).toEqual([tags, suffix === '' && response.text === '' ? 204 : 200]);
        if (response.status === 200) expect(etagOf(response)).toBe('"3"');
      }
    });

    it('returns 412 for any other version, and changes nothing', async () => {
      const product = await addProduct(manager);
      await manager.patch(pathOf(product), { stock: 1 });
      const path = pathOf(product) + suffix;
      for (const tags of FAILS) {
        const response = await change(manager, path, { 'if-match': tags });
        expect([tags, response]).toEqual([tags, problem(412, 'precondition-failed', API + path)]);
      }
      const after = await manager.get(pathOf(product));
      expect([etagOf(after), after.body]).toEqual(['"2"', { ...product, stock: 1 }]);
    });
  });

  it('accepts exactly one of parallel changes for the same version', async () => {
    const product = await addProduct(manager);
    const headers = { 'if-match': '"1"' };
    const responses = await Promise.all(
      Array.from({ length: 10 }, (_, index) => manager.patch(pathOf(product), { stock: index }, headers)),
    );
    expect(tallyOf(responses)).toEqual({ 200: 1, 412: 9 });
    const winner = responses.find(({ status }) => status === 200)!;
    expect((await manager.get(pathOf(product))).body).toEqual(winner.body);
  });

  it('loses no change of 20 parallel ones to different fields', async () => {
    const product = await addProduct(manager);
    const values: Record<string, (round: number) => unknown> = {
      sku: (round) => `MANY-${round}`,
      name: (round) => `name ${round}`,
      description: (round) => `description ${round}`,
      category: (round) => `category ${round}`,
      price: (round) => round / 100,
      currency: (round) => ['CHF', 'USD'][round],
      stock: (round) => 100 + round,
      reorderLevel: (round) => 200 + round,
      status: (round) => ['INACTIVE', 'ARCHIVED'][round],
    };
    const fields = Object.keys(values);
    const changes = Array.from({ length: 20 }, (_, index) => {
      const field = fields[index % fields.length]!;
      return { [field]: values[field]!(index < 18 ? Math.trunc(index / 9) : 1) };
    });
    const responses = await Promise.all(changes.map((change) => manager.patch(pathOf(product), change)));
    expect(responses.map(({ status }) => status)).toEqual(Array(20).fill(200));
    const versions = responses.map((response) => Number(etagOf(response)!.slice(1, -1))).toSorted((a, b) => a - b);
    expect(versions).toEqual(Array.from({ length: 20 }, (_, index) => index + 2));
    const after = await manager.get(pathOf(product));
    expect(etagOf(after)).toBe('"21"');
    for (const field of fields) {
      expect([values[field]!(0), values[field]!(1)]).toContain(after.body[field]);
    }
    // Every response shows the changes that came before it.
    const last = responses.find((response) => etagOf(response) === '"21"')!;
    expect(after.body).toEqual(last.body);
  });
});
