// The search for a delivery that was sent again, in a long list.
import { expect, it } from 'vitest';
import type { WebhookDelivery } from '../../../client/src/operations.ts';
import { findDelivery } from '../../src/console/deliveries/find-delivery.ts';

const PER_PAGE = 100;
const idOf = (number: number) => String(number).padStart(8, '0');

/** The list of the deliveries with these numbers, the newest first, and the pages that were read. */
function listOf(numbers: readonly number[]) {
  const list = numbers.toSorted((a, b) => b - a).map((number) => ({ id: idOf(number) }) as WebhookDelivery);
  const pages: number[] = [];
  const load = async (page: number) => {
    pages.push(page);
    return list.slice((page - 1) * PER_PAGE, page * PER_PAGE);
  };
  return { load, pages };
}

const even = (count: number) => Array.from({ length: count }, (_, index) => 2 * index);

it.each([
  ['the newest', 99_998, 1],
  ['the last of the first page', 99_800, 1],
  ['an old one', 50_000, 250],
  ['the oldest', 0, 500],
])('finds %s of 50,000 deliveries in few pages', async (_, number, page) => {
  const { load, pages } = listOf(even(50_000));
  expect(await findDelivery(load, idOf(number), 1)).toEqual({ delivery: { id: idOf(number) }, page });
  expect(pages.length).toBeLessThanOrEqual(20);
});

it.each([
  ['deleted', 5_001, 300],
  ['newer than all', 999_999, 300],
  ['older than all', -1, 300],
  ['in an empty list', 1, 0],
])('ends if the delivery is %s', async (_, number, count) => {
  const { load, pages } = listOf(even(count * PER_PAGE));
  expect(await findDelivery(load, number < 0 ? '' : idOf(number), 1)).toBeUndefined();
  expect(pages.length).toBeLessThanOrEqual(20);
});

it('begins with the page that it was found on, also after new deliveries', async () => {
  const before = listOf(even(10_000));
  const { page } = (await findDelivery(before.load, idOf(10_000), 1))!;
  const after = listOf([...even(10_000), ...even(10_100).slice(10_000)]);
  expect(await findDelivery(after.load, idOf(10_000), page)).toMatchObject({ page: page + 1 });
  expect(after.pages[0]).toBe(page);
});
