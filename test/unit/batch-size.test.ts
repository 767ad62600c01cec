import { expect, it } from 'vitest';
import { createBatchSize } from '../../src/platform/jobs/batch-size.ts';

it('converges to the size that needs the target time', () => {
  const size = createBatchSize({ min: 10, max: 1_000, targetMs: 2 });
  for (let batch = 0; batch < 20; batch += 1) size.adapt(size.rows * 0.01);
  expect(size.rows).toBe(200);
  for (let batch = 0; batch < 20; batch += 1) size.adapt(size.rows * 0.04);
  expect(size.rows).toBe(50);
});

it('at most doubles or halves from one batch to the next, and stays between the minimum and the maximum', () => {
  const size = createBatchSize({ min: 100, max: 300, targetMs: 2 });
  size.adapt(0);
  expect(size.rows).toBe(200);
  size.adapt(0);
  expect(size.rows).toBe(300);
  size.adapt(1_000);
  expect(size.rows).toBe(150);
  size.adapt(1_000);
  expect(size.rows).toBe(100);
});

it('begins with the minimum, or with the maximum if that is smaller', () => {
  expect(createBatchSize({ min: 100, max: 3, targetMs: 2 }).rows).toBe(3);
});
