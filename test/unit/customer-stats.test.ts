import { describe, expect, it } from 'vitest';
import { customerStatsOf } from '../../src/business/customers/customer-orders.ts';

describe('the average of orders', () => {
  it.each([
    [1, 0, 0],
    [1, 1, 1],
    [2, 1, 1],
    [3, 1, 0],
    [3, 2, 1],
    [2, 2_001, 1_001],
    [7, 10, 1],
    [4, 9_999, 2_500],
    [1, Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER],
  ])('%i orders of %i in total have the average %i, rounded half up', (orderCount, total, average) => {
    const stats = customerStatsOf([{ currency: 'EUR', orderCount, total, firstOrderAt: 1, lastOrderAt: 2 }]);
    expect(stats).toEqual({
      currency: 'EUR',
      orderCount,
      totalSpent: total,
      averageOrderValue: average,
      firstOrderAt: 1,
      lastOrderAt: 2,
    });
  });
});
