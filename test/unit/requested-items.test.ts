import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { checkLines, hasSameItems, quantitiesOf } from '../../src/business/orders/requested-items.ts';
import { newId } from '../../src/platform/db/ids.ts';
import { createRequestViolations } from '../../src/platform/rpc/request-violations.ts';

const PRODUCTS = Array.from({ length: 4 }, newId);
const lines = fc.array(
  fc.record({ productId: fc.constantFrom(...PRODUCTS), quantity: fc.integer({ min: 1, max: 9_999 }) }),
  { minLength: 1, maxLength: 8 },
);

const sumsOf = (list: readonly { productId: string; quantity: number }[]) =>
  PRODUCTS.map((id) => list.filter(({ productId }) => productId === id).reduce((sum, each) => sum + each.quantity, 0));

describe('order lines', () => {
  it('are combined per product at the place of the first, and rejected if a sum exceeds 9,999', () => {
    fc.assert(
      fc.property(lines, (given) => {
        const violations = createRequestViolations();
        const read = checkLines(violations, given);
        const sums = sumsOf(given);
        const judge = () => violations.assertNone();
        if (sums.some((sum) => sum > 9_999)) expect(judge).toThrow();
        else expect(judge).not.toThrow();
        expect(sumsOf(read)).toEqual(sums);
        expect(read.map(({ productId }) => productId)).toEqual([...new Set(given.map(({ productId }) => productId))]);
        expect(read.map(({ index, productId }) => given[index]!.productId === productId)).not.toContain(false);
        expect([...quantitiesOf(read).values()]).toEqual(read.map(({ quantity }) => quantity));
      }),
    );
  });

  it('equal the items of an order if products, quantities and their sequence are the same', () => {
    const item = (index: number, quantity: number) => ({
      productId: PRODUCTS[index]!,
      quantity,
      name: 'x',
      unitPrice: 1,
    });
    const line = (index: number, quantity: number) => ({ productId: PRODUCTS[index]!, quantity, index: 7 });
    const items = [item(0, 2), item(1, 3)];
    expect(hasSameItems([line(0, 2), line(1, 3)], items)).toBe(true);
    expect(hasSameItems([line(1, 3), line(0, 2)], items)).toBe(false);
    expect(hasSameItems([line(0, 2), line(1, 4)], items)).toBe(false);
    expect(hasSameItems([line(0, 2)], items)).toBe(false);
    expect(hasSameItems([line(0, 2), line(1, 3), line(2, 1)], items)).toBe(false);
  });
});
